package discover

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// maxDocuments is how many bytes of documents are remembered at most.
const maxDocuments = 256 << 20

// reading is a document as read, without its bytes.
type reading struct {
	source.Content
	digest ext.Digest // of the bytes
}

// place is a document's: its findings name the origin.
type place struct {
	root   string
	origin ext.Origin
	limit  int64
}

type remembered struct {
	reading
	stamp root.Stamp
}

// document reads a document, or knows what it would read. Only what was read
// inside, and through no link, is remembered: a link may lead elsewhere.
func (s *scan) document(o ext.Origin) reading {
	m, limits := s.options.Memory, s.options.Limits
	r, ok := s.tree.FS.(*root.Root)
	if m == nil || !ok {
		return readingOf(o, source.Read(s.tree.FS, o, limits))
	}
	at := place{r.Dir(), o, limits.FileBytes}
	if was, ok := m.documents.get(at); ok && s.again(r).Holds(was.stamp) {
		return was.reading
	}
	from := stamping{Root: r}
	c := source.Read(&from, o, limits)
	size, read := int64(len(c.Data)), readingOf(o, c)
	if from.stamp != (root.Stamp{}) {
		m.documents.put(at, remembered{read, from.stamp}, size)
	}
	return read
}

// again is the scan's one look at what was remembered.
func (s *scan) again(r *root.Root) *root.Again {
	if s.look == nil {
		s.look = r.Again()
	}
	return s.look
}

// readingOf tells of what does not show and lets go of the bytes. Who adds
// findings to what is remembered must not write where another does.
func readingOf(o ext.Origin, c source.Content) reading {
	c.Findings = append(slices.Clip(c.Findings), hidden(o, &c)...)
	r := reading{c, ext.Sum(c.Data)}
	r.Data, r.Findings = nil, slices.Clip(c.Findings)
	return r
}

// stamping is a root that remembers what the last read came from.
type stamping struct {
	*root.Root
	stamp root.Stamp
}

// ReadFrom is the root's.
func (s *stamping) ReadFrom(name string, limit int64) (data []byte, outside string, err error) {
	data, outside, s.stamp, err = s.ReadStamped(name, limit)
	return data, outside, err
}

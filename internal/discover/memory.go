package discover

import (
	"encoding/binary"
	"errors"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Memory is what scans remember, so that the next one reads what changed and
// nothing else. What is remembered of a file is believed while the same file
// lies there, of the same size and times, and was not changed too shortly
// before it was read. It may be used by several scans at once. A nil Memory
// remembers nothing.
type Memory struct {
	documents recall[place, remembered]
	units     recall[unitPlace, *unit]
	code      recall[identity, ext.Digest] // of files that documents name
	trees     trees
}

// NewMemory makes a Memory. The digests of trees it also keeps in a folder of
// its own, made when it is needed, so that the next process does not read the
// trees again; a damaged file there means reading anew. "" keeps nothing.
func NewMemory(dir string) *Memory {
	m := &Memory{}
	m.documents.most = maxDocuments
	m.trees.dir = dir
	return m
}

// Wrote has trees be digested without reading back what this process wrote and nobody
// touched since. What was digested so is not kept in the folder. It is called before the
// first scan.
func (m *Memory) Wrote(sums *unpack.Sums) { m.trees.written = sums }

// Sweep forgets everything that no scan asked for since the last Sweep. It is
// called after each pass over all trees, and returns what kept the folder from
// being written meanwhile, which costs time and nothing else.
func (m *Memory) Sweep() error {
	if m == nil {
		return nil
	}
	m.documents.sweep()
	m.units.sweep()
	m.code.sweep()
	return errors.Join(m.trees.sweep()...)
}

// identity is what tells that a file is the same and was not written.
type identity struct {
	dev, ino           uint64
	size, mtime, ctime int64
}

func identify(s root.Stamp) identity {
	return identity{s.Dev, s.Ino, s.Size, s.Mtime, s.Ctime}
}

// identityBytes is how many bytes append adds.
const identityBytes = 5 * 8

func (id identity) append(b []byte) []byte {
	for _, n := range [...]uint64{id.dev, id.ino, uint64(id.size), uint64(id.mtime), uint64(id.ctime)} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

func identityOf(b []byte) identity {
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	return identity{at(0), at(1), int64(at(2)), int64(at(3)), int64(at(4))}
}

// sums are the digests of the bytes of files.
type sums map[identity]ext.Digest

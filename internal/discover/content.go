package discover

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// What is digested of one tree. A tree with more has no digest. They are no
// settings: a workspace could set them.
const (
	maxTree        = 2 << 30 // bytes
	maxTreeEntries = 200_000
)

// LeftOut are the names that the digest of a tree leaves out, wherever in it
// they lie, and why. Nothing below such a name is run unless code that counts
// names it; a name of which that does not hold must not stand here. So
// node_modules counts, and so does __pycache__: what lies there is run in place
// of a source that did not change, and whatever it says of the source can be
// forged. A program that is started with PYTHONPYCACHEPREFIX keeps Python's
// compiled files elsewhere; where one ignores that (python3 -I), what Python
// writes is a change of the tree.
var LeftOut = []struct{ Name, Why string }{
	{".git", "what git keeps of the history; it changes with every command, and the files that it checked out count"},
	{".hg", "the same of Mercurial"},
	{".svn", "the same of Subversion"},
	{".jj", "the same of Jujutsu"},
	{".DS_Store", "how the Finder shows a folder; it is written by opening one"},
	{"Thumbs.db", "small pictures that the Explorer keeps; it is written by opening a folder"},
}

// NotDigested is a tree whose content has no digest.
var NotDigested = &ext.Check{
	Code: "tree-not-digested", Severity: ext.Warning,
	Doc: "The directory of an extension could not be read whole, so a change in it could not be seen. What it runs cannot be granted.",
	Fix: "Mend or remove what the message names, or move what does not belong to the extension out of its directory.",
}

// ground is a directory whose content can be digested.
type ground interface {
	Survey(ctx context.Context, most int, visit func(root.Item) error) error
	CopyStamped(ctx context.Context, w io.Writer, s root.Stamp, buf []byte) error
	TargetStamped(s root.Stamp) (string, error)
}

var (
	_ ground = (*root.Root)(nil)
	_ ground = plain{}

	errTooMuch = errors.New("is more than what is digested")
)

// tries is how often a tree is read that changes meanwhile.
const tries = 3

// content is the digest of all that lies in the directory of the tree, or the
// finding that says why there is none. It returns an error only when ctx ends.
func content(ctx context.Context, t *ext.Tree, m *Memory) (d ext.Digest, told ext.Findings, err error) {
	for range tries {
		if r, ok := t.FS.(*root.Root); ok {
			d, err = m.tree(ctx, r)
		} else {
			d, err = digestPlain(ctx, t.FS)
		}
		if !errors.Is(err, root.ErrChanged) {
			break
		}
	}
	if ctx.Err() != nil {
		return ext.Digest{}, nil, ctx.Err()
	}
	if err == nil {
		return d, nil, nil
	}
	if t.Findings.Failed() { // refused already, perhaps because it is not there
		return ext.Digest{}, nil, nil
	}
	return ext.Digest{}, ext.Findings{undigested(err, t.Origin)}, nil
}

func digestPlain(ctx context.Context, fsys fs.FS) (ext.Digest, error) {
	g := plain{fsys}
	c, err := count(ctx, g)
	if err != nil {
		return ext.Digest{}, err
	}
	a := adder{ground: g}
	return a.sum(ctx, c)
}

func undigested(err error, o ext.Origin) ext.Finding {
	var at *fs.PathError
	if errors.As(err, &at) && at.Path != "." {
		o.Path = at.Path
	}
	switch {
	case errors.Is(err, errTooMuch), errors.Is(err, root.ErrCrowded):
		return NotDigested.At(o, "it holds more than %d MiB or %d entries", maxTree>>20, maxTreeEntries)
	case errors.Is(err, root.ErrChanged):
		return NotDigested.At(o, "it changes while it is read")
	}
	return NotDigested.At(o, "%s", source.FaultOf(err, o).Message)
}

// census is one look at all that counts in a tree: nothing of it was read.
type census struct {
	items []root.Item
	mark  ext.Digest // equal marks, equal trees, unless unsure
	// unsure: something was changed so shortly before, or the system knows so
	// little of files, that equal marks say nothing.
	unsure bool
}

func count(ctx context.Context, g ground) (*census, error) {
	c := &census{}
	h := ext.NewHash("tree as it lies")
	for _, l := range LeftOut {
		h.Text(l.Name)
	}
	var size int64
	var buf []byte
	err := g.Survey(ctx, maxTreeEntries, func(i root.Item) error {
		if leftOut(i.Path) {
			return skip(i)
		}
		if i.Kind == root.File {
			size += i.Size
		}
		if len(c.items) == maxTreeEntries || size > maxTree {
			return errTooMuch
		}
		c.items = append(c.items, i)
		h.Text(i.Path)
		if i.Kind == root.Dir { // what it holds is listed each time
			h.Int(0)
			return nil
		}
		c.unsure = c.unsure || i.Racy || i.Coarse
		id := identify(i.Stamp)
		buf = binary.LittleEndian.AppendUint32(id.append(buf[:0]), uint32(i.Mode))
		h.Int(1).Bytes(buf)
		return nil
	})
	c.mark = h.Sum()
	return c, err
}

func skip(i root.Item) error {
	if i.Kind == root.Dir {
		return fs.SkipDir
	}
	return nil
}

// Counts reports whether the digest of a tree counts what lies at a path in it.
func Counts(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if slices.ContainsFunc(LeftOut, func(l struct{ Name, Why string }) bool { return strings.EqualFold(l.Name, part) }) {
			return false
		}
	}
	return true
}

func leftOut(name string) bool {
	base := path.Base(name)
	for i := range LeftOut {
		if LeftOut[i].Name == base {
			return true
		}
	}
	return false
}

// adder makes digests of trees.
type adder struct {
	ground ground
	known  sums // of files, from before; may be nil
	next   sums // of the files that were added
	buf    []byte
	// written are of files that this process wrote; unread: some of them were not read back.
	written *unpack.Sums
	unread  bool
}

// sum is the digest of the tree. It depends on no machine, time or order: on
// the paths, on what lies there, and on whether a file may be executed.
func (a *adder) sum(ctx context.Context, c *census) (ext.Digest, error) {
	a.next = make(sums, len(c.items))
	h := ext.NewHash("tree")
	for i := range c.items {
		if err := ctx.Err(); err != nil {
			return ext.Digest{}, err
		}
		if err := a.add(ctx, h, &c.items[i]); err != nil {
			return ext.Digest{}, err
		}
	}
	return h.Sum(), nil
}

func (a *adder) add(ctx context.Context, h *ext.Hash, i *root.Item) error {
	switch i.Kind {
	case root.Dir:
		h.Text(i.Path, i.Kind.String())
	case root.File:
		d, err := a.file(ctx, i)
		if err != nil {
			return err
		}
		executable := 0
		if i.Mode&0o100 != 0 {
			executable = 1
		}
		h.Text(i.Path, i.Kind.String()).Int(executable).Digest(d)
	case root.Link:
		target, err := a.ground.TargetStamped(i.Stamp)
		if err != nil {
			return err
		}
		h.Text(i.Path, i.Kind.String(), target)
	default: // a pipe, a socket, a device: opening one may do something
		h.Text(i.Path, i.Kind.String(), i.Mode.Type().String())
	}
	return nil
}

// file is the digest of a file's bytes.
func (a *adder) file(ctx context.Context, i *root.Item) (ext.Digest, error) {
	id := identify(i.Stamp)
	d, ok := a.known[id]
	if !ok {
		d, ok = a.written.Of(i.Stamp)
		a.unread = a.unread || ok
	}
	if !ok {
		if a.buf == nil {
			a.buf = make([]byte, 128<<10)
		}
		h := sha256.New()
		if err := a.ground.CopyStamped(ctx, h, i.Stamp, a.buf); err != nil {
			return ext.Digest{}, err
		}
		h.Sum(d[:0])
	}
	if !i.Racy && !i.Coarse {
		a.next[id] = d
	}
	return d, nil
}

// Package unpack writes a tree that somebody else named, such as that of a commit or
// an archive, into a new directory, so that nothing of it lies or leads outside.
// Every name is judged before anything is written under it; links are made last, so
// that no file is written through one.
package unpack

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"runtime"

	"github.com/mortise-dev/mortise/ext"
)

// Kind is what an entry of a tree is.
type Kind uint8

// The kinds. There are no others: a device, a pipe or a hard link is refused by who
// reads the tree.
const (
	File    Kind = iota + 1
	Program      // a file that may be executed
	Dir
	Link
)

// Bounds are how much a tree may hold at most. Zero is the default of each.
type Bounds struct {
	Entries int   // files, links and directories; 100 000
	Bytes   int64 // of all files; 1 GiB
	File    int64 // of one; 256 MiB
}

// Whole is b with the defaults filled in.
func (b Bounds) Whole() Bounds {
	return Bounds{cmp.Or(b.Entries, 100_000), cmp.Or(b.Bytes, 1<<30), cmp.Or(b.File, 256<<20)}
}

// RefusedError is a tree that is not written, and why: what is wrong with it, entry by
// entry, as far as it was looked at.
type RefusedError struct {
	Faults []string
	Over   bool // it holds more than its bounds, so that looking further is of no use
}

// Error names the first few faults.
func (e *RefusedError) Error() string {
	const most = 3
	text := ""
	for i, f := range e.Faults[:min(most, len(e.Faults))] {
		if i > 0 {
			text += "; "
		}
		text += f
	}
	if more := len(e.Faults) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}

// refuse is a tree with one fault.
func refuse(format string, args ...any) error {
	return ext.AsRefused(&RefusedError{Faults: []string{fmt.Sprintf(format, args...)}})
}

// over is a tree that holds more than its bounds.
func over(format string, args ...any) error {
	return ext.AsRefused(&RefusedError{Faults: []string{fmt.Sprintf(format, args...)}, Over: true})
}

// Writer writes a tree into a directory of its own. It is not for several goroutines.
type Writer struct {
	names *Names
	root  *os.Root
	at    string // the directory that in is
	in    *shared
	next  *batch // for that directory; nil is none
	crew  *crew
	links map[string]string // where each link points
	buf   []byte
	hash  hash.Hash
}

// New makes the directory, which must not be there, and is the person's alone. sums are
// told of each file; nil are not.
func New(dir string, b Bounds, sums *Sums) (*Writer, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	in, err := openFolder(root, ".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &Writer{
		names: NewNames(b), root: root, at: ".", in: share(in), crew: newCrew(sums),
		links: map[string]string{}, buf: make([]byte, 128<<10), hash: sha256.New(),
	}, nil
}

// Dir makes a directory, and those above it. One that was made is no fault.
func (w *Writer) Dir(name string) error {
	if err := w.names.Add(name, Dir, 0); err != nil {
		return err
	}
	return w.enter(name)
}

// File writes a file of size bytes, which from must give exactly.
func (w *Writer) File(name string, kind Kind, size int64, from io.Reader) error {
	if err := w.names.Add(name, kind, size); err != nil {
		return err
	}
	if err := w.enter(path.Dir(name)); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if kind == Program {
		mode = 0o700
	}
	if size > batchBytes {
		return w.in.file(path.Base(name), mode, w.crew.sums, w.hash, func(to io.Writer) error {
			n, err := io.CopyBuffer(to, io.LimitReader(from, size), w.buf)
			if err == nil && n != size {
				err = io.ErrUnexpectedEOF
			}
			return err
		})
	}
	return w.later(name, mode, int(size), from)
}

// later has a file be written by another goroutine.
func (w *Writer) later(name string, mode os.FileMode, size int, from io.Reader) error {
	if w.next != nil && !w.next.fits(int64(size)) {
		w.send()
	}
	if w.next == nil {
		if err := w.crew.failed(); err != nil {
			return err
		}
		w.next = w.crew.batch(w.in)
	}
	return w.next.add(name, mode, size, from)
}

// send gives away what was taken in.
func (w *Writer) send() {
	if w.next != nil {
		w.crew.todo <- w.next
		w.next = nil
	}
}

// Link remembers a link. It is made by Finish.
func (w *Writer) Link(name, target string) error {
	if err := w.names.Add(name, Link, 0); err != nil {
		return err
	}
	w.links[name] = target
	return nil
}

// enter makes w.in the directory of a name that was judged, and makes the directory.
func (w *Writer) enter(dir string) error {
	if dir == w.at {
		return nil
	}
	if err := w.root.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	in, err := openFolder(w.root, dir)
	if err != nil {
		return err
	}
	w.send()
	w.in.leave()
	w.at, w.in = dir, share(in)
	return nil
}

// Finish makes the links, when all of them stay in the tree, and ends the writer.
func (w *Writer) Finish() error {
	defer w.Close()
	w.send()
	if err := w.crew.end(); err != nil { // no file is written once there are links
		return err
	}
	if err := w.names.End(w.links); err != nil {
		return err
	}
	for name, target := range sorted(w.links) {
		if err := w.link(name, target); err != nil {
			return err
		}
	}
	return nil
}

// link makes one link; where the system gives the person none, a file that holds where
// it leads, as git does.
func (w *Writer) link(name, target string) error {
	if dir := path.Dir(name); dir != "." {
		if err := w.root.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	err := w.root.Symlink(target, name)
	if err != nil && runtime.GOOS == "windows" {
		return w.root.WriteFile(name, []byte(target), 0o600)
	}
	return err
}

// Close ends the writer. What was written stays. A second Close does nothing.
func (w *Writer) Close() {
	if w.in == nil {
		return
	}
	if w.next != nil {
		w.next.in.leave()
		w.next = nil
	}
	_ = w.crew.end() // what is given up, or was told by Finish
	w.in.leave()
	w.in = nil
	w.root.Close()
}

// Total is how much was judged so far.
func (w *Writer) Total() (entries int, bytes int64) { return w.names.entries, w.names.bytes }

// Package unpack writes a tree that somebody else named, such as that of a commit or
// an archive, into a new directory, so that nothing of it lies or leads outside.
// Every name is judged before anything is written under it; links are made last, so
// that no file is written through one.
package unpack

import (
	"cmp"
	"crypto/sha256"
	"errors"
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
	in    folder
	links map[string]string // where each link points
	buf   []byte
	sums  *Sums
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
	return &Writer{names: NewNames(b), root: root, at: ".", in: in, links: map[string]string{}, buf: make([]byte, 128<<10), sums: sums, hash: sha256.New()}, nil
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
	f, err := w.in.create(path.Base(name), mode)
	if err != nil {
		return err
	}
	return errors.Join(w.pour(f, size, from), f.Close())
}

// pour writes all of a file and remembers its sum.
func (w *Writer) pour(f *fresh, size int64, from io.Reader) error {
	to := onlyWriter{f}
	if w.sums != nil {
		w.hash.Reset()
		to.Writer = io.MultiWriter(f, w.hash)
	}
	n, err := io.CopyBuffer(to, io.LimitReader(from, size), w.buf)
	if err == nil && n != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil || w.sums == nil {
		return err
	}
	if at, err := f.stamp(); err == nil { // else it is read back
		w.sums.add(at, ext.Digest(w.hash.Sum(nil)))
	}
	return nil
}

// onlyWriter hides that a file can read by itself, which it does slower.
type onlyWriter struct{ io.Writer }

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
	w.in.close()
	w.at, w.in = dir, in
	return nil
}

// Finish makes the links, when all of them stay in the tree, and ends the writer.
func (w *Writer) Finish() error {
	defer w.Close()
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
	w.in.close()
	w.root.Close()
}

// Total is how much was judged so far.
func (w *Writer) Total() (entries int, bytes int64) { return w.names.entries, w.names.bytes }

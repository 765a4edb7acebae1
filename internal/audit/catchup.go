package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

const (
	// spanSize is how long a block is at least, but for the last one: what is read
	// to find one record.
	spanSize = 64 << 10
	// changeSize is how much of a segment one change is of: other writers of the
	// store wait as long as that takes.
	changeSize = 8 << 20
)

// catchUp brings an index up to date.
type catchUp struct {
	dir      string
	index    Index
	span     int64                   // spanSize; tests have shorter blocks
	part     int64                   // changeSize
	progress func(done, total int64) // bytes; nil: nobody asks
	done     int64
	total    int64
	ends     map[string]int64 // of the segments that the index knows now
}

// stale is a segment of which the index does not know all.
type stale struct {
	segmentName
	known Indexed // the zero value: nothing
}

func (c *catchUp) run(ctx context.Context) error {
	known, err := c.index.Segments(ctx, nil)
	if err != nil {
		return err
	}
	names, err := segments(c.dir)
	if err != nil {
		return err
	}
	c.ends, c.done, c.total = map[string]int64{}, 0, 0
	todo, gone := c.compare(names, known)
	if len(gone) > 0 {
		if err := c.index.Update(ctx, Change{Gone: gone}); err != nil {
			return err
		}
	}
	for _, s := range todo {
		if err := c.segment(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// compare is what is to be read, and what is known and not there. A file that is
// as large as it was and was not changed since is not looked into.
func (c *catchUp) compare(names []segmentName, known []Indexed) (todo []stale, gone []string) {
	byName := make(map[string]Indexed, len(known))
	for _, k := range known {
		byName[k.File] = k
	}
	for _, n := range names {
		info, err := os.Lstat(filepath.Join(c.dir, n.String()))
		if err != nil || !info.Mode().IsRegular() {
			continue // who reads it is told
		}
		k, ok := byName[n.String()]
		delete(byName, n.String())
		if ok && k.Size == info.Size() && k.Changed == info.ModTime().UnixNano() {
			c.ends[k.File] = k.End
			continue
		}
		todo = append(todo, stale{n, k})
		c.total += max(info.Size()-k.End, 0)
	}
	for name := range byName {
		gone = append(gone, name)
	}
	slices.Sort(gone)
	return todo, gone
}

// segment indexes the new end of a segment, or all of it where it is not what was
// indexed before with something added. What cannot be read is left out.
func (c *catchUp) segment(ctx context.Context, s stale) error {
	f, info, err := openRegular(filepath.Join(c.dir, s.String()))
	if err != nil {
		return nil
	}
	defer f.Close()
	w := newIndexing(s.segmentName, s.known, c.span)
	if !resumes(f, info, s.known) {
		w = newIndexing(s.segmentName, Indexed{}, c.span)
		w.change.Anew = true
	}
	l := &forward{r: f, size: info.Size(), at: w.block.Start}
	for {
		from := l.at
		line, err := l.next()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, errTorn):
			w.whole(info)
		case errors.Is(err, errLong), err == nil && !w.line(line, from):
			w.unsound(info)
		case err != nil:
			return nil
		case w.read < c.part || w.filling():
			continue
		default:
			w.part()
		}
		read := w.read
		if err := c.index.Update(ctx, w.take()); err != nil {
			return err
		}
		c.told(read)
		if w.ended {
			c.ends[s.String()] = w.segment.End
			return nil
		}
	}
}

func (c *catchUp) told(read int64) {
	c.done += read
	if c.progress != nil {
		c.progress(min(c.done, c.total), c.total)
	}
}

// resumes is whether a file is what was indexed, with more behind it, as far as
// the last block tells: what was changed before it is found when it is read.
func resumes(f io.ReaderAt, info fs.FileInfo, known Indexed) bool {
	if !known.Sound || len(known.Blocks) == 0 || info.Size() <= known.Size && known.Changed != 0 || info.Size() < known.End {
		return false
	}
	_, err := known.Blocks[len(known.Blocks)-1].read(f)
	return err == nil
}

var errChanged = errors.New("it is not what it was when it was indexed")

// read is the lines of the block. It is errChanged when they are others now.
func (b Block) read(r io.ReaderAt) ([]byte, error) {
	if b.Start < 0 || b.End <= b.Start || b.End-b.Start > spanSize+lineMax {
		return nil, errChanged
	}
	lines := make([]byte, b.End-b.Start)
	_, err := r.ReadAt(lines, b.Start)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err != nil || ext.Sum(lines) != b.Hash {
		return nil, errChanged
	}
	return lines, nil
}

// indexing makes changes of the lines of one segment.
type indexing struct {
	segment Indexed // Blocks are those since the last change
	name    segmentName
	span    int64
	block   Block // that is being filled; empty: no line is in it
	hash    hash.Hash
	words   map[string]bool // of the block
	text    []byte          // the same, as the block has them
	change  Change
	read    int64 // since the last change
	ended   bool
}

// newIndexing goes on behind what is known. The last block is read once more
// where it is not full.
func newIndexing(n segmentName, known Indexed, span int64) *indexing {
	w := &indexing{segment: known, name: n, span: span, hash: sha256.New(), words: map[string]bool{}}
	w.segment.File, w.segment.Sound, w.segment.Blocks = n.String(), true, nil
	w.change.Was = known.End
	if i := len(known.Blocks) - 1; i >= 0 {
		last := known.Blocks[i]
		if last.End-last.Start < span {
			w.block = Block{Number: last.Number, Start: last.Start, End: last.Start}
		} else {
			w.block = Block{Number: last.Number + 1, Start: last.End, End: last.End}
		}
	}
	return w
}

// line takes in a line, which stands at from. False: the segment is not sound.
func (w *indexing) line(line []byte, from int64) bool {
	end := from + int64(len(line)) + 1
	if len(line) >= lineMax || end > w.segment.End && !w.follows(line, from) {
		return false
	}
	w.hash.Write(line)
	w.hash.Write([]byte{'\n'})
	eachWord(line, func(word []byte) {
		if !w.words[string(word)] {
			w.words[string(word)] = true
			w.text = append(append(w.text, '\n'), word...)
		}
	})
	w.block.End = end
	w.read += int64(len(line)) + 1
	w.segment.End = max(w.segment.End, end)
	if w.block.End-w.block.Start >= w.span {
		w.full()
	}
	return true
}

// follows is whether a line can stand at from.
func (w *indexing) follows(line []byte, from int64) bool {
	if from == 0 {
		h, err := parseHeader(line, w.name)
		w.segment.Begun, w.segment.Last = h.Time, h.Time
		return err == nil
	}
	f, err := parseFront(line)
	if err != nil || string(f.time) < w.segment.Last {
		return false
	}
	if string(f.time) != w.segment.Last {
		w.segment.Last = string(f.time)
	}
	return true
}

// full ends a block and begins the next one.
func (w *indexing) full() {
	if w.filling() {
		w.hash.Sum(w.block.Hash[:0])
		w.block.Words = string(w.text)
		w.segment.Blocks = append(w.segment.Blocks, w.block)
	}
	w.block = Block{Number: w.block.Number + 1, Start: w.block.End, End: w.block.End}
	w.hash.Reset()
	clear(w.words)
	w.text = w.text[:0]
}

// whole is that all lines of the segment were taken in.
func (w *indexing) whole(info fs.FileInfo) {
	w.full()
	w.segment.Size, w.segment.Changed, w.ended = info.Size(), info.ModTime().UnixNano(), true
}

// unsound is that a line is not one in order: nothing but that is remembered.
func (w *indexing) unsound(info fs.FileInfo) {
	w.whole(info)
	w.segment = Indexed{File: w.segment.File, Size: w.segment.Size, Changed: w.segment.Changed}
	w.change = Change{Anew: true}
}

// filling is whether a block has lines and is not full.
func (w *indexing) filling() bool { return w.block.End > w.block.Start }

// part is that more of the segment comes with the next change.
func (w *indexing) part() { w.segment.Size, w.segment.Changed = w.segment.End, 0 }

// take is the change of the lines since the last one.
func (w *indexing) take() Change {
	c := w.change
	c.Segment = w.segment
	w.change, w.segment.Blocks, w.read = Change{Was: w.segment.End}, nil, 0
	return c
}

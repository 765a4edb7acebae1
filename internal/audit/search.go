package audit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// searchLeast is how large a log is at least for an index to spare more than it
// costs.
const searchLeast = 4 << 20

// nearSize is how much of the end of a log is read before an index is asked: what is
// looked for is often there.
const nearSize = 8 << 20

// Searchable is whether an index may spare reading most of the log in dir: q names
// something that few records may have, and there is much to read.
func Searchable(dir string, q Query) bool {
	if len(q.matcher().words()) == 0 {
		return false
	}
	names, err := segments(dir)
	if err != nil {
		return false
	}
	size := int64(0)
	for _, n := range names {
		if info, err := os.Lstat(filepath.Join(dir, n.String())); err == nil {
			size += info.Size()
		}
	}
	return size >= searchLeast
}

// Search is Read by way of an index, which is brought up to date first: progress,
// unless it is nil, is told how many bytes of those that are to be indexed were.
// It yields what Read does, in the same order. What an index leads to is compared
// with what was indexed, and is an error of its own when it was changed since. An
// index that cannot be used is not: then everything is read.
func Search(ctx context.Context, dir string, q Query, index Index, progress func(done, total int64)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if entries, ok := near(dir, q, nearSize); ok {
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
			}
			return
		}
		c := catchUp{dir: dir, index: index, span: spanSize, part: changeSize, progress: progress}
		found := c.find(ctx, q)
		if err := ctx.Err(); err != nil {
			yield(Entry{}, err)
			return
		}
		read(dir, q, found)(yield)
	}
}

// near is what q asks for, where as many as it asks for are found by reading so many
// bytes; false where they are not, or something cannot be read.
func near(dir string, q Query, size int64) (entries []Entry, ok bool) {
	if q.Limit == 0 {
		return nil, false
	}
	for e, err := range readSome(dir, q, nil, size) {
		if err != nil {
			return nil, false
		}
		entries = append(entries, e)
	}
	return entries, len(entries) == q.Limit
}

// find is where in which segments the records may be that q asks for; a segment
// that it does not name is to be read whole.
func (c *catchUp) find(ctx context.Context, q Query) map[string]Indexed {
	const tries = 3 // another process may do the same now
	words := q.matcher().words()
	if len(words) == 0 {
		return nil
	}
	err := c.run(ctx)
	for i := 1; i < tries && errors.Is(err, ErrMoved); i++ {
		err = c.run(ctx)
	}
	if err != nil {
		return nil
	}
	all, err := c.index.Segments(ctx, words)
	if err != nil {
		return nil
	}
	found := make(map[string]Indexed, len(all))
	for _, s := range all {
		if end, ok := c.ends[s.File]; ok && s.Sound && s.End >= end {
			found[s.File] = s
		}
	}
	return found
}

// blockLines reads the lines of some blocks.
type blockLines struct {
	r           io.ReaderAt
	blocks      []Block // that are still to be read
	oldestFirst bool
	buf         []byte // what was read and not given out; ends with a line feed
}

// next is the next line without its line feed. At the end the error is io.EOF. With
// errChanged a block was skipped.
func (l *blockLines) next() ([]byte, error) {
	if len(l.buf) == 0 {
		if err := l.more(); err != nil {
			return nil, err
		}
	}
	if l.oldestFirst {
		line, rest, _ := bytes.Cut(l.buf, []byte("\n"))
		l.buf = rest
		return line, nil
	}
	body := l.buf[:len(l.buf)-1]
	i := bytes.LastIndexByte(body, '\n') + 1
	l.buf = l.buf[:i]
	return body[i:], nil
}

// more reads the next block, or the one before.
func (l *blockLines) more() (err error) {
	if len(l.blocks) == 0 {
		return io.EOF
	}
	var b Block
	if last := len(l.blocks) - 1; l.oldestFirst {
		b, l.blocks = l.blocks[0], l.blocks[1:]
	} else {
		b, l.blocks = l.blocks[last], l.blocks[:last]
	}
	l.buf, err = b.read(l.r)
	return err
}

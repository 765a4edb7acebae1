package unpack

import (
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"os"
	"path"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mortise-dev/mortise/ext"
)

// A batch is small files of one directory, which one worker writes: making a file takes
// the system longer than anything else here, and it makes those of one directory one
// after the other.
const (
	batchFiles = 64
	batchBytes = 64 << 10
	waiting    = 8 // batches for each worker; each keeps a directory open
	mostCrew   = 4
)

// crew writes files, several at once.
type crew struct {
	sums    *Sums
	todo    chan *batch
	workers sync.WaitGroup
	spare   sync.Pool // of batches

	mu  sync.Mutex
	err error // the first
}

type batch struct {
	in    *shared
	files []pending
	data  []byte
}

// pending is a file that is to be written: its bytes are the next of the batch.
type pending struct {
	name string
	mode os.FileMode
	size int
}

// shared is a directory that files are made in, closed when nobody needs it.
type shared struct {
	folder
	users atomic.Int32
}

func share(f folder) *shared {
	s := &shared{folder: f}
	s.users.Store(1)
	return s
}

func (s *shared) leave() {
	if s.users.Add(-1) == 0 {
		s.close()
	}
}

func newCrew(sums *Sums) *crew {
	n := min(mostCrew, runtime.GOMAXPROCS(0))
	c := &crew{sums: sums, todo: make(chan *batch, n*waiting)}
	for range n {
		c.workers.Go(c.work)
	}
	return c
}

func (c *crew) work() {
	h := sha256.New()
	for b := range c.todo {
		if c.failed() == nil {
			c.fail(b.write(c.sums, h))
		}
		b.in.leave()
		c.spare.Put(b)
	}
}

func (c *crew) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *crew) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
}

// batch is an empty one for a directory.
func (c *crew) batch(in *shared) *batch {
	b, ok := c.spare.Get().(*batch)
	if !ok {
		b = &batch{data: make([]byte, 0, batchBytes), files: make([]pending, 0, batchFiles)}
	}
	in.users.Add(1)
	b.in, b.data, b.files = in, b.data[:0], b.files[:0]
	return b
}

// end waits until everything is written, and is what went wrong first. A second end does
// nothing.
func (c *crew) end() error {
	if c.todo != nil {
		close(c.todo)
		c.workers.Wait()
		c.todo = nil
	}
	return c.err
}

// fits reports whether a file of so many bytes can be added.
func (b *batch) fits(size int64) bool {
	return len(b.files) < batchFiles && int64(len(b.data))+size <= batchBytes
}

// add takes in a file, which from must give whole.
func (b *batch) add(name string, mode os.FileMode, size int, from io.Reader) error {
	n := len(b.data)
	if _, err := io.ReadFull(from, b.data[n:n+size]); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	b.data = b.data[:n+size]
	b.files = append(b.files, pending{path.Base(name), mode, size})
	return nil
}

func (b *batch) write(sums *Sums, h hash.Hash) error {
	data := b.data
	for _, p := range b.files {
		if err := b.in.file(p.name, p.mode, sums, h, func(to io.Writer) error {
			_, err := to.Write(data[:p.size])
			return err
		}); err != nil {
			return err
		}
		data = data[p.size:]
	}
	return nil
}

// file makes a file, and remembers the sum of what fill writes into it.
func (f folder) file(name string, mode os.FileMode, sums *Sums, h hash.Hash, fill func(to io.Writer) error) error {
	to, err := f.create(name, mode)
	if err != nil {
		return err
	}
	s := summing{to: to}
	if sums != nil {
		h.Reset()
		s.hash = h
	}
	err = fill(&s)
	if err == nil && sums != nil {
		if at, err := to.stamp(); err == nil { // else it is read back
			sums.add(at, ext.Digest(h.Sum(nil)))
		}
	}
	return errors.Join(err, to.Close())
}

// summing writes a file and adds up its bytes. It hides that a file can read by itself,
// which it does slower.
type summing struct {
	to   *fresh
	hash hash.Hash // nil adds up nothing
}

func (s *summing) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	if s.hash != nil {
		s.hash.Write(p[:n])
	}
	return n, err
}

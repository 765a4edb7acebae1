package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// objects reads objects out of a repository through one process of git. They come in
// the order in which they are asked for.
type objects struct {
	run *running
	in  *os.File
	out *bufio.Reader
	end *os.File
	ctx context.Context //nolint:containedctx // of the process, which ends with it
	off context.CancelFunc
}

// openObjects starts the process. Close ends it. One that is told --buffer gives what it
// was asked for once that is much, or it is asked for no more.
func (g *Git) openObjects(ctx context.Context, gitDir string, how ...string) (*objects, error) {
	stdin, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, stdin.Close(), in.Close())
	}
	widen(out)
	ctx, off := context.WithCancel(ctx)
	run, err := g.start(ctx, call{args: append([]string{"cat-file", "--batch"}, how...), gitDir: gitDir, stdin: stdin, stdout: stdout})
	stdin.Close()
	stdout.Close()
	if err != nil {
		off()
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	return &objects{run: run, in: in, out: bufio.NewReaderSize(out, 256<<10), end: out, ctx: ctx, off: off}, nil
}

// Close ends the process, and is an error where it does not end well. All that was asked
// for must have been read.
func (o *objects) Close() error {
	o.in.Close()
	err := o.run.wait(o.ctx)
	o.off()
	o.end.Close()
	return err
}

// abandon ends the process, and whoever still asks it for something.
func (o *objects) abandon() {
	o.off()
	o.in.Close()
	<-o.run.done
	o.end.Close()
}

// ask asks for an object. What is asked for and not read fills a pipe: whoever asks for
// many does it beside reading.
func (o *objects) ask(ids ...string) error {
	_, err := io.WriteString(o.in, strings.Join(ids, "\n")+"\n")
	return err
}

// many asks for objects while read reads all of them, in that order. last: nothing is
// asked for afterwards, so that git holds nothing back.
func (o *objects) many(ids []string, last bool, read func() error) error {
	asked := make(chan error, 1)
	go func() { asked <- o.askAll(ids, last) }()
	err := read()
	if err != nil {
		o.off() // nobody reads on, so that whoever asks would wait for ever
	}
	return cmp.Or(err, <-asked)
}

func (o *objects) askAll(ids []string, last bool) error {
	const atOnce = 200
	for some := range slices.Chunk(ids, atOnce) {
		if err := o.ask(some...); err != nil {
			return err
		}
	}
	if last {
		return o.in.Close()
	}
	return nil
}

// head reads what the next object is. Its bytes come next, and then done.
func (o *objects) head(id, kind string) (size int64, err error) {
	line, err := o.out.ReadString('\n')
	if err != nil {
		return 0, o.broken(err)
	}
	f := strings.Fields(line)
	if len(f) != 3 || f[0] != id {
		return 0, fmt.Errorf("object %s is not there: %w", id, errMalformed)
	}
	if size, err = strconv.ParseInt(f[2], 10, 64); err != nil {
		return 0, err
	}
	if f[1] != kind {
		return 0, &wrongKind{id, f[1], kind}
	}
	return size, nil
}

// done reads what stands behind an object.
func (o *objects) done() error {
	if c, err := o.out.ReadByte(); err != nil || c != '\n' {
		return o.broken(err)
	}
	return nil
}

// broken is why no more comes: what git said, where it ended.
func (o *objects) broken(err error) error {
	if err == nil {
		return fmt.Errorf("git gave more than it said: %w", errMalformed)
	}
	<-o.run.done
	if failed := o.run.wait(o.ctx); failed != nil {
		return failed
	}
	return fmt.Errorf("git stopped giving objects: %w", errors.Join(err, errMalformed))
}

// whole reads one object of at most so many bytes.
func (o *objects) whole(id, kind string, most int64) ([]byte, error) {
	if err := o.ask(id); err != nil {
		return nil, err
	}
	return o.read(id, kind, most)
}

// read reads the next object, of at most so many bytes.
func (o *objects) read(id, kind string, most int64) ([]byte, error) {
	size, err := o.head(id, kind)
	if err != nil {
		return nil, err
	}
	if size > most {
		return nil, fmt.Errorf("a %s of %d bytes: %w", kind, size, errTooBig)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(o.out, data); err != nil {
		return nil, o.broken(err)
	}
	return data, o.done()
}

// wrongKind is an object that is another than it is used as.
type wrongKind struct{ id, is, want string }

func (e *wrongKind) Error() string {
	return fmt.Sprintf("%s is a %s, and a %s is wanted", e.id, e.is, e.want)
}

var errMalformed = errors.New("the repository is damaged")

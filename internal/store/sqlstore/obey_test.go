package sqlstore_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// obey does what each line of in says, as another process with its own store,
// and answers each commit with the revision that it made.
func obey(ctx context.Context, path string, in io.Reader, out io.Writer) error {
	s, err := sqlstore.Open(ctx, path)
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); err == nil && lines.Scan(); {
		order, arg, _ := strings.Cut(lines.Text(), " ")
		switch order {
		case "commit":
			n, _ := strconv.Atoi(arg)
			err = commits(ctx, s, n, out)
		case "checkpoint":
			if err = checkpoint(path, arg); err == nil {
				_, err = fmt.Fprintln(out, 0)
			}
		default:
			err = errors.New("no such order: " + order)
		}
	}
	return errors.Join(err, s.Close())
}

func commits(ctx context.Context, s *sqlstore.Store, n int, out io.Writer) error {
	for range n {
		var made uint64
		err := s.Update(ctx, func(snap *state.Snapshot) error {
			made = snap.Revision + 1
			snap.Put(state.Switch{Extension: "acme", Reason: fmt.Sprintf("%04d", made)}) // one length: so many bytes a commit
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, made); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint plays the log at path into the database.
func checkpoint(path, mode string) error {
	c, err := sqlite.NewConnector(path)
	if err != nil {
		return err
	}
	db := sql.OpenDB(c)
	var busy, frames, done int
	err = db.QueryRow("PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &frames, &done)
	if busy != 0 {
		err = errors.Join(err, errors.New("the checkpoint was held up"))
	}
	return errors.Join(err, db.Close())
}

// process is another process that obeys.
type process struct {
	in  io.WriteCloser
	out *bufio.Scanner
	cmd *exec.Cmd
}

func another(t *testing.T, path string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"=obey", childPath+"="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{in: in, out: bufio.NewScanner(out), cmd: cmd}
	t.Cleanup(p.end)
	return p
}

// end has the process close its store and waits for it.
func (p *process) end() {
	_ = p.in.Close()
	for p.out.Scan() {
	}
	_ = p.cmd.Wait()
}

func (p *process) order(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		t.Fatalf("order %s: %v", line, err)
	}
}

// answer is the next revision that the process says it made.
func (p *process) answer(t *testing.T) uint64 {
	t.Helper()
	if !p.out.Scan() {
		t.Fatalf("the other process: no more answers (%v), want one", p.out.Err())
	}
	n, err := strconv.ParseUint(p.out.Text(), 10, 64)
	if err != nil {
		t.Fatalf("the other process: got %q, want a revision", p.out.Text())
	}
	return n
}

func (p *process) do(t *testing.T, line string) uint64 {
	t.Helper()
	p.order(t, line)
	return p.answer(t)
}

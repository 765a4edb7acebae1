package author_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/golden"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 4 && os.Args[1] == "counter" {
		counter(os.Args[2], os.Args[3], os.Args[4], os.Args[5:])
		return
	}
	os.Exit(m.Run())
}

// counter adds one to the number in a task, again and again, and says so after each.
// It goes on until it has done that so often, or for ever where that is 0.
func counter(dir, locks, often string, more []string) {
	s := author.Store{Dir: dir, Locks: locks, Limit: 1 << 20}
	times, err := strconv.Atoi(often)
	if err != nil {
		panic(err)
	}
	bound(more)
	at := filepath.Join(dir, "tasks", "n", "TASK.md")
	for done := 0; times == 0 || done < times; {
		data, err := os.ReadFile(at)
		if err != nil {
			fmt.Println("failed", err)
			os.Exit(1)
		}
		n, err := number(data)
		if err == nil {
			err = s.Edit(context.Background(), "n", ext.Sum(data), numbered(n+1, os.Getpid()))
		}
		var changed *author.ChangedError
		switch {
		case errors.As(err, &changed) && changed.Kept != "":
		case err != nil:
			fmt.Println("failed", err)
			os.Exit(1)
		default:
			done++
			fmt.Println("ok", n+1)
		}
	}
}

// numbered is a document that is long enough to be seen half written.
func numbered(n, by int) []byte {
	return doc(strings.Repeat(fmt.Sprintf("%d by %d.\n", n, by), 2_000))
}

// number is the number in a document, which has it in every line.
func number(data []byte) (int, error) {
	text, ok := strings.CutPrefix(string(data), "---\ndescription: A task.\n---\n")
	first, _, _ := strings.Cut(text, "\n")
	if !ok || text != strings.Repeat(first+"\n", 2_000)+"\n" {
		return 0, fmt.Errorf("a document that nobody wrote, of %d bytes", len(data))
	}
	n := 0
	_, err := fmt.Sscanf(first, "%d by", &n)
	return n, err
}

// process is this test's program as another one that counts.
func process(t *testing.T, s author.Store, often int, more ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], append([]string{"counter", s.Dir, s.Locks, strconv.Itoa(often)}, more...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestField_TSK01_a_write_touches_its_task_alone: tasks that came from elsewhere while
// another one was edited stay as they are, and an edit of one that did is told. There
// is no cache that could be older than the files.
func TestField_TSK01_a_write_touches_its_task_alone(t *testing.T) {
	work := golden.Dir(t, golden.Files(".mortise/tasks/a/TASK.md", string(doc("A.")), ".mortise/tasks/b/TASK.md", string(doc("B."))))
	s := store(t, work)
	read := ext.Sum(doc("B."))
	// Meanwhile a pull brings tasks, and changes one.
	golden.Write(t, work, golden.Files(".mortise/tasks/c/TASK.md", string(doc("C.")), ".mortise/tasks/d/TASK.md", string(doc("D.")), ".mortise/tasks/b/TASK.md", string(doc("B of theirs."))))
	before := picture(t, s.Dir, "tasks/a")
	if err := s.Edit(t.Context(), "a", ext.Sum(doc("A.")), doc("A of mine.")); err != nil {
		t.Fatal(err)
	}
	if d := differs(before, picture(t, s.Dir, "tasks/a")); d != "" {
		t.Errorf("editing one task changed others: %s", d)
	}
	if err := s.Edit(t.Context(), "b", read, doc("B of mine.")); !isChanged(err) {
		t.Errorf("an edit of what was pulled over: got %v, want to be told", err)
	}
	if says(t, filepath.Join(s.Dir, "tasks", "b", "TASK.md")) != string(doc("B of theirs.")) {
		t.Error("what was pulled is lost")
	}
}

// TestField_TSK03_no_edit_is_lost_or_half has ten processes count in one task, some of
// which are killed in the midst: what each said that it wrote is counted, and the
// task is whole at all times.
func TestField_TSK03_no_edit_is_lost_or_half(t *testing.T) {
	const processes, each, killed = 10, 10, 4
	work := golden.Dir(t, golden.Files(".mortise/tasks/n/TASK.md", string(numbered(0, 0))))
	s := store(t, work)
	said := 0
	acknowledged := make(chan int, processes)
	for i := range processes {
		often := each
		if i < killed {
			often = 0
		}
		cmd, lines := process(t, s, often)
		go func() {
			n := 0
			for lines.Scan() {
				if !strings.HasPrefix(lines.Text(), "ok ") {
					t.Errorf("a writer says: %s", lines.Text())
					continue
				}
				if n++; often == 0 && n == 3+i {
					_ = cmd.Process.Kill()
				}
			}
			_ = cmd.Wait() // killed, or told above
			acknowledged <- n
		}()
	}
	for range processes {
		said += <-acknowledged
	}
	data, err := os.ReadFile(filepath.Join(s.Dir, "tasks", "n", "TASK.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := number(data); err != nil || n < said || n > said+killed { // each of those may have written once more than it said
		t.Errorf("the task: got %d and error %v, want the %d that were said, or up to %d more", n, err, said, killed)
	}
}

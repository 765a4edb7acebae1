package author_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
)

// bound has no file of this process grow larger than it is told, as on a full disk.
func bound(more []string) {
	if len(more) == 0 {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	n, err := strconv.ParseUint(more[0], 10, 64)
	if err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n})
	}
	if err != nil {
		panic(err)
	}
}

// TestField_TSK03_no_room has no room for an edit: the task stays as it was, and
// nothing of what could not be written is left beside it.
func TestField_TSK03_no_room(t *testing.T) {
	before := string(numbered(7, 0))
	work := golden.Dir(t, golden.Files(".mortise/tasks/n/TASK.md", before))
	s := store(t, work)
	cmd, lines := process(t, s, 1, fmt.Sprint(4096))
	for lines.Scan() {
		if text := lines.Text(); !strings.Contains(text, "file too large") {
			t.Errorf("the writer says: %s, want that there was no room", text)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the writer ended well, want it to fail")
	}
	if got := says(t, filepath.Join(s.Dir, "tasks", "n", "TASK.md")); got != before {
		t.Errorf("the task has %d bytes, want it as it was", len(got))
	}
	if entries, err := os.ReadDir(filepath.Join(s.Dir, "tasks", "n")); err != nil || len(entries) != 1 {
		t.Errorf("the task's directory: got %v and error %v, want the document alone", entries, err)
	}
}

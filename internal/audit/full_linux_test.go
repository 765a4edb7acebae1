package audit

import (
	"slices"
	"strings"
	"syscall"
	"testing"
)

// A limit on the size of files stops a write in its midst, as a full disk does:
// the record is refused, and the next one begins a segment that says so.
func TestWriteStopsInTheMiddle(t *testing.T) {
	dir := logDir(t)
	p := start(t, dir, "a", 60, 1<<20, "largest=6000")
	ok, failed := p.said(t, 0)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if len(failed) < 3 || len(ok)+len(failed) != 60 {
		t.Errorf("got %d acknowledged and %d failed, want some of each and 60 in all", len(ok), len(failed))
	}
	r := checkOK(t, dir)
	if !strings.Contains(notes(r), "are no records: the segment was given up") {
		t.Errorf("notes: got %q, want that segments were given up", notes(r))
	}
	if got := ids(t, dir, Query{OldestFirst: true}); !slices.Equal(got, ok) {
		t.Errorf("Read: got %v, want what was acknowledged: %v", got, ok)
	}
}

// No file can be made at all.
func TestNothingCanBeWritten(t *testing.T) {
	dir := logDir(t)
	open(t, dir, Options{}) // the secrets are there
	p := start(t, dir, "a", 5, 1<<20, "largest=100")
	ok, failed := p.said(t, 0)
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if len(ok) != 0 || len(failed) != 5 {
		t.Errorf("got %v acknowledged and %v failed, want all failed", ok, failed)
	}
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("files: got %v, want nothing left of what could not begin", got)
	}
}

// A file system of its own is filled up and gets room again.
func TestFullDisk(t *testing.T) {
	where := t.TempDir()
	// Mounted for one process alone, and its end ends it.
	p := apart(t, where)
	defer p.Wait()
	for p.lines.Scan() {
		switch line := p.lines.Text(); {
		case strings.HasPrefix(line, "skip"):
			t.Skip(line)
		case line == "passed":
			return
		default:
			t.Error(line)
		}
	}
}

func apart(t *testing.T, where string) *process {
	t.Helper()
	p := prepareProcess(t, "full", where)
	p.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := p.Start(); err != nil {
		t.Skipf("no mounts of its own for a process: %v", err)
	}
	return p
}

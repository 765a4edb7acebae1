package audit

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// process is the test binary as another process that writes.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
}

func start(t *testing.T, dir, prefix string, count, segment int, roles ...string) *process {
	t.Helper()
	p := prepareProcess(t, append([]string{"writer", dir, prefix, strconv.Itoa(count), strconv.Itoa(segment)}, roles...)...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

func prepareProcess(t *testing.T, args ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(context.Background(), os.Args[0], args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.Process != nil {
			cmd.Process.Kill()
			cmd.Wait()
		}
	})
	return &process{cmd, bufio.NewScanner(out)}
}

// said is what of the next lines it says is acknowledged, and what failed; at most
// n lines, or all for 0.
func (p *process) said(t *testing.T, n int) (ok, failed []string) {
	t.Helper()
	for i := 0; (n == 0 || i < n) && p.lines.Scan(); i++ {
		what, rest, _ := strings.Cut(p.lines.Text(), " ")
		id, _, _ := strings.Cut(rest, " ")
		switch what {
		case "ok":
			ok = append(ok, id)
		case "failed":
			failed = append(failed, id)
		default:
			t.Errorf("the writer says: %s", p.lines.Text())
		}
	}
	return ok, failed
}

// A process that is killed in the midst of its writing loses nothing of what it
// was told had been written.
func TestKilledBetweenAppends(t *testing.T) {
	dir := logDir(t)
	for round := range 5 {
		p := start(t, dir, "k"+strconv.Itoa(round), 0, 20_000)
		acknowledged, _ := p.said(t, 50+40*round)
		p.Process.Kill()
		more, _ := p.said(t, 0)
		acknowledged = append(acknowledged, more...)
		p.Wait()
		r := checkOK(t, dir)
		if !strings.Contains(notes(r), "process") {
			t.Errorf("notes: got %q, want that the process was killed or ended while it wrote", notes(r))
		}
		got := ids(t, dir, Query{OldestFirst: true, ID: "k" + strconv.Itoa(round)})
		for _, id := range acknowledged {
			if !slices.Contains(got, id) {
				t.Errorf("round %d: %s was acknowledged and is not in the log", round, id)
			}
		}
		if len(got) > len(acknowledged)+1 {
			t.Errorf("round %d: got %d records, want at most one more than the %d that were acknowledged", round, len(got), len(acknowledged))
		}
	}
}

// Two processes write at once, each its own chain, and somebody reads and
// verifies all the time.
func TestTwoProcesses(t *testing.T) {
	dir := logDir(t)
	a, b := start(t, dir, "a", 400, 10_000), start(t, dir, "b", 400, 10_000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.said(t, 0)
	}()
	for range 5 {
		b.said(t, 50)
		checkOK(t, dir)
	}
	b.said(t, 0)
	<-done
	if err := a.Wait(); err != nil {
		t.Error(err)
	}
	if err := b.Wait(); err != nil {
		t.Error(err)
	}
	r := checkOK(t, dir)
	if r.Chains != 2 || len(r.Notes) != 0 {
		t.Errorf("Verify: got %s, want two whole chains", dump(r))
	}
	for _, prefix := range []string{"a-", "b-"} {
		if got, want := ids(t, dir, Query{OldestFirst: true, ID: prefix}), numbered(prefix, 1, 400); !slices.Equal(got, want) {
			t.Errorf("records of %s: got %d, want 400 in order", prefix, len(got))
		}
	}
	times := []string{}
	for e, err := range Read(dir, Query{OldestFirst: true}) {
		if err != nil {
			t.Fatal(err)
		}
		times = append(times, stamp(e.Time))
	}
	if !slices.IsSorted(times) {
		t.Error("records of two chains are not in the order of their times")
	}
}

// Two processes that come first agree on one key and one salt.
func TestSecretsAreMadeOnce(t *testing.T) {
	dir := logDir(t)
	var all []*process
	for i := range 6 {
		all = append(all, start(t, dir, "p"+strconv.Itoa(i), 3, 0))
	}
	for _, p := range all {
		p.said(t, 0)
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
	checkOK(t, dir) // every signature is by one key
}

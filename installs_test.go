package mortise_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise"
)

// counting is an extension that notes each time that it is installed.
func (d *diary) counting(name, version string) mortise.Contribution {
	return mortise.Contribution{Extension: name, Version: version, Lifecycle: []mortise.LifecycleHook{d.install(name, does(nil)), d.teardown(name, does(nil))}}
}

// TestRememberInstalls_outlives_the_composition: what is contributed alike is installed
// once for all that name one file, and what is contributed otherwise is installed.
func TestRememberInstalls_outlives_the_composition(t *testing.T) {
	file := filepath.Join(t.TempDir(), "installs.json")
	var d diary
	for _, c := range []struct {
		name     string
		composed []mortise.Provider
		ran      string
	}{
		{"the first", []mortise.Provider{d.counting("a", ""), d.counting("b", "1")}, "+a +b"},
		{"the same", []mortise.Provider{d.counting("a", ""), d.counting("b", "1")}, ""},
		{"one more, in front", []mortise.Provider{d.counting("c", ""), d.counting("a", ""), d.counting("b", "1")}, "+c"},
		{"another version", []mortise.Provider{d.counting("a", ""), d.counting("b", "2")}, "+b"},
		{"the version before", []mortise.Provider{d.counting("b", "1"), d.counting("a", "")}, ""},
		{"another of the same content", []mortise.Provider{d.counting("e", "")}, "+e"},
	} {
		h := open(t, compose(t, c.composed...), mortise.RememberInstalls(file))
		if got := d.take(); got != c.ran {
			t.Errorf("%s: got %q, want %q", c.name, got, c.ran)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		d.take()
	}
	composed := compose(t, d.counting("late", ""))
	open(t, composed)
	open(t, composed, mortise.RememberInstalls(file))
	open(t, compose(t, d.counting("late", "")), mortise.RememberInstalls(file))
	if got := d.take(); got != "+late" {
		t.Errorf("installed before a file was named: got %q, want it remembered there as well", got)
	}
}

// TestRememberInstalls_only_what_lasts: an Open that fails leaves the file as it was,
// with what it knew.
func TestRememberInstalls_only_what_lasts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "installs.json")
	var d diary
	kept := d.counting("kept", "")
	open(t, compose(t, kept), mortise.RememberInstalls(file))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = mortise.Open(t.Context(), compose(t, kept, d.counting("a", ""), hooked("b", d.install("b", does(errInk)))), mortise.RememberInstalls(file))
	if !errors.Is(err, errInk) {
		t.Fatalf("got %v, want the failure", err)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Errorf("got %s, want %s as before", after, before)
	}
	open(t, compose(t, kept, d.counting("a", "")), mortise.RememberInstalls(file))
	if got := d.take(); got != "+kept +a +b -a +a" {
		t.Errorf("got %q, want a torn down and installed again, and what was kept left alone", got)
	}
}

// TestRememberInstalls_refuses a file that it cannot read before it runs anything, and
// says what to do.
func TestRememberInstalls_refuses(t *testing.T) {
	const digest = `"sha256:00000000000000000000000000000000000000000000000000000000000000ff"`
	for _, c := range []struct{ name, content, words string }{
		{"an empty file", "", "damaged"},
		{"a part of a file", `{"format": 1, "installed": [{"extension": "a`, "damaged"},
		{"more than a file", `{"format": 1} {}`, "damaged"},
		{"a list", `[]`, "damaged"},
		{"a name that is none", `{"format": 1, "installed": [{"extension": "No Name", "digest": ` + digest + `}]}`, "damaged"},
		{"a digest that is none", `{"format": 1, "installed": [{"extension": "a", "digest": "ff"}]}`, "damaged"},
		{"no digest", `{"format": 1, "installed": [{"extension": "a"}]}`, "no digest of a"},
		{"no format", `{"installed": []}`, "format 0"},
		{"a newer format", `{"format": 2}`, "format 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "installs.json")
			if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
				t.Fatal(err)
			}
			var d diary
			_, err := mortise.Open(t.Context(), compose(t, d.counting("a", "")), mortise.RememberInstalls(file))
			if err == nil || !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), "installs.json") || !strings.Contains(err.Error(), "move it away") {
				t.Errorf("got %v, want %q, the file and what to do", err, c.words)
			}
			if after, _ := os.ReadFile(file); d.take() != "" || string(after) != c.content {
				t.Errorf("got %q written, want nothing run and nothing changed", after)
			}
		})
	}
	var d diary
	composed := compose(t, d.counting("a", ""))
	for name, words := range map[string]string{"": "names no file", filepath.Join(t.TempDir(), "none", "x.json"): "none", t.TempDir(): "is no file"} {
		if _, err := mortise.Open(t.Context(), composed, mortise.RememberInstalls(name)); err == nil || !strings.Contains(err.Error(), words) || d.take() != "" {
			t.Errorf("the file %q: got %v, want %q and nothing run", name, err, words)
		}
	}
}

// TestRememberInstalls_that_cannot_be_written: what is not remembered is not installed.
func TestRememberInstalls_that_cannot_be_written(t *testing.T) {
	dir := t.TempDir()
	var d diary
	c := compose(t, hooked("a", d.install("a1", func(context.Context) error { return os.RemoveAll(dir) }), d.teardown("a2", does(nil))))
	h, err := mortise.Open(t.Context(), c, mortise.RememberInstalls(filepath.Join(dir, "installs.json")))
	if got := d.take(); h != nil || err == nil || !strings.Contains(err.Error(), "remember what was installed") || got != "+a1 -a2" {
		t.Errorf("got %v and %q, want an error and what was installed torn down", err, got)
	}
	open(t, c)
	if got := d.take(); got != "+a1" {
		t.Errorf("the next Open: got %q, want it installed again", got)
	}
}

// installing names the file of a process that does nothing but TestAnotherProcessOpens.
const installing = "MORTISE_TEST_INSTALLS"

// TestAnotherProcessOpens is what processes of the test after it do: each has an
// extension of its own, and all have one.
func TestAnotherProcessOpens(t *testing.T) {
	file := os.Getenv(installing)
	if file == "" {
		t.Skip("it is for processes of TestRememberInstalls_of_many_processes")
	}
	log := func(name string) mortise.Contribution {
		return hooked(name, mortise.LifecycleHook{Name: "log", Phase: mortise.Install, Run: func(context.Context) error {
			f, err := os.OpenFile(file+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(f, name)
			return errors.Join(err, f.Close())
		}})
	}
	for i := range 5 {
		open(t, compose(t, log("shared"), log(fmt.Sprintf("own-%s-%d", os.Getenv(installing+"_OWN"), i))), mortise.RememberInstalls(file))
	}
}

// TestRememberInstalls_of_many_processes at once: what they share is installed once,
// and none loses what another one remembered.
func TestRememberInstalls_of_many_processes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "installs.json")
	var all sync.WaitGroup
	const processes = 4
	for range 2 { // and nothing is installed again
		for i := range processes {
			all.Go(func() {
				cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAnotherProcessOpens$")
				cmd.Env = append(os.Environ(), installing+"="+file, fmt.Sprintf("%s_OWN=%d", installing, i))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		all.Wait()
	}
	log, err := os.ReadFile(file + ".log")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, name := range strings.Fields(string(log)) {
		count[name]++
	}
	if len(count) != 1+5*processes {
		t.Errorf("got %v, want every extension installed", count)
	}
	for name, n := range count {
		if n != 1 {
			t.Errorf("%s was installed %d times, want once", name, n)
		}
	}
	if kept, _ := os.ReadFile(file); strings.Count(string(kept), `"digest"`) != len(count) {
		t.Errorf("got %s, want all of them remembered", kept)
	}
}

// TestRememberInstalls_waits_for_who_installs, and gives up with its context.
func TestRememberInstalls_waits_for_who_installs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "installs.json")
	entered, leave := make(chan bool), make(chan bool)
	var d diary
	slow := func() *mortise.Composed {
		return compose(t, hooked("a", d.install("a1", func(context.Context) error {
			close(entered)
			<-leave
			return nil
		})))
	}
	first, second := slow(), slow()
	var both sync.WaitGroup
	opens := func(c *mortise.Composed) {
		if _, err := mortise.Open(t.Context(), c, mortise.RememberInstalls(file)); err != nil {
			t.Error(err)
		}
	}
	both.Go(func() { opens(first) })
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := mortise.Open(ctx, second, mortise.RememberInstalls(file)); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "wait for who installs") {
		t.Errorf("who gives up: got %v", err)
	}
	both.Go(func() { opens(second) })
	close(leave)
	both.Wait()
	if got := d.take(); got != "+a1" {
		t.Errorf("got %q, want one of the two to install", got)
	}
}

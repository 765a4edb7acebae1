package mortise_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise"
)

func TestCheckProvider(t *testing.T) { mortise.CheckProvider(t, notes{}) }

// doing is a provider whose Contribute does something.
type doing func() mortise.Contribution

func (d doing) Contribute() mortise.Contribution { return d() }

// watched is a test that remembers what it was told.
type watched struct {
	*testing.T
	told []string
}

func (w *watched) Errorf(format string, args ...any) {
	w.told = append(w.told, fmt.Sprintf(format, args...))
}

// TestCheckProvider_finds holds the check to its purpose: each effect that a provider
// must not have is found.
func TestCheckProvider_finds(t *testing.T) {
	count := 0
	for _, c := range []struct {
		name  string
		do    func(t *testing.T) mortise.Contribution
		words string // "" is nothing
		linux bool   // it can be told there alone
	}{
		{name: "nothing", do: func(*testing.T) mortise.Contribution { return with("acme", aTool("x")) }},
		{name: "lifecycle hooks, which it runs none of", do: func(t *testing.T) mortise.Contribution {
			fails := func(context.Context) error {
				t.Error("a lifecycle hook was run")
				return nil
			}
			return hooked("acme", mortise.LifecycleHook{Name: "h", Phase: mortise.Install, Run: fails}, mortise.LifecycleHook{Name: "h", Phase: mortise.Teardown, Run: fails})
		}},
		{name: "another version each time", do: func(*testing.T) mortise.Contribution {
			count++
			return mortise.Contribution{Extension: "acme", Version: fmt.Sprint(count)}
		}, words: "one thing and then another"},
		{name: "a file in the working directory", do: func(*testing.T) mortise.Contribution {
			os.WriteFile("left", nil, 0o600)
			return with("acme")
		}, words: "left"},
		{name: "a file in the home", do: func(*testing.T) mortise.Contribution {
			home, _ := os.UserHomeDir()
			os.WriteFile(home+"/left", nil, 0o600)
			return with("acme")
		}, words: "left"},
		{name: "a variable", do: func(t *testing.T) mortise.Contribution {
			t.Setenv("MORTISE_LEFT", "1")
			return with("acme")
		}, words: "MORTISE_LEFT"},
		{name: "a connection", do: func(t *testing.T) mortise.Contribution {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return with("acme")
		}, words: "socket:", linux: true},
		{name: "an open file", do: func(t *testing.T) mortise.Contribution {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { f.Close() })
			return with("acme")
		}, words: os.DevNull, linux: true},
		{name: "a process that runs", do: func(t *testing.T) mortise.Contribution {
			p := exec.Command("sleep", "60")
			if err := p.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.Process.Kill(); p.Wait() })
			return with("acme")
		}, words: "the process", linux: true},
		{name: "a process that ended", do: func(t *testing.T) mortise.Contribution {
			if err := exec.Command("true").Run(); err != nil {
				t.Fatal(err)
			}
			return with("acme")
		}, words: "processes that ended", linux: true},
		{name: "another answer each time", do: func(*testing.T) mortise.Contribution {
			count++
			return with("acme", aTool(fmt.Sprintf("x%d", count)))
		}, words: "one thing and then another"},
		{name: "a panic", do: func(*testing.T) mortise.Contribution { panic("broken") }, words: "broken"},
		{name: "what cannot be composed", do: func(*testing.T) mortise.Contribution { return with("No Name") }, words: "cannot be composed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.linux && runtime.GOOS != "linux" {
				t.Skip("it cannot be told here")
			}
			w := &watched{T: t}
			mortise.CheckProvider(w, doing(func() mortise.Contribution { return c.do(t) }))
			if told := strings.Join(w.told, "\n"); (told == "") != (c.words == "") || !strings.Contains(told, c.words) {
				t.Errorf("got %q, want %q in it", told, c.words)
			}
		})
	}
}

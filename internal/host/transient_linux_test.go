package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/fulltest"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// TestLaw08_A_pass_that_the_system_does_not_answer has a host serve while too
// many files are open. What it read before must stay in use, also what adoption
// gave, and it must find its way back although no file changes.
func TestLaw08_A_pass_that_the_system_does_not_answer(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n",
		"acme/skills/one/SKILL.md":        skillText("one"),
		".mortise/skills/review/SKILL.md": skillText("review"),
	})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	place := host.Place{Workspace: ws}
	cfg, findings, err := place.Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	var unread atomic.Bool // the configuration
	synctest.Test(t, func(t *testing.T) {
		o := optionsOf(place, memstore.New(), nil, false)
		o.Configure = func(*config.Files) (*config.Config, ext.Findings, error) {
			if unread.Load() {
				return nil, nil, syscall.EMFILE
			}
			return cfg, findings, nil // so that what cannot be read are the extensions
		}
		h := host.New(o)
		adopt(t, h)
		g := refresh(t, h)
		var mu sync.Mutex
		var told []string
		defer h.SubscribeFaults(func(err error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprint(err))
		})()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Serve(ctx) }()
		synctest.Wait()

		room := fulltest.Files(t)
		if _, err := h.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "too many open files") {
			t.Errorf("a pass without files: got %v, want it to fail and say why", err)
		}
		if _, _, err := h.Propose(t.Context()); err == nil {
			t.Error("what adoption would give: got an answer, want none made of half a look")
		}
		if h.Now() != g || h.Fault() == nil {
			t.Errorf("got generation %d and fault %v, want %d kept and a fault", h.Now().Number, h.Fault(), g.Number)
		}
		room()
		time.Sleep(3 * time.Second) // of the bubble
		if now := h.Now(); now == g || now.Digest() != g.Digest() || h.Fault() != nil {
			t.Errorf("afterwards: got generation %d and fault %v, want the same content read anew", now.Number, h.Fault())
		}

		g = h.Now()
		unread.Store(true)
		if _, err := h.Refresh(t.Context()); !errors.Is(err, syscall.EMFILE) || h.Now() != g {
			t.Errorf("the configuration cannot be read: got %v and generation %d", err, h.Now().Number)
		}
		unread.Store(false)
		time.Sleep(3 * time.Second)
		if h.Now() == g || h.Fault() != nil {
			t.Errorf("afterwards: got fault %v, want another generation", h.Fault())
		}
		mu.Lock()
		if len(told) != 4 || told[0] == "<nil>" || told[1] != "<nil>" || told[2] == "<nil>" || told[3] != "<nil>" {
			t.Errorf("told: got %q, want each fault, and each end of one, once", told)
		}
		mu.Unlock()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestLookWithoutFiles wants a look at what the system does not answer to list
// what is named, and to say what was wrong.
func TestLookWithoutFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":             "[plugins.acme]\npath = \"./acme\"\n",
		"acme/skills/one/SKILL.md": skillText("one"),
	})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	place := host.Place{Workspace: ws}
	cfg, findings, err := place.Configure(nil)
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(place, memstore.New(), nil, true)
	o.Configure = func(*config.Files) (*config.Config, ext.Findings, error) { return cfg, findings, nil }
	h := host.New(o)
	room := fulltest.Files(t)
	l := refresh(t, h).Listing()
	room()
	i := slices.IndexFunc(l.Extensions, func(x host.ExtensionRow) bool { return x.Name == "acme" })
	if i < 0 || l.Extensions[i].Status != "refused" || !slices.Contains(codes(l), "system-busy") {
		t.Errorf("got %+v with %v, want acme refused with system-busy", l.Extensions, codes(l))
	}
	if l := refresh(t, h).Listing(); slices.Contains(codes(l), "system-busy") {
		t.Errorf("afterwards: got %v, want what was read in vain read again", codes(l))
	}
}

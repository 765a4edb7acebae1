package host_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/fulltest"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
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

// TestLaw08_A_file_that_a_disk_never_gives wants a host to go on with what it
// read before for a while, and then to take the one file for what it is: else
// whoever can put such a file into the workspace takes the host out of service.
func TestLaw08_A_file_that_a_disk_never_gives(t *testing.T) {
	const unreadable = "/proc/self/mem" // its first page is not there
	if _, err := os.ReadFile(unreadable); !errors.Is(err, syscall.EIO) {
		t.Skipf("%s: got %v, want %v", unreadable, err, syscall.EIO)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"mortise.toml":                    "",
		".mortise/skills/review/SKILL.md": skillText("review"),
		".mortise/skills/broken/SKILL.md": skillText("broken"),
	})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		h := host.New(optionsOf(host.Place{Workspace: ws}, memstore.New(), nil, false))
		adopt(t, h)
		g := refresh(t, h)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Serve(ctx) }()
		synctest.Wait()
		broken := filepath.Join(dir, ".mortise/skills/broken/SKILL.md")
		if err := errors.Join(os.Remove(broken), os.Symlink(unreadable, broken)); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), filepath.Join(dir, ".mortise")) {
			t.Errorf("got %v, want the pass to fail and to say where", err)
		}
		time.Sleep(20 * time.Second)
		if h.Now() != g || h.Fault() == nil {
			t.Errorf("after 20 s: got generation %d, want %d kept", h.Now().Number, g.Number)
		}
		time.Sleep(time.Minute)
		l := h.Now().Listing()
		if status(l, "owner:review") != "active" || status(l, "owner:broken") != "refused" {
			t.Errorf("after a while: got review %s and broken %s with %v, want the broken one alone refused", status(l, "owner:review"), status(l, "owner:broken"), codes(l))
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestLaw08_A_workspace_that_is_gone wants a host to keep what it serves, and to
// say so, while its directory is away.
func TestLaw08_A_workspace_that_is_gone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "w")
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")})
	h := open(t, dir, memstore.New(), nil)
	adopt(t, h)
	g := refresh(t, h)
	if err := os.Rename(dir, dir+"2"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "put it back") || h.Now() != g {
		t.Errorf("got %v and generation %d, want an error that says what to do, and %d kept", err, h.Now().Number, g.Number)
	}
	if err := os.Rename(dir+"2", dir); err != nil {
		t.Fatal(err)
	}
	if now := refresh(t, h); now.Digest() != g.Digest() {
		t.Error("put back: got another composition")
	}
}

// dim is a directory of which a system that was asked too much told nothing.
type dim struct{ fstest.MapFS }

func (dim) Transient() error { return syscall.EMFILE }

// only yields one tree.
type only struct{ tree ext.Tree }

func (only) Name() string { return "path:./acme" }
func (o only) Trees(context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) { yield(o.tree, nil) }
}

// TestLaw08_A_format_that_was_not_told wants a directory that only seemed to be of
// a format that is not read, since the system did not answer, to count as not
// answered: as such it would be left out without a word.
func TestLaw08_A_format_that_was_not_told(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": ""})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	o := optionsOf(host.Place{Workspace: ws}, memstore.New(), nil, false)
	tree := ext.Tree{Extension: "acme", Format: "codex", Unread: true, Origin: ext.Origin{Extension: "acme", Source: "path:./acme", Trust: ext.Plugin}}
	var fsys fs.FS = fstest.MapFS{}
	o.Sources = func(*config.Config, bool, []state.Description) []ext.Source {
		tree.FS = fsys
		return []ext.Source{only{tree}}
	}
	h := host.New(o)
	g := refresh(t, h)
	fsys = dim{}
	if _, err := h.Refresh(t.Context()); err == nil || h.Now() != g {
		t.Errorf("got %v and generation %d, want a pass that fails", err, h.Now().Number)
	}
}

// TestFaultsAreToldOnce has the state change while passes fail: one fault is told
// once, in whichever way it is met.
func TestFaultsAreToldOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": ""})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	place := host.Place{Workspace: ws}
	var unread atomic.Bool
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		o := optionsOf(place, store, nil, false)
		o.Configure = func(instead *config.Files) (*config.Config, ext.Findings, error) {
			if unread.Load() {
				return nil, nil, errors.New("no")
			}
			return place.Configure(instead)
		}
		h := host.New(o)
		refresh(t, h)
		var told atomic.Int32
		defer h.SubscribeFaults(func(error) { told.Add(1) })()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Serve(ctx) }()
		synctest.Wait()
		unread.Store(true)
		if err := store.Update(ctx, func(s *state.Snapshot) error {
			s.Put(state.Switch{Extension: "x", By: "tester", At: time.Now()})
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := told.Load(); n != 1 || h.Fault() == nil {
			t.Errorf("told %d times of %v, want once", n, h.Fault())
		}
		unread.Store(false)
		time.Sleep(time.Minute)
		if n := told.Load(); n != 2 || h.Fault() != nil {
			t.Errorf("mended: told %d times, fault %v, want its end told", n, h.Fault())
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

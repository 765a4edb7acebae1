package mortise

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
)

// version is an extension as it is contributed: what its install hooks are run once
// for.
type version struct {
	Extension ext.Name   `json:"extension"`
	Digest    ext.Digest `json:"digest"`
}

func (p *part) version() version { return version{p.name, p.holds.Digest} }

// digest is of all that is contributed, of which the files are one part.
func (c *Contribution) digest(files ext.Digest) ext.Digest {
	if c.Version == "" && len(c.Lifecycle) == 0 {
		return files
	}
	h := ext.NewHash("contribution").Digest(files).Text(c.Version).Int(len(c.Lifecycle))
	for _, hook := range c.Lifecycle {
		h.Text(hook.Name, string(hook.Phase)).Int(int(hook.Timeout))
	}
	return h.Sum()
}

// hook takes a lifecycle hook, if it can be run.
func (l *layout) hook(h *LifecycleHook) {
	name := ext.Quote(ext.Shorten(h.Name, 80))
	switch {
	case !plainName(h.Name):
		l.findings.Add(checkName.At(l.origin, "the name of the lifecycle hook %s is not of 1 to 64 letters, digits, '_' and '-'", name))
	case h.Phase != Install && h.Phase != Teardown:
		l.findings.Add(checkPhase.At(l.origin, "the lifecycle hook %s is of the phase %s, and there are %s and %s", name, ext.Quote(ext.Shorten(string(h.Phase), 80)), Install, Teardown))
	case h.Run == nil:
		l.findings.Add(checkFunction.At(l.origin, "the lifecycle hook %s (%s) has no function Run", name, h.Phase))
	case slices.ContainsFunc(l.lifecycle, func(o LifecycleHook) bool { return o.Name == h.Name && o.Phase == h.Phase }):
		l.findings.Add(checkTwice.At(l.origin, "two lifecycle hooks of the phase %s are called %s", h.Phase, name))
	default:
		l.lifecycle = append(l.lifecycle, *h)
	}
}

// installs is what a composition knows of the install hooks that ran.
type installs struct {
	turn chan struct{} // holds one thing while somebody opens a host
	ran  map[version]bool
}

func newInstalls() *installs {
	return &installs{turn: make(chan struct{}, 1), ran: map[version]bool{}}
}

// enter waits until nobody else opens a host. What is known may be used until leave.
func (i *installs) enter(ctx context.Context) error {
	select {
	case i.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (i *installs) leave() { <-i.turn }

// RememberInstalls has [Open] keep in a file which install hooks ran, so that they run
// once for all processes that name it, whatever they compose: while one installs the
// others wait. A file that is not there is one of nothing; its directory must exist.
// Beside it lies one with the ending ".lock", which stays. Nothing is written unless
// all install hooks succeeded, and Open fails before it runs any when the file cannot
// be read.
func RememberInstalls(file string) HostOption {
	return func(h *Host) { h.memory = &memory{file} }
}

// memory is a file that keeps which install hooks ran. A nil one keeps nothing.
type memory struct{ path string }

const (
	memoryFormat = 1
	mostKept     = 16 << 20              // bytes
	lockPause    = 20 * time.Millisecond // between looks whether a lock is free
)

type memoryFile struct {
	Format    int       `json:"format"`
	Installed []version `json:"installed"`
}

// open reads the memory, which is nobody else's until release.
func (m *memory) open(ctx context.Context) (kept map[version]bool, release func(), err error) {
	if m == nil {
		return nil, func() {}, nil
	}
	if m.path == "" {
		return nil, nil, ext.AsUsage(errors.New("RememberInstalls names no file"))
	}
	f, err := lockFile(ctx, m.path+".lock")
	if err != nil {
		return nil, nil, fmt.Errorf("wait for who installs: %w", err)
	}
	kept, err = m.read()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return kept, func() { f.Close() }, nil
}

// lockFile opens a file and waits until nobody else has it locked. To close the file,
// or to end, gives the lock back.
func lockFile(ctx context.Context, name string) (*os.File, error) {
	f, err := openLock(name)
	if err != nil {
		return nil, err
	}
	for {
		err := tryLock(f)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, errHeld) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", ext.Quote(name), err)
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

var errHeld = errors.New("another one has the lock")

func (m *memory) read() (map[version]bool, error) {
	f, err := file.Open(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[version]bool{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was installed: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostKept+1))
	if err != nil {
		return nil, fmt.Errorf("read what was installed: %w", err)
	}
	kept, err := parseMemory(data)
	if err != nil {
		return nil, fmt.Errorf("read what was installed from %s: %w; put back a copy of it, or move it away to have every install hook run again", ext.Quote(m.path), err)
	}
	return kept, nil
}

func parseMemory(data []byte) (map[version]bool, error) {
	if len(data) > mostKept {
		return nil, fmt.Errorf("it is larger than %d bytes", mostKept)
	}
	var w memoryFile
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if w.Format != memoryFormat {
		return nil, fmt.Errorf("it is of format %d, and this version reads %d", w.Format, memoryFormat)
	}
	kept := map[version]bool{}
	for _, v := range w.Installed {
		if _, err := ext.ParseName(string(v.Extension)); err != nil {
			return nil, fmt.Errorf("it is damaged: %w", err)
		}
		if v.Digest == (ext.Digest{}) {
			return nil, fmt.Errorf("it is damaged: no digest of %s", v.Extension)
		}
		kept[v] = true
	}
	return kept, nil
}

// add writes what was kept and what is new, if any of that is. It is called between
// open and release.
func (m *memory) add(kept map[version]bool, new []version) error {
	if m == nil || !slices.ContainsFunc(new, func(v version) bool { return !kept[v] }) {
		return nil
	}
	all := maps.Clone(kept)
	for _, v := range new {
		all[v] = true
	}
	w := memoryFile{memoryFormat, slices.SortedFunc(maps.Keys(all), func(a, b version) int {
		return cmp.Or(cmp.Compare(a.Extension, b.Extension), slices.Compare(a.Digest[:], b.Digest[:]))
	})}
	data, err := json.MarshalIndent(w, "", "\t")
	if err == nil {
		err = file.ReplaceSynced(m.path, append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("remember what was installed: %w", err)
	}
	return nil
}

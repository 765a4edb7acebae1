package checkout

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Hold keeps checkouts from being swept as long as this process runs, or until Close: a
// program that was started from one may read its files at any time, also after another
// one took its place. What was held once stays held.
type Hold struct {
	store Store
	name  string
	mu    sync.Mutex
	keys  []Key
}

// holds counts the Holds of this process, each of which has a file of its own.
var holds atomic.Uint64

// Hold begins to hold nothing.
func (s Store) Hold() *Hold {
	p := self()
	return &Hold{store: s, name: fmt.Sprintf(".held-%d-%d-%d-%d", p.Pid, p.Started, p.Space, holds.Add(1))}
}

// Add holds more. Where that cannot be written down it is an error, and they are not held.
func (h *Hold) Add(keys ...Key) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := slices.Clone(h.keys)
	for _, k := range keys {
		if !slices.Contains(all, k) && k.check() == nil {
			all = append(all, k)
		}
	}
	if len(all) == len(h.keys) {
		return nil
	}
	if err := os.MkdirAll(h.store.Dir, 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := file.Replace(filepath.Join(h.store.Dir, h.name), data); err != nil {
		return fmt.Errorf("write down which checkouts are used: %w", err)
	}
	h.keys = all
	return nil
}

// Close lets go of all. More may be held afterwards.
func (h *Hold) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.keys == nil {
		return nil
	}
	h.keys = nil
	if err := os.Remove(filepath.Join(h.store.Dir, h.name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

var heldRE = pattern.New(`^\.held-(\d+)-(\d+)-(\d+)-\d+$`)

// mostHeld is the most that is read of what a process holds.
const mostHeld = 1 << 20

// held adds what living processes hold to what is used. The note of one that is gone is
// removed. One that cannot be read is an error: nothing may be swept then.
func (s Store) held(top *os.Root, entries []fs.DirEntry, used map[Key]bool) error {
	for _, e := range entries {
		by, ok := processIn(heldRE, e.Name())
		if !ok {
			continue
		}
		if by.gone() {
			if err := top.Remove(e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		keys, err := readHeld(top, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was closed just now
		}
		if err != nil {
			return fmt.Errorf("see which checkouts process %d uses: %s: %w", by.Pid, ext.Quote(filepath.Join(s.Dir, e.Name())), err)
		}
		for _, k := range keys {
			used[k] = true
		}
	}
	return nil
}

func readHeld(top *os.Root, name string) (keys []Key, err error) {
	f, err := top.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostHeld))
	if err == nil {
		err = json.Unmarshal(data, &keys)
	}
	return keys, err
}

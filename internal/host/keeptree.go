package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/state"
)

// KeepTrees keeps trees under their digests: those of plugins whose programs guard,
// so that the last version that was granted can answer.
type KeepTrees interface {
	// Put keeps a copy of a directory that has a digest. What is there already stays.
	Put(ctx context.Context, tree ext.Digest, dir string) error
	// Dir is where the tree of a digest is; "" where it is not, or not as it was.
	Dir(tree ext.Digest) string
	// Sweep removes the trees that are not used, unless they were kept just now.
	Sweep(used map[ext.Digest]bool)
}

// KeepTreesIn keeps trees in directories of a directory, which is made when there is
// something to keep. Only the person may look into it.
func KeepTreesIn(dir string) KeepTrees { return &folderTrees{dir: dir} }

type folderTrees struct{ dir string }

func (k *folderTrees) at(d ext.Digest) string {
	return filepath.Join(k.dir, strings.TrimPrefix(d.String(), "sha256:"))
}

// Put copies beside and renames, so that what is there is whole, and keeps nothing
// that is not what its digest says.
func (k *folderTrees) Put(ctx context.Context, tree ext.Digest, dir string) error {
	if k.Dir(tree) != "" {
		return nil
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return err
	}
	next := filepath.Join(k.dir, ".new-"+rand.Text()[:12])
	defer os.RemoveAll(next) //nolint:errcheck // it is gone where it was renamed
	if err := discover.Copy(ctx, dir, next); err != nil {
		return err
	}
	switch is, err := discover.Digest(ctx, next); {
	case err != nil:
		return err
	case is != tree:
		return errors.New("it changed since it was read")
	}
	if err := os.RemoveAll(k.at(tree)); err != nil { // one that is not as it was
		return err
	}
	if err := os.Rename(next, k.at(tree)); err != nil && k.Dir(tree) == "" {
		return err
	}
	return nil
}

// Dir reads the tree whole to see whether it is what was kept.
func (k *folderTrees) Dir(tree ext.Digest) string {
	at := k.at(tree)
	if is, err := discover.Digest(context.Background(), at); err != nil || is != tree {
		return ""
	}
	return at
}

// recent is how long a tree is left alone whose record may not be written yet.
const recent = time.Hour

// Sweep removes what it made and nobody needs, and what is left of copies that were
// not finished.
func (k *folderTrees) Sweep(used map[ext.Digest]bool) {
	entries, err := os.ReadDir(k.dir)
	if err != nil {
		return
	}
	keep := map[string]bool{}
	for d := range used {
		keep[filepath.Base(k.at(d))] = true
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || keep[e.Name()] || time.Since(info.ModTime()) < recent || !ofTrees(e.Name()) {
			continue
		}
		_ = os.RemoveAll(filepath.Join(k.dir, e.Name()))
	}
}

// ofTrees reports whether a name is one that we give here.
func ofTrees(name string) bool {
	if raw, err := hex.DecodeString(name); err == nil {
		return len(raw) == len(ext.Digest{})
	}
	return strings.HasPrefix(name, ".new-")
}

// sweepTrees removes the kept trees that no guard that is remembered needs.
func (h *Host) sweepTrees(s *state.Snapshot) {
	if h.options.Trees == nil || h.options.Keep == nil {
		return
	}
	used := map[ext.Digest]bool{}
	for _, r := range s.Guards {
		if t := guard.Recall(r, h.options.Keep.Get(r.Code)).Tree; t != (ext.Digest{}) {
			used[t] = true
		}
	}
	h.options.Trees.Sweep(used)
}

// keepTree keeps the tree that the program of a guard lies in. One that cannot be
// kept costs no more than that: where it is needed, the guard denies.
func (h *Host) keepTree(g *Generation, m *guard.Memento) {
	if h.options.Trees == nil || m.Tree == (ext.Digest{}) || m.Root == "" {
		return
	}
	if err := h.options.Trees.Put(context.Background(), m.Tree, m.Root); err != nil {
		h.Notice(fmt.Errorf("keep the code of %s, which guards: %w; while it is not in use as it is now, it denies what it guards",
			ext.Escape(ext.Qualified(m.Record.Extension, m.Record.Name)), err))
	}
}

// Package copies finds what an earlier publisher copied from plugins into the owner's
// directory, and moves it away where it is a copy to the byte: the plugin is read where it
// lies, and its copy only shadows it and grows old. What differs by a byte is the owner's.
package copies

import (
	"context"
	"crypto/sha1" //nolint:gosec // git's ids, not a protection
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/git"
)

// Unit is something whole in the owner's directory: a directory of a skill, a task or an
// affordance, a file of a notification, or what a publisher listed.
type Unit struct {
	Path    string // below the owner's directory, with slashes
	Plugin  string // that it is a copy of; "" where that is not known
	Move    bool   // it is a copy, and may be moved away
	Tracked bool   // git tracks something of it
	Why     string // why it may be moved, or is left

	is git.Files // what it holds, where it may be moved
}

// kinds are the directories of which each entry is a unit; files says that it is a file.
var kinds = []struct {
	dir   string
	files bool
}{{"skills", false}, {"tasks", false}, {"affordances", false}, {"notifications", true}}

// Plugin is something installed, with every state that a unit had in it.
type Plugin struct {
	Name string
	// Had are the states of paths such as skills/deploy, at any commit.
	Had map[string][]git.Files
	// Unknown says why the states are not known; "" where they are.
	Unknown string
}

// Look is a look at the owner's directory.
type Look struct {
	Owner     *os.Root
	Plugins   []Plugin
	Published map[string]string // what a publisher listed: paths below Owner, and the plugin, or ""
	Copied    map[string]bool   // paths that the owner copied by a command of ours
	Tracked   map[string]bool   // paths of which git tracks something
}

// Candidates are the paths of all units of an owner's directory, and of those of published
// that are there, sorted.
func Candidates(owner *os.Root, published map[string]string) ([]string, error) {
	var all []string
	for _, k := range kinds {
		info, err := owner.Lstat(k.dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			all = append(all, k.dir) // it is named, and left
			continue
		}
		var entries []fs.DirEntry
		if err == nil {
			entries, err = fs.ReadDir(owner.FS(), k.dir)
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() != k.files {
				all = append(all, k.dir+"/"+e.Name())
			}
		}
	}
	for p := range published {
		if _, err := owner.Lstat(p); err == nil && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all, nil
}

// Judge says of each unit whether it is a copy. What nothing is known of is the owner's,
// and is not in the answer.
func (l *Look) Judge(ctx context.Context, paths []string) ([]Unit, error) {
	var out []Unit
	for _, p := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		u, known, err := l.one(p)
		if err != nil {
			return nil, fmt.Errorf("look at %s: %w", ext.Quote(p), err)
		}
		if known {
			u.Tracked = l.Tracked[p]
			out = append(out, u)
		}
	}
	return out, nil
}

// one judges one unit; known is false where no plugin and no list speaks of it.
func (l *Look) one(p string) (u Unit, known bool, err error) {
	u.Path = p
	if isKind(p) {
		u.Why = "it is a link, and what lies behind it is elsewhere"
		return u, true, nil
	}
	by, listed := l.Published[p]
	u.Plugin = by
	differs, unknown := "", ""
	for n := range l.Plugins {
		x := &l.Plugins[n]
		states := x.Had[p]
		if x.Unknown != "" {
			unknown = x.Name + ": " + x.Unknown
		}
		if len(states) == 0 {
			continue
		}
		same, err := l.same(p, states)
		if err != nil {
			return u, false, err
		}
		if same {
			u.Plugin, u.Move = x.Name, true
			break
		}
		differs, u.Plugin = x.Name, x.Name
	}
	switch {
	case u.Move:
		u.Why = "it is to the byte what " + u.Plugin + " has, or had at some commit"
	case differs != "":
		u.Why = "it differs from what " + differs + " has at every commit, so that it is yours"
		return u, true, nil
	case unknown != "" && (listed || u.Plugin != ""):
		u.Why = "it cannot be told whether it is a copy: " + unknown
		return u, true, nil
	case listed:
		u.Move, u.Why = true, "a publisher lists it"
	default:
		return u, false, nil
	}
	if err := l.keep(&u); err != nil || !u.Move {
		return u, true, err
	}
	u.is, err = l.state(p, false)
	return u, true, err
}

// state is what a unit holds: the ids of its files, long ones as of a repository with
// SHA-256.
func (l *Look) state(p string, long bool) (git.Files, error) {
	info, err := l.Owner.Lstat(p)
	if err != nil {
		return nil, err
	}
	names := []string{""}
	if info.IsDir() {
		if names, err = l.files(p); err != nil {
			return nil, err
		}
	}
	out := git.Files{}
	for _, n := range names {
		if out[n], err = l.id(path.Join(p, n), long); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// keep leaves what must not be moved, whatever it is equal to.
func (l *Look) keep(u *Unit) error {
	if l.Copied[u.Path] {
		u.Move, u.Why = false, "you copied it yourself (mortise task copy)"
		return nil
	}
	info, err := l.Owner.Lstat(u.Path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		u.Move, u.Why = false, "it is a link, and what it leads to lies elsewhere"
		return nil
	}
	if !info.IsDir() {
		return nil
	}
	names, err := l.files(u.Path)
	if err != nil {
		return err
	}
	for p := range l.Copied {
		if strings.HasPrefix(p, u.Path+"/") {
			u.Move, u.Why = false, "something below it you copied yourself"
			return nil
		}
	}
	if slices.ContainsFunc(names, func(n string) bool { return slices.Contains(strings.Split(n, "/"), ".git") }) {
		u.Move, u.Why = false, "it holds a repository of its own"
		return nil
	}
	if !slices.ContainsFunc(names, func(n string) bool { return !licence(n) }) {
		u.Move, u.Why = false, "it is empty, or holds nothing but a licence"
	}
	return nil
}

// licence reports whether a file says no more than what may be done with others.
func licence(name string) bool {
	base := strings.ToUpper(path.Base(name))
	for _, word := range []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"} {
		if base == word || strings.HasPrefix(base, word+".") {
			return true
		}
	}
	return false
}

// files are the paths of all files and links in a directory, below it.
func (l *Look) files(dir string) (names []string, err error) {
	err = fs.WalkDir(l.Owner.FS(), dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(p, dir+"/"))
		}
		return err
	})
	return names, err
}

// same reports whether a unit is in one of these states.
func (l *Look) same(p string, states []git.Files) (bool, error) {
	is := map[bool]git.Files{} // by whether ids are long
	for _, s := range states {
		long := idsAreLong(s)
		if is[long] == nil {
			var err error
			if is[long], err = l.state(p, long); err != nil {
				return false, err
			}
		}
		if maps.Equal(is[long], s) {
			return true, nil
		}
	}
	return false, nil
}

func idsAreLong(s git.Files) bool {
	for _, id := range s {
		return len(id) == 64
	}
	return false
}

// id is what git calls the content of a file, or of a link.
func (l *Look) id(p string, long bool) (string, error) {
	var h hash.Hash = sha1.New() //nolint:gosec // git's ids
	if long {
		h = sha256.New()
	}
	info, err := l.Owner.Lstat(p)
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := l.Owner.Readlink(p)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "blob %d\x00%s", len(to), to)
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if !info.Mode().IsRegular() {
		return "it is no file", nil
	}
	f, err := l.Owner.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Present are the states of paths in a directory as it is: of what lies at them, and at
// them below ours, the namespace of this host.
func Present(dir string, paths []string, ours string) (map[string][]git.Files, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	l := Look{Owner: r}
	found := map[string][]git.Files{}
	for _, p := range paths {
		for _, at := range []string{p, ours + "/" + p} {
			if _, err := r.Lstat(at); err != nil {
				continue // it is not there, or lies behind a link that leads out
			}
			ids, err := l.state(at, false)
			if err != nil {
				return nil, err
			}
			found[p] = append(found[p], ids)
		}
	}
	return found, nil
}

// ReadPublished reads a publisher's list: one path below the owner's directory a line, with
// the plugin behind a tab where it says that; "#" begins a comment.
func ReadPublished(text string) (map[string]string, error) {
	out := map[string]string{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		p, plugin, _ := strings.Cut(strings.TrimSpace(line), "\t")
		p = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(p), "./"), "/")
		if p == "" {
			continue
		}
		if !fs.ValidPath(p) || p == "." {
			return nil, ext.AsUsage(fmt.Errorf("line %d of the list: %s is no path below the owner's directory", n, ext.Quote(p)))
		}
		if top, rest, deeper := strings.Cut(p, "/"); slices.Contains(strings.Split(p, "/"), ".git") || isKind(top) && (!deeper || strings.Contains(rest, "/")) {
			return nil, ext.AsUsage(fmt.Errorf("line %d of the list: %s is no whole unit; name each, as skills/NAME", n, ext.Quote(p)))
		}
		out[p] = strings.TrimSpace(plugin)
	}
	return out, nil
}

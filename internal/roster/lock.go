package roster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/state"
)

// LockFile is the name of the lock file, at the top of a workspace.
const LockFile = "mortise.lock"

// mostLock is the largest lock file that is read.
const mostLock = 1 << 20

// Locked is one plugin as a lock file has it.
type Locked struct {
	Name   ext.Name
	Kind   string // state.Git or state.Archive
	Source string
	Within string
	Ref    string
	Commit string // of an archive its SHA-256
	Digest ext.Digest
	Market string
	// Submodules says that the digest is of what the submodules name as well.
	Submodules bool
	Note       string // signed; "" is none
	Line       int    // of the file
}

// lockTable is how a plugin is written.
type lockTable struct {
	Source string `toml:"source"`
	Path   string `toml:"path,omitempty"`
	Ref    string `toml:"ref,omitempty"`
	Commit string `toml:"commit,omitempty"`
	SHA256 string `toml:"sha256,omitempty"`
	Digest string `toml:"digest"`
	Market string `toml:"market,omitempty"`
	With   bool   `toml:"submodules,omitempty"`
	Note   string `toml:"note,omitempty,multiline"`
}

var lockKeys = []string{"source", "path", "ref", "commit", "sha256", "digest", "market", "submodules", "note"}

const lockHead = `# What is installed for this workspace, exactly. Written by mortise plugin lock, for you
# to commit; mortise plugin sync makes a machine match it.
`

// ReadLock reads the lock file of a workspace. The error is fs.ErrNotExist where there is
// none; else it names file and line of everything that is wrong, and then nothing of it
// counts.
func ReadLock(dir string) ([]Locked, error) {
	data, err := file.ReadAtMost(filepath.Join(dir, LockFile), mostLock)
	if err != nil {
		return nil, err
	}
	root, faults := doc.TOML(ext.Origin{Path: LockFile}, data)
	r := lockReader{}
	for _, f := range faults {
		if f.Check.Severity >= ext.Error {
			r.fault(f.Origin.Line, "%s", f.Message)
		}
	}
	if r.errs == nil {
		r.root(&root)
	}
	return r.all, errors.Join(r.errs...)
}

// lockReader reads a lock file and collects what is wrong with it.
type lockReader struct {
	all  []Locked
	errs []error
}

func (r *lockReader) fault(line int, format string, args ...any) {
	const most = 20
	if len(r.errs) == most {
		r.errs = append(r.errs, fmt.Errorf("%s: and more", LockFile))
	}
	if len(r.errs) > most {
		return
	}
	r.errs = append(r.errs, fmt.Errorf("%s:%d: %s", LockFile, line, fmt.Sprintf(format, args...)))
}

func (r *lockReader) root(root *ext.Doc) {
	version := root.Get("version")
	switch {
	case version == nil:
		r.fault(1, "it says no version; this program writes version = 1")
	case version.Text != "1" || version.Kind != ext.Number:
		r.fault(version.Line, "its version is %s, and this program knows 1", ext.Quote(ext.Shorten(version.Text, 20)))
		return
	}
	for _, p := range root.Map {
		switch {
		case p.Key == "version":
		case p.Key == "plugins" && p.Value.Kind == ext.Map:
			for _, one := range p.Value.Map {
				r.plugin(one)
			}
		default:
			r.fault(p.Line, "unknown key %s; there are version and [plugins.NAME]", ext.Quote(ext.Shorten(p.Key, 80)))
		}
	}
}

func (r *lockReader) plugin(p ext.Pair) {
	l := Locked{Kind: state.Git, Line: p.Line}
	name, err := ext.ParseName(p.Key)
	if err != nil || p.Value.Kind != ext.Map || slices.Contains(ext.Reserved, name) {
		r.fault(p.Line, "[plugins.%s] is no table of a plugin's name", ext.Escape(ext.Shorten(p.Key, 80)))
		return
	}
	l.Name = name
	was := len(r.errs)
	for _, k := range p.Value.Map {
		if k.Key == "submodules" {
			if k.Value.Kind != ext.Bool {
				r.fault(k.Line, "submodules of %s is true or false", l.Name)
			}
			l.Submodules = k.Value.Text == "true"
			continue
		}
		if k.Value.Kind != ext.String {
			r.fault(k.Line, "%s must be a string", ext.Escape(ext.Shorten(k.Key, 80)))
			continue
		}
		r.key(&l, k)
	}
	switch {
	case len(r.errs) > was:
	case l.Source == "" || l.Commit == "" || l.Digest == (ext.Digest{}):
		r.fault(p.Line, "%s needs source, digest, and commit or sha256", name)
	case l.Within != "" && !fs.ValidPath(l.Within):
		r.fault(p.Line, "the path of %s leads out of its source", name)
	default:
		r.source(&l)
	}
	r.all = append(r.all, l)
}

// source refuses what is no address: a path means something else on each machine.
func (r *lockReader) source(l *Locked) {
	if l.Kind == state.Archive {
		if l.Submodules {
			r.fault(l.Line, "%s is an archive, which has no submodules", l.Name)
		}
		if _, err := archiveAddress(l.Source); err != nil {
			r.fault(l.Line, "%s: %s", l.Name, err)
		}
		return
	}
	if _, ref, err := git.Parse(l.Source, git.Allow{Local: true}); err != nil || ref != "" || git.IsPath(l.Source) {
		r.fault(l.Line, "%s: %s is no address without a reference", l.Name, ext.Quote(ext.Shorten(l.Source, 200)))
	}
}

func (r *lockReader) key(l *Locked, k ext.Pair) {
	text := k.Value.Text
	switch k.Key {
	case "source":
		l.Source = text
	case "path":
		l.Within = text
	case "ref":
		l.Ref = text
	case "market":
		l.Market = text
	case "note":
		l.Note = text
	case "commit", "sha256":
		if l.Commit != "" {
			r.fault(k.Line, "%s has commit or sha256, and not both", l.Name)
		}
		if l.Commit = text; !git.IsCommit(text) || k.Key == "sha256" && len(text) != 64 {
			r.fault(k.Line, "%s of %s is no whole hash in hexadecimal", k.Key, l.Name)
		}
		if k.Key == "sha256" {
			l.Kind = state.Archive
		}
	case "digest":
		if err := l.Digest.UnmarshalText([]byte(text)); err != nil {
			r.fault(k.Line, "digest of %s: %s", l.Name, err)
		}
	default:
		say := ""
		if near := spelling.Nearest(k.Key, lockKeys); near != "" {
			say = "; did you mean " + near + "?"
		}
		r.fault(k.Line, "unknown key %s of %s%s", ext.Quote(ext.Shorten(k.Key, 80)), l.Name, say)
	}
}

// Lockable are the lines for one workspace as a lock file has them, and those that none
// can have: directories and archives of this machine. Notes of before are kept where they
// are about the same.
func Lockable(all []state.Installed, workspace string, before []Locked) (locked []Locked, left []state.Installed) {
	for _, i := range all {
		switch {
		case i.Scope != workspace:
			continue
		case i.Kind == state.Linked, i.Kind == state.Archive && git.IsPath(i.Source):
			left = append(left, i)
			continue
		}
		l := Locked{Name: i.Name, Kind: i.Kind, Source: i.Source, Within: i.Within, Ref: i.Ref, Commit: i.Commit, Digest: i.Digest, Market: i.Market, Submodules: i.Submodules}
		for _, b := range before {
			if b.Name == l.Name && b.Commit == l.Commit && b.Digest == l.Digest {
				l.Note = b.Note
			}
		}
		locked = append(locked, l)
	}
	return locked, left
}

// WriteLock writes the lock file of a workspace. changed is false where it says that
// already.
func WriteLock(dir string, all []Locked) (changed bool, err error) {
	out := struct {
		Version int                  `toml:"version"`
		Plugins map[string]lockTable `toml:"plugins"`
	}{1, map[string]lockTable{}}
	for _, l := range all {
		t := lockTable{Source: l.Source, Path: l.Within, Ref: l.Ref, Commit: l.Commit, Digest: l.Digest.String(), Market: l.Market, With: l.Submodules, Note: l.Note}
		if l.Kind == state.Archive {
			t.Commit, t.SHA256 = "", l.Commit
		}
		out.Plugins[string(l.Name)] = t
	}
	text, err := toml.Marshal(out)
	if err != nil {
		return false, err
	}
	text = append([]byte(lockHead), text...)
	at := filepath.Join(dir, LockFile)
	switch info, err := os.Lstat(at); {
	case err == nil && !info.Mode().IsRegular():
		return false, ext.AsRefused(fmt.Errorf("%s is no file; move it away", ext.Quote(at)))
	case err == nil:
		if was, err := os.ReadFile(at); err == nil && string(was) == string(text) {
			return false, nil
		}
	}
	if err := file.Replace(at, text); err != nil {
		return false, fmt.Errorf("write %s: %w", LockFile, err)
	}
	return true, os.Chmod(at, 0o644) //nolint:gosec // it is to be committed, and shared
}

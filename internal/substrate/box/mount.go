package box

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/hook/box"
	"github.com/mortise-dev/mortise/internal/plan"
)

// fence is what no mount leads to.
type fence struct {
	whole []string // may not be mounted, nor what contains it
	never []string // nor what lies in it
	ours  []string // Mortise's own: nor what lies in it, but for what is an extension's
}

// below the home directory: keys, what other programs log in with, and what browsers keep.
var homes = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".config/gh", ".docker", ".kube", ".netrc", ".git-credentials", ".config/git/credentials", ".password-store", ".local/share/keyrings",
	".npmrc", ".pypirc", ".cargo/credentials.toml", ".claude.json", ".claude/.credentials.json", ".codex/auth.json",
	".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".var/app", "snap/firefox", "snap/chromium",
	"Library/Application Support/Google/Chrome", "Library/Application Support/Firefox", "Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge", "Library/Keychains", "Library/Safari",
	"AppData/Local/Google/Chrome", "AppData/Local/Microsoft/Edge", "AppData/Roaming/Mozilla",
}

// sockets are the variables that say where agents and engines listen.
var sockets = []string{"SSH_AUTH_SOCK", "DOCKER_HOST", "CONTAINER_HOST", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"}

func fenceOf(in Inputs) fence {
	f := fence{
		whole: []string{"/"},
		never: []string{"/proc", "/sys", "/dev", "/run", "/var/run", "/etc/shadow", "/etc/sudoers", "/etc/sudoers.d", "/root"},
	}
	if in.Home == "/root" {
		f.never = slices.DeleteFunc(f.never, func(d string) bool { return d == "/root" })
	}
	if in.Home != "" {
		f.whole = append(f.whole, in.Home)
		for _, h := range homes {
			f.never = append(f.never, filepath.Join(in.Home, filepath.FromSlash(h)))
		}
	}
	for _, kv := range in.Env {
		name, value, _ := strings.Cut(kv, "=")
		if slices.Contains(sockets, name) {
			if p := socketPath(value); p != "" {
				f.never = append(f.never, p)
			}
		}
		if name == config.HomeVariable && filepath.IsAbs(value) {
			f.ours = append(f.ours, filepath.Clean(value))
		}
	}
	for _, p := range []string{in.Paths.State, in.Paths.Data, in.Paths.Cache, filepath.Dir(in.Paths.User), filepath.Dir(in.Paths.Managed)} {
		if filepath.IsAbs(p) && p != filepath.Dir(p) {
			f.ours = append(f.ours, p)
		}
	}
	for _, list := range []*[]string{&f.whole, &f.never, &f.ours} {
		for _, p := range *list {
			if real, err := filepath.EvalSymlinks(p); err == nil && real != p {
				*list = append(*list, real)
			}
		}
	}
	return f
}

// socketPath is the absolute path that a variable of sockets leads to; "" for none.
func socketPath(value string) string {
	value, _, _ = strings.Cut(value, ",")
	if u, err := url.Parse(value); err == nil && u.Scheme != "" && strings.HasPrefix(u.Path, "/") {
		value = u.Path
	}
	value = strings.TrimPrefix(value, "unix:path=")
	if value, _, _ = strings.Cut(value, ":"); !filepath.IsAbs(value) {
		return ""
	}
	return filepath.Clean(value)
}

// crosses is what a source is on the wrong side of; "" for nothing. own: it lies in a
// directory that is an extension's own.
func (f *fence) crosses(source string, own bool) string {
	for _, p := range f.whole {
		if below(p, source) {
			return p
		}
	}
	for _, p := range f.never {
		if below(p, source) || below(source, p) {
			return p
		}
	}
	for _, p := range f.ours {
		if below(p, source) || !own && below(source, p) {
			return p
		}
	}
	return ""
}

// below reports whether a path is a directory, or lies in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// mount is why a mount may not be in a box; "" where it may.
func (j *judge) mount(r *Row, own plan.Dirs) string {
	source := filepath.FromSlash(r.Source)
	if !filepath.IsAbs(source) {
		source = filepath.Join(j.worktree, source)
	}
	source, why := resolve(source)
	if why != "" {
		return why
	}
	root, data := own.Root != "" && within(source, own.Root), own.Data != "" && within(source, own.Data)
	tree := within(source, j.worktree)
	switch crossed := j.fence.crosses(source, root || data || tree); {
	case crossed == source:
		return "no box has " + quoted(crossed)
	case crossed != "" && below(source, crossed):
		return "it leads to " + quoted(source) + ", which lies in " + quoted(crossed) + ", of which no box has anything"
	case crossed != "":
		return "it leads to " + quoted(source) + ", which contains " + quoted(crossed) + ", and no box has that"
	case j.secrets.hold(source):
		return "its source holds a secret"
	case !root && !data && !tree && r.Origin.Trust < ext.Owner:
		return "it leads to " + quoted(source) + ", which is neither in the workspace nor of the extension's own directories"
	case r.Writable && root && !data && (!tree || r.Origin.Trust < ext.Owner):
		return "it is the extension's own directory, which a box reads and never writes"
	case r.Writable && j.kept(source) != "":
		return "the box could write " + quoted(j.kept(source)) + ", by which programs of this machine are led"
	case strings.ContainsAny(source, ",\n") || strings.Contains(source, ":") && strings.ContainsAny(source+r.Target, `"`):
		return "it leads to " + quoted(source) + ", a path that no engine can be given"
	}
	r.Source = source
	return ""
}

// kept is what of the worktree a source is, or lies in, that no box writes; "" for nothing.
func (j *judge) kept(source string) string {
	for _, k := range keptBelow(j.worktree, source) {
		if below(source, k) {
			return k
		}
	}
	if rel, err := filepath.Rel(j.worktree, source); err == nil && filepath.IsLocal(rel) && slices.Contains(strings.Split(filepath.ToSlash(rel), "/"), ".git") {
		return source
	}
	return ""
}

// keptBelow are the files and directories of a worktree by which programs of this machine
// are led: all of git's, whether it is a directory or the file of a linked worktree, also
// of repositories within, and what Mortise is configured with.
func keptBelow(worktree, source string) []string {
	out := []string{filepath.Join(worktree, ".git"), filepath.Join(worktree, config.SharedFile), filepath.Join(worktree, config.LocalFile)}
	return append(out, nested(worktree, source)...)
}

// nested are the repositories within a source, as far down as anybody keeps one and no
// further: looking through a large tree takes its time.
func nested(worktree, source string) []string {
	const deepest, most = 5, 20_000
	var out []string
	seen := 0
	_ = filepath.WalkDir(source, func(name string, e fs.DirEntry, err error) error { // what cannot be listed the box cannot write either
		seen++
		rel, _ := filepath.Rel(source, name)
		switch {
		case err != nil, seen > most:
			return fs.SkipDir
		case e.Name() == ".git":
			if name != filepath.Join(worktree, ".git") {
				out = append(out, name)
			}
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir() && (e.Name() == "node_modules" || strings.Count(filepath.ToSlash(rel), "/") >= deepest):
			return fs.SkipDir
		}
		return nil
	})
	return out
}

// protect has what no box writes be read-only below each mount that it may write to. Each
// is a mount of its own, which a box cannot move out of the way.
func (b *Box) protect(worktree string) {
	var more []Row
	for i := range b.Rows {
		r := &b.Rows[i]
		if r.Kind != box.Mount || !r.Writable || r.Reason != "" {
			continue
		}
		for _, k := range keptBelow(worktree, r.Source) {
			rel, err := filepath.Rel(r.Source, k)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			target := path.Join(r.Target, filepath.ToSlash(rel))
			if b.at(target) {
				continue
			}
			info, err := os.Lstat(k)
			switch {
			case err == nil && (info.IsDir() || info.Mode().IsRegular()):
				more = append(more, Row{Kind: box.Mount, Source: k, Target: target, Protects: true, Extension: r.Extension, Entry: r.Entry, Origin: r.Origin})
			case filepath.Base(k) == ".git":
				b.Findings.Add(Unprotected.At(r.Origin, "%s lets the box make %s, from which git runs programs here", r.what(), quoted(k)))
			}
		}
	}
	b.Rows = append(b.Rows, more...)
}

// at reports whether something is mounted at a target already.
func (b *Box) at(target string) bool {
	return slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Reason == "" && r.Kind != box.Env && path.Clean(r.Target) == target })
}

// resolve follows links to a directory or a regular file.
func resolve(source string) (string, string) {
	real, err := filepath.EvalSymlinks(source)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return source, "its source is not there"
	}
	if err == nil {
		var info fs.FileInfo
		if info, err = os.Lstat(real); err == nil {
			switch {
			case info.Mode()&fs.ModeSocket != 0:
				return real, "its source is a socket, behind which something else acts for the box"
			case !info.IsDir() && !info.Mode().IsRegular():
				return real, "its source is neither a file nor a directory"
			}
			return real, ""
		}
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return source, "its source cannot be looked at: " + ext.Escape(err.Error())
}

// within is below, also where the directory is reached through links.
func within(path, dir string) bool {
	if below(path, dir) {
		return true
	}
	real, err := filepath.EvalSymlinks(dir)
	return err == nil && below(path, real)
}

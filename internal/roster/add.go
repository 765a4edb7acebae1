package roster

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// Wish is a plugin that a person wants.
type Wish struct {
	Source string // as git.Parse reads it; the path of a directory or of an archive
	Dir    string // what relative paths are relative to
	Ref    string // a branch, a tag or a commit; "" is what the source names, else its default
	Within string // the plugin's directory within the source; "" is all of it
	Name   string // "" is what its manifest or its source says
	Scope  string // the workspace it is for; "" is all
	SHA256 string // of an archive, in hexadecimal
	// Manifests are the paths of which one tells that a directory is a plugin.
	Manifests []string
	// NameIn is what the extension in a directory calls itself; "" when it does not.
	NameIn   func(dir string) string
	Progress func(git.Progress) // nil is told nothing
}

// Add installs a plugin. What is there under its name, or cannot be in use beside the
// others, is a refusal, and nothing is changed.
func (r *Roster) Add(ctx context.Context, w Wish) (state.Installed, error) {
	line, err := r.begin(w)
	if err != nil {
		return line, err
	}
	switch line.Kind {
	case state.Linked:
		err = r.link(w, &line)
	case state.Archive:
		err = r.unpack(ctx, w, &line)
	default:
		err = r.clone(ctx, w, &line)
	}
	if err != nil {
		return line, err
	}
	if err := r.try(ctx, line); err != nil {
		return line, err
	}
	return line, r.put(ctx, "added", nil, &line)
}

// begin is a line that says where the plugin comes from.
func (r *Roster) begin(w Wish) (state.Installed, error) {
	line := state.Installed{Scope: w.Scope, Within: cleanWithin(w.Within), By: r.By, At: r.now()}
	if line.Within != "" && !fs.ValidPath(line.Within) {
		return line, ext.AsUsage(fmt.Errorf("--path %s leads out of the source; give a directory within it", ext.Quote(w.Within)))
	}
	if w.Name != "" {
		name, err := ext.ParseName(w.Name)
		if err != nil {
			return line, ext.AsUsage(fmt.Errorf("--name: %w", err))
		}
		line.Name = name
	}
	local := w.Source
	if !filepath.IsAbs(local) {
		local = filepath.Join(w.Dir, local)
	}
	info, err := os.Stat(local)
	switch {
	case err == nil && info.IsDir() && git.IsPath(w.Source):
		line.Kind = state.Linked
		line.Source, err = filepath.EvalSymlinks(local)
	case err == nil && info.Mode().IsRegular():
		line.Kind = state.Archive
		line.Source, err = filepath.EvalSymlinks(local)
	default:
		line.Kind, err = state.Git, nil
		if git.IsPath(w.Source) {
			err = ext.AsUsage(fmt.Errorf("there is no directory and no archive at %s", ext.Quote(w.Source)))
		}
	}
	if line.Kind != state.Git && w.Ref != "" {
		return line, ext.AsUsage(fmt.Errorf("--ref is for repositories: %s is a %s, which is read as it is", ext.Quote(w.Source), line.Kind))
	}
	return line, err
}

func cleanWithin(p string) string {
	if p = path.Clean(filepath.ToSlash(p)); p == "." {
		return ""
	}
	return p
}

// link takes in a directory where it lies. One of ours, or one that holds ours, is none.
func (r *Roster) link(w Wish, line *state.Installed) error {
	if overlap(line.Source, r.Checkouts.Dir) {
		return ext.AsRefused(fmt.Errorf("%s holds what Mortise keeps, or is a part of that; name the plugin's own directory", ext.Quote(line.Source)))
	}
	return r.named(w, line, filepath.Join(line.Source, filepath.FromSlash(line.Within)), filepath.Base(line.Source))
}

// overlap reports whether one of two directories is the other, or within it.
func overlap(a, b string) bool {
	within := func(a, b string) bool {
		rel, err := filepath.Rel(a, b)
		return err == nil && filepath.IsLocal(rel)
	}
	if real, err := filepath.EvalSymlinks(b); err == nil {
		b = real
	}
	return within(a, b) || within(b, a)
}

// named gives the line its name: the one asked for, what the extension calls itself, or
// that of its source.
func (r *Roster) named(w Wish, line *state.Installed, dir, source string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ext.AsRefused(fmt.Errorf("there is no directory %s in %s; give the plugin's with --path", ext.Quote(line.Within), ext.Quote(line.Source)))
	}
	if line.Name == "" && w.NameIn != nil {
		line.Name, _ = ext.ParseName(w.NameIn(dir))
	}
	if line.Name == "" {
		name, err := ext.ParseName(strings.ToLower(strings.TrimSuffix(source, ".git")))
		if err != nil {
			return ext.AsUsage(fmt.Errorf("%s says no name that an extension can have; give one with --name", ext.Quote(line.Source)))
		}
		line.Name = name
	}
	if slices.Contains(ext.Reserved, line.Name) {
		return ext.AsRefused(fmt.Errorf("the name %s is reserved for Mortise itself; give another with --name", ext.Quote(string(line.Name))))
	}
	if r.Taken != nil {
		if by := r.Taken(line.Name); by != "" {
			return ext.AsRefused(fmt.Errorf("the name %s is taken by %s; give another with --name", ext.Quote(string(line.Name)), by))
		}
	}
	return nil
}

// clone fetches a repository.
func (r *Roster) clone(ctx context.Context, w Wish, line *state.Installed) error {
	g, err := r.Git()
	if err != nil {
		return err
	}
	s, ref, err := git.Parse(w.Source, git.Allow{Local: true})
	if err != nil {
		return err
	}
	if w.Ref != "" && ref != "" && w.Ref != ref {
		return ext.AsUsage(fmt.Errorf("the source names %s and --ref %s; give one of them", ext.Quote(ref), ext.Quote(w.Ref)))
	}
	if w.Ref != "" {
		ref = w.Ref
	}
	found, err := g.Resolve(ctx, s, ref)
	if err != nil {
		return err
	}
	line.Source, line.Ref, line.Commit = s.String(), ref, found.Commit
	fill := func(ctx context.Context, dir string) error {
		_, err := g.Fetch(ctx, found.At, found.Commit, dir, git.Fetching{Ref: found.Ref, Progress: w.Progress})
		return err
	}
	return r.make(ctx, w, line, path.Base(s.Identity()), fill)
}

// unpack takes in an archive.
func (r *Roster) unpack(ctx context.Context, w Wish, line *state.Installed) error {
	if w.SHA256 == "" {
		return ext.AsUsage(fmt.Errorf("say with --sha256 which archive %s should be: its publisher tells, and sha256sum of a copy that you trust", ext.Quote(w.Source)))
	}
	var sum ext.Digest
	if err := sum.UnmarshalText([]byte("sha256:" + strings.ToLower(strings.TrimPrefix(w.SHA256, "sha256:")))); err != nil {
		return ext.AsUsage(fmt.Errorf("--sha256: %w", err))
	}
	line.Commit = strings.TrimPrefix(sum.String(), "sha256:")
	base := filepath.Base(line.Source)
	for _, end := range []string{".zip", ".tgz", ".tar.gz", ".tar", ".mcpb"} {
		base = strings.TrimSuffix(base, end)
	}
	return r.make(ctx, w, line, base, func(ctx context.Context, dir string) error {
		return checkout.Unpack(ctx, checkout.Archive{File: line.Source, Sum: sum, Manifests: w.Manifests}, dir)
	})
}

// make makes the checkout of a line and gives the line its name, which what was fetched
// may say.
func (r *Roster) make(ctx context.Context, w Wish, line *state.Installed, source string, fill func(context.Context, string) error) error {
	c, err := r.Checkouts.MakeAs(ctx, line.Commit, func(ctx context.Context, dir string) (ext.Name, error) {
		if err := fill(ctx, dir); err != nil {
			return "", err
		}
		err := r.named(w, line, filepath.Join(dir, filepath.FromSlash(line.Within)), source)
		return line.Name, err
	})
	line.Digest = c.Digest
	return err
}

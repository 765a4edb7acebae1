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
	// Offer is where it comes from. Its source is as git.Parse reads it, the address of an
	// archive, or the path of a directory or of an archive.
	Offer
	Dir   string // what relative paths are relative to
	As    string // the name that it goes by; "" is what a marketplace, its manifest or its source says
	Scope string // the workspace it is for; "" is all
	Note  string // signed, about what it should be; "" is none
	// Submodules has what the submodules of its commits name fetched as well, now and later.
	Submodules bool
	// NameIn is what the extension in a directory calls itself; "" when it does not.
	NameIn   func(dir string) string
	Progress func(git.Progress) // nil is told nothing
}

// Offer is where a plugin comes from, as a person or a marketplace says it.
type Offer struct {
	Market string // who says it: PLUGIN@MARKET; "" is a person
	Name   string // what a marketplace calls it; ""
	Source string
	Ref    string // a branch, a tag or a commit; "" is what the source names, else its default
	Within string // the plugin's directory within the source; "" is all of it
	SHA256 string // of an archive, in hexadecimal
	// Notes say in which way what is installed is not what the marketplace says.
	Notes []string
}

// Add installs a plugin: it prepares and installs it.
func (r *Roster) Add(ctx context.Context, w Wish) (state.Installed, error) {
	line, err := r.Prepare(ctx, w)
	if err != nil {
		return line, err
	}
	all, err := r.Install(ctx, line)
	return all[0], err
}

// Install has prepared plugins be in use, all at once or none. What is there under the name
// of one, or cannot be in use beside the others, is a refusal.
func (r *Roster) Install(ctx context.Context, lines ...state.Installed) ([]state.Installed, error) {
	if err := r.try(ctx, lines...); err != nil {
		return lines, err
	}
	return lines, r.begun(ctx, lines)
}

// Prepare fetches a plugin, which is not in use by that. What is there under its name, or
// what a rule about sources does not let in, is a refusal.
func (r *Roster) Prepare(ctx context.Context, w Wish) (state.Installed, error) {
	line, err := r.begin(w)
	if err == nil {
		err = r.free(ctx, line.Name, line.Scope)
	}
	if err != nil {
		return line, err
	}
	p, err := r.prove(&line, w.Note)
	if err != nil {
		return line, err
	}
	if line.Kind == state.Linked {
		err = r.link(ctx, w, &line)
	} else {
		err = r.make(ctx, w, &line, p)
	}
	return line, err
}

// begin is a line that says where the plugin comes from.
func (r *Roster) begin(w Wish) (state.Installed, error) {
	line := state.Installed{Scope: w.Scope, Market: w.Market, Within: cleanWithin(w.Within), Submodules: w.Submodules, By: r.By, At: r.now()}
	if line.Within != "" && !fs.ValidPath(line.Within) {
		return line, ext.AsUsage(fmt.Errorf("--path %s leads out of the source; give a directory within it", ext.Quote(w.Within)))
	}
	if w.As != "" {
		name, err := ext.ParseName(w.As)
		if err != nil {
			return line, ext.AsUsage(fmt.Errorf("--name: %w", err))
		}
		line.Name = name
	} else if w.Name != "" {
		line.Name, _ = ext.ParseName(w.Name)
	}
	if err := w.locate(&line); err != nil {
		return line, err
	}
	switch {
	case line.Kind != state.Git && w.Ref != "":
		return line, ext.AsUsage(fmt.Errorf("--ref is for repositories: %s is a %s, which is read as it is", ext.Quote(w.Source), line.Kind))
	case line.Kind != state.Git && w.Submodules:
		return line, ext.AsUsage(fmt.Errorf("--submodules is for repositories: %s is a %s, which is read as it is", ext.Quote(w.Source), line.Kind))
	case line.Kind != state.Archive && w.SHA256 != "":
		return line, ext.AsUsage(fmt.Errorf("--sha256 is for archives: %s is a %s", ext.Quote(w.Source), line.Kind))
	}
	return line, nil
}

// locate says of what kind the source is, and where.
func (w *Wish) locate(line *state.Installed) error {
	local := w.Source
	if !filepath.IsAbs(local) {
		local = filepath.Join(w.Dir, local)
	}
	info, err := os.Stat(local)
	switch {
	case err == nil && info.IsDir() && git.IsPath(w.Source):
		line.Kind = state.Linked
		line.Source, err = filepath.EvalSymlinks(local)
		return err
	case err == nil && info.Mode().IsRegular():
		line.Kind = state.Archive
		if line.Source, err = filepath.EvalSymlinks(local); err != nil {
			return err
		}
		return w.sum(line)
	case git.IsPath(w.Source):
		return ext.AsUsage(fmt.Errorf("there is no directory and no archive at %s", ext.Quote(w.Source)))
	}
	if _, isArchive := archived(w.Source); strings.Contains(w.Source, "://") && !strings.HasPrefix(w.Source, "file:") && (isArchive || w.SHA256 != "") {
		u, err := archiveAddress(w.Source)
		if err != nil {
			return err
		}
		line.Kind, line.Source = state.Archive, u.String()
		return w.sum(line)
	}
	line.Kind = state.Git
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
	line.Source, line.Ref = s.String(), ref
	return nil
}

// sum takes in what an archive should be.
func (w *Wish) sum(line *state.Installed) error {
	if w.SHA256 == "" {
		return ext.AsUsage(fmt.Errorf("say with --sha256 which archive %s should be: its publisher tells, and sha256sum of a copy that you trust", ext.Quote(w.Source)))
	}
	var sum ext.Digest
	if err := sum.UnmarshalText([]byte("sha256:" + strings.ToLower(strings.TrimPrefix(w.SHA256, "sha256:")))); err != nil {
		return ext.AsUsage(fmt.Errorf("--sha256: %w", err))
	}
	line.Commit = strings.TrimPrefix(sum.String(), "sha256:")
	return nil
}

func cleanWithin(p string) string {
	if p = path.Clean(filepath.ToSlash(p)); p == "." {
		return ""
	}
	return p
}

// link takes in a directory where it lies. One of ours, or one that holds ours, is none.
func (r *Roster) link(ctx context.Context, w Wish, line *state.Installed) error {
	if overlap(line.Source, r.Checkouts.Dir) {
		return ext.AsRefused(fmt.Errorf("%s holds what Mortise keeps, or is a part of that; name the plugin's own directory", ext.Quote(line.Source)))
	}
	at := filepath.Join(line.Source, filepath.FromSlash(line.Within))
	if real, err := filepath.EvalSymlinks(at); err == nil && real != at {
		return ext.AsRefused(fmt.Errorf("%s is a link, or lies behind one: it leads to %s; name that directory", ext.Quote(at), ext.Quote(real)))
	}
	return r.named(ctx, w, line, at, filepath.Base(line.Source))
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
func (r *Roster) named(ctx context.Context, w Wish, line *state.Installed, dir, source string) error {
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
	if err := r.free(ctx, line.Name, line.Scope); err != nil {
		return err
	}
	if slices.Contains(ext.Reserved, line.Name) {
		return reserved(line.Name)
	}
	if r.Taken != nil {
		if by := r.Taken(line.Name); by != "" {
			return ext.AsRefused(fmt.Errorf("the name %s is taken by %s; give another with --name", ext.Quote(string(line.Name)), by))
		}
	}
	return nil
}

// make makes the checkout of a line and gives the line its name, which what was fetched
// may say.
func (r *Roster) make(ctx context.Context, w Wish, line *state.Installed, p *proof) error {
	b := bringing{line: line, proof: p, progress: w.Progress}
	base, _ := archived(path.Base(filepath.ToSlash(line.Source)))
	if line.Kind == state.Git {
		if err := r.resolve(ctx, &b); err != nil {
			return err
		}
		base = path.Base(line.Source)
	}
	c, err := r.Checkouts.MakeAs(ctx, Checkout(line, line.Commit), func(ctx context.Context, dir string) (ext.Name, error) {
		if err := r.bring(ctx, &b, dir); err != nil {
			return "", err
		}
		if err := r.named(ctx, w, line, filepath.Join(dir, filepath.FromSlash(line.Within)), base); err != nil {
			return "", err
		}
		return line.Name, r.keep(Checkout(line, line.Commit))
	})
	if err != nil {
		return err
	}
	if line.Digest, err = r.digest(ctx, line, c); err != nil {
		return err
	}
	return p.noted(line)
}

// resolve asks the source of a line which commit its reference means.
func (r *Roster) resolve(ctx context.Context, b *bringing) error {
	g, s, err := r.repository(b.line)
	if err != nil {
		return err
	}
	if b.from, err = g.Resolve(ctx, s, b.line.Ref); err == nil {
		b.line.Commit = b.from.Commit
	}
	return err
}

// repository is git, and the source of a line that comes from a repository.
func (r *Roster) repository(line *state.Installed) (*git.Git, git.Source, error) {
	g, err := r.Git()
	if err != nil {
		return nil, git.Source{}, err
	}
	s, _, err := git.Parse(line.Source, git.Allow{Local: true})
	return g, s, err
}

// digest is the digest of a plugin's directory in a checkout of it.
func (r *Roster) digest(ctx context.Context, line *state.Installed, c checkout.Checkout) (ext.Digest, error) {
	if line.Within == "" {
		return c.Digest, nil
	}
	return r.Checkouts.DigestFresh(ctx, Dir(r.Checkouts.Dir, line))
}

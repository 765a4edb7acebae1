package roster

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/state"
)

// bringing is content that is brought here.
type bringing struct {
	line     *state.Installed
	from     git.Found // of a repository
	proof    *proof
	progress func(git.Progress)
}

// bring writes what a source has into a directory that is not there yet.
func (r *Roster) bring(ctx context.Context, b *bringing, dir string) error {
	if b.line.Kind == state.Git {
		g, err := r.Git()
		if err != nil {
			return err
		}
		if b.from.Ref == "" { // who allows a source means what it publishes
			if b.proof.onRef, err = r.allowing(); err != nil {
				return err
			}
		}
		o := git.Fetching{Sums: r.Sums, Progress: b.progress}
		if b.line.Submodules {
			if o.Modules, err = r.modules(); err != nil {
				return err
			}
		}
		f, err := b.proof.fetched(ctx, g, b.from, dir, o)
		if err == nil && !b.line.Submodules {
			r.leftOut(b.line, f.Modules)
		}
		return err
	}
	var sum ext.Digest
	if err := sum.UnmarshalText([]byte("sha256:" + b.line.Commit)); err != nil {
		return err
	}
	name := b.line.Source
	if strings.Contains(name, "://") {
		client := r.Client
		if client == nil {
			client = http.DefaultClient
		}
		name = dir + ".archive"
		defer os.Remove(name) //nolint:errcheck // it goes with the staging directory otherwise
		allowed := func(address string) error {
			at := *b.line
			at.Source = address
			_, err := r.permit(&at)
			return err
		}
		if err := download(ctx, client, b.line.Source, name, allowed, b.progress); err != nil {
			return err
		}
	}
	return checkout.Unpack(ctx, checkout.Archive{File: name, Sum: sum, Manifests: r.Manifests, Sums: r.Sums}, dir)
}

// modules is how submodules are fetched: the rules about sources are asked about each, and
// where they allow some alone, what is allowed is what those publish. A signature that they
// want is that of the plugin's commit, which names the commit of each.
func (r *Roster) modules() (*git.Modules, error) {
	onRef, err := r.allowing()
	return &git.Modules{OnRef: onRef, Permit: func(s git.Source) error {
		_, err := r.permit(&state.Installed{Kind: state.Git, Source: s.String()})
		return err
	}}, err
}

// leftOut tells of submodules that were not fetched.
func (r *Roster) leftOut(line *state.Installed, all []git.Module) {
	const most = 5
	var paths []string
	for _, m := range all[:min(most, len(all))] {
		paths = append(paths, ext.Quote(m.Path))
	}
	if more := len(all) - most; more > 0 {
		paths = append(paths, fmt.Sprintf("%d more", more))
	}
	if len(paths) > 0 {
		r.note(fmt.Errorf("the submodules of %s at %s are left out, and their directories are empty: %s; mortise plugin add --submodules fetches them as well", cmp.Or(string(line.Name), line.Source), short(line.Commit), strings.Join(paths, ", ")))
	}
}

// again makes the checkout of a line that has its name. known: what is there under its key
// came from its source. Else it is fetched even where it is there, and so is what must be
// signed, since its checkout does not have the signature.
func (r *Roster) again(ctx context.Context, b *bringing, known bool) (checkout.Checkout, error) {
	k := Checkout(b.line, b.line.Commit)
	if err := r.keep(k); err != nil {
		return checkout.Checkout{}, err
	}
	fill := func(ctx context.Context, dir string) error { return r.bring(ctx, b, dir) }
	if known && !b.proof.commits() {
		return r.Checkouts.Make(ctx, k, fill)
	}
	return r.Checkouts.MakeAs(ctx, k, func(ctx context.Context, dir string) (ext.Name, error) { return k.Name, fill(ctx, dir) })
}

package roster

import (
	"context"
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
		return b.proof.fetched(ctx, g, b.from, dir, git.Fetching{Sums: r.Sums, Progress: b.progress})
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

// again makes the checkout of a line that has its name. known: what is there under its key
// came from its source. Else it is fetched even where it is there, and so is what must be
// signed, since its checkout does not have the signature.
func (r *Roster) again(ctx context.Context, b *bringing, known bool) (checkout.Checkout, error) {
	k := checkout.Key{Name: b.line.Name, Commit: b.line.Commit}
	if err := r.keep(k); err != nil {
		return checkout.Checkout{}, err
	}
	fill := func(ctx context.Context, dir string) error { return r.bring(ctx, b, dir) }
	if known && !b.proof.commits() {
		return r.Checkouts.Make(ctx, k, fill)
	}
	return r.Checkouts.MakeAs(ctx, k.Commit, func(ctx context.Context, dir string) (ext.Name, error) { return k.Name, fill(ctx, dir) })
}

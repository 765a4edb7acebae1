package checkout

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
)

// unnamed is where content is made whose name is not known yet.
const unnamed ext.Name = "unnamed"

// MakeAs is Make for content whose name is told by what it is: fill says it once all is
// there, and it takes the place of k's. What is there already under that name is fetched
// for nothing.
func (s Store) MakeAs(ctx context.Context, k Key, fill func(ctx context.Context, dir string) (ext.Name, error)) (Checkout, error) {
	stage, err := s.stage(unnamed)
	if err != nil {
		return Checkout{}, err
	}
	defer os.Remove(filepath.Join(s.Dir, string(unnamed))) //nolint:errcheck // somebody else is making something there
	defer os.RemoveAll(stage)
	tree := filepath.Join(stage, "tree")
	name, err := fill(ctx, tree)
	if err != nil {
		return Checkout{}, err
	}
	k.Name = name
	return s.Make(ctx, k, func(_ context.Context, dir string) error {
		return errors.Join(ctx.Err(), os.Rename(tree, dir))
	})
}

package catalog

import (
	"context"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// Adopted are the directories that were adopted as workspaces; none where the state
// cannot be read, which whoever opens it is told.
func Adopted(ctx context.Context, p host.Place) (dirs []string) {
	s, err := sqlstore.Peek(ctx, filepath.Join(p.Paths.State, "state.db"))
	if err != nil {
		return nil
	}
	for _, a := range s.Adoptions {
		if a.Place != "" {
			dirs = append(dirs, a.Place)
		}
	}
	return dirs
}

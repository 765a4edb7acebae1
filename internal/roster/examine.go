package roster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

// Condition is how what was fetched of one plugin is.
type Condition struct {
	Line state.Installed
	Lost bool  // it is not there
	Err  error // what is wrong; nil: it is as it was
}

// Examine looks at what was fetched of every plugin, in all workspaces, file by file.
func (r *Roster) Examine(ctx context.Context) ([]Condition, error) {
	s, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	var out []Condition
	for _, i := range s.Roster {
		c := Condition{Line: i, Lost: r.lost(&i)}
		switch {
		case c.Lost:
			c.Err = fmt.Errorf("its checkout %s is gone", ext.Quote(Dir(r.Checkouts.Dir, &i)))
		case i.Commit != "":
			c.Err = r.verify(ctx, &i)
		default:
			if _, err := os.Stat(Dir(r.Checkouts.Dir, &i)); errors.Is(err, fs.ErrNotExist) {
				c.Err = fmt.Errorf("its directory %s is not there", ext.Quote(i.Source))
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out = append(out, c)
	}
	return out, nil
}

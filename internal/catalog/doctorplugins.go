package catalog

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// rostered does something with what is installed.
func (x *examined) rostered(ctx context.Context, do func(*roster.Roster) error) error {
	r, done, err := Roster(ctx, x.place, host.Looking)
	if err != nil {
		return err
	}
	return errors.Join(do(r), done())
}

// git looks for the one program that Mortise itself needs.
func (x *examined) git() []doctor.Check {
	return alone("git", slow, func(ctx context.Context) (row doctor.Row, err error) {
		err = x.rostered(ctx, func(r *roster.Roster) error {
			row.Status = check.OK
			g, err := r.Git()
			if err == nil {
				row.Detail, err = g.Version(ctx)
			}
			if err != nil {
				row = doctor.Row{Status: check.Warn, Detail: err.Error(), Fix: "install git, to install plugins from repositories"}
			}
			return nil
		})
		return row, err
	})
}

// plugins looks whether what was fetched of each is there and as it was.
func (x *examined) plugins() []doctor.Check {
	return []doctor.Check{{Name: "plugins", Limit: 5 * time.Minute, Do: func(ctx context.Context, say func(doctor.Row)) error {
		return x.rostered(ctx, func(r *roster.Roster) error {
			all, err := r.Examine(ctx)
			for i := range all {
				if c := &all[i]; c.Line.Scope == "" || c.Line.Scope == x.place.Workspace.ID {
					say(x.plugin(c))
				}
			}
			return err
		})
	}}}
}

func (x *examined) plugin(c *roster.Condition) doctor.Row {
	name := string(c.Line.Name)
	row := doctor.Row{Status: check.OK, Name: "plugin " + name, Detail: roster.Dir(Checkouts(x.place), &c.Line)}
	if c.Err == nil {
		return row
	}
	row.Status, row.Detail = check.Fail, c.Err.Error()
	switch {
	case c.Lost:
		row.Fix = "mortise plugin update " + name + " fetches it again as it was"
		row.Mend = x.ours("fetch it again as it was", "plugin", "update", name)
	case c.Line.Commit != "":
		row.Fix = "move away what lies there; mortise plugin update " + name + " fetches it again"
	default:
		row.Fix = "put the directory back, or take the plugin out: mortise plugin remove " + name
	}
	return row
}

// lock compares what is installed with the lock file, where there is one.
func (x *examined) lock() []doctor.Check {
	return []doctor.Check{{Name: roster.LockFile, Do: func(ctx context.Context, say func(doctor.Row)) error {
		locked, err := roster.ReadLock(x.place.Workspace.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			say(doctor.Row{Status: check.Fail, Name: roster.LockFile, Detail: err.Error(), Fix: "mend the file, or write it anew: mortise plugin lock"})
			return nil //nolint:nilerr // it is the row
		}
		return x.rostered(ctx, func(r *roster.Roster) error {
			drifts, err := r.Drifts(ctx, locked, x.place.Workspace.ID)
			well := true
			for i := range drifts {
				if d := &drifts[i]; !d.Lost { // has a row as a plugin
					well = false
					say(doctor.Row{
						Status: check.Warn, Name: roster.LockFile, From: d.Name, Detail: d.String(),
						Fix: "mortise plugin sync installs what it says; mortise plugin lock writes down what is installed",
					})
				}
			}
			if err == nil && well {
				say(doctor.Row{Status: check.OK, Name: roster.LockFile, Detail: "what is installed is what it says"})
			}
			return err
		})
	}}}
}

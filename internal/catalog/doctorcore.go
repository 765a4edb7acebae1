package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// configuration looks whether all layers are known whole.
func (x *examined) configuration() []doctor.Check {
	return alone("configuration", 0, func(context.Context) (doctor.Row, error) {
		c, _, err := x.place.Configure(nil)
		if err != nil {
			return doctor.Row{}, err
		}
		broken := c.Broken()
		if len(broken) == 0 {
			return doctor.Row{Status: check.OK, Detail: "all layers are read"}, nil
		}
		names := make([]string, len(broken))
		for i, l := range broken {
			names[i] = l.String()
		}
		return doctor.Row{
			Status: check.Fail, Detail: "not known whole: " + strings.Join(names, ", ") + "; what it forbids may be lost, so that nothing is served",
			Fix: "mend what the findings name",
		}, nil
	})
}

// state looks whether what is remembered is whole.
func (x *examined) state() []doctor.Check {
	return alone("state", time.Minute, func(ctx context.Context) (doctor.Row, error) {
		path := StatePath(x.place)
		err := CheckState(ctx, x.place)
		switch {
		case errors.Is(err, state.ErrDamaged):
			return doctor.Row{
				Status: check.Fail, Detail: err.Error(), Fix: "mortise state doctor --repair keeps it aside, and begins a new one with what can be read of it",
				Mend: x.ours("begin a new state with what can be read of the damaged one", "state", "doctor", "--repair"),
			}, nil
		case err != nil:
			return doctor.Row{}, err
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return doctor.Row{Status: check.OK, Detail: "nothing is remembered yet"}, nil
		}
		return doctor.Row{Status: check.OK, Detail: path}, nil
	})
}

// adoption says whether the workspace is adopted as it is.
func (x *examined) adoption() []doctor.Check {
	if x.g == nil {
		return nil
	}
	return alone("adoption", 0, func(context.Context) (doctor.Row, error) {
		for _, f := range x.listing.Findings {
			if aboutAdoption(f.Code) {
				return doctor.Row{Status: check.Warn, Detail: f.Message, Fix: f.Fix}, nil
			}
		}
		waits := 0
		for _, e := range x.listing.Entries {
			if e.Status == "pending" {
				waits++
			}
		}
		switch {
		case waits > 0:
			return doctor.Row{Status: check.Warn, Detail: entries(waits) + " for your consent", Fix: "mortise trust shows what would run, and consents to it"}, nil
		case !x.g.Adopted:
			return doctor.Row{}, nil // there is nothing to adopt
		}
		return doctor.Row{Status: check.OK, Detail: "what is here is what was adopted"}, nil
	})
}

func entries(n int) string {
	if n == 1 {
		return "1 entry waits"
	}
	return strconv.Itoa(n) + " entries wait"
}

func aboutAdoption(code string) bool {
	return code == host.NotAdopted.Code || code == host.AdoptionLapsed.Code
}

// toldElsewhere are findings about what has rows of its own.
var toldElsewhere = []string{CheckoutGone.Code, host.LockDrift.Code, host.LockBroken.Code}

// mostFindings is how many errors have rows of their own.
const mostFindings = 50

// findings are the errors of the pass, each with its fix, and the warnings summed up.
func (x *examined) findings() []doctor.Check {
	if x.g == nil {
		return nil
	}
	return []doctor.Check{{Name: "findings", Do: func(_ context.Context, say func(doctor.Row)) error {
		errs, warnings, off := 0, map[string]int{}, x.off()
		for _, f := range x.listing.Findings {
			switch {
			case aboutAdoption(f.Code), slices.Contains(toldElsewhere, f.Code):
			case off(f.Extension, where(f.Path, f.Line)):
			case f.Code == host.SetupUndeclared.Code, f.Code == host.SetupDue.Code: // without it, what the plugin runs does not
				say(doctor.Row{Status: check.Warn, Name: f.Code, From: ext.Name(f.Extension), At: where(f.Path, f.Line), Detail: f.Message, Fix: f.Fix})
			case f.Severity == ext.Warning.String():
				warnings[f.Code]++
			case f.Severity == ext.Error.String():
				if errs++; errs <= mostFindings {
					say(doctor.Row{Status: check.Fail, Name: f.Code, From: ext.Name(f.Extension), At: where(f.Path, f.Line), Detail: f.Message, Fix: f.Fix})
				}
			}
		}
		if errs > mostFindings {
			say(doctor.Row{Status: check.Fail, Name: "findings", Detail: fmt.Sprintf("there are %d errors more", errs-mostFindings), Fix: "mortise list shows them all"})
		}
		say(summed(warnings))
		return nil
	}}}
}

// off tells what is about something that is switched off: an extension, or a place where
// all entries are.
func (x *examined) off() func(extension, at string) bool {
	type place struct{ extension, at string }
	on, off := map[place]bool{}, map[place]bool{}
	for _, e := range x.listing.Entries {
		p := place{e.Extension, where(e.Path, e.Line)}
		on[p], off[p] = on[p] || e.Status != "disabled", off[p] || e.Status == "disabled"
	}
	disabled := map[string]bool{}
	for _, e := range x.listing.Extensions {
		disabled[e.Name] = e.Status == "disabled"
	}
	return func(extension, at string) bool {
		p := place{extension, at}
		return disabled[extension] || off[p] && !on[p]
	}
}

func where(path string, line int) string {
	if line > 0 {
		return path + ":" + strconv.Itoa(line)
	}
	return path
}

// summed says how many warnings there are, and of which kinds.
func summed(warnings map[string]int) doctor.Row {
	if len(warnings) == 0 {
		return doctor.Row{Status: check.OK, Name: "warnings", Detail: "there are none"}
	}
	n, kinds := 0, []string{}
	for code, of := range warnings {
		n += of
		kinds = append(kinds, fmt.Sprintf("%s ×%d", code, of))
	}
	slices.Sort(kinds)
	return doctor.Row{Status: check.Warn, Name: "warnings", Detail: fmt.Sprintf("%d: %s", n, strings.Join(kinds, ", ")), Fix: "mortise list shows each with its fix"}
}

// hooks are what was wrong with what hooks were answered.
func (x *examined) hooks() []doctor.Check {
	if x.g == nil {
		return nil
	}
	return []doctor.Check{{Name: "hooks", Limit: askLimit, Do: func(ctx context.Context, say func(doctor.Row)) error {
		all := slices.Clone(x.g.Registry(ctx).Findings())
		for _, h := range x.g.Registry(ctx).Hooks() {
			if !slices.Contains([]string{check.Doctor.Name, check.Verify.Name}, h.Name) { // told where they are asked
				all = append(all, x.plan.Gather(ctx, h).Findings...)
			}
		}
		said := map[string]bool{}
		for _, f := range all {
			status := check.Warn
			if f.Check.Severity == ext.Error {
				status = check.Fail
			}
			key := f.Check.Code + f.Origin.String() + f.Message
			if f.Check.Severity == ext.Info || said[key] {
				continue
			}
			said[key] = true
			say(doctor.Row{Status: status, Name: f.Check.Code, From: f.Origin.Extension, At: where(f.Origin.Path, f.Origin.Line), Detail: f.Message, Fix: f.Fix()})
		}
		return nil
	}}}
}

// mode looks at the levels that the worktree is at.
func (x *examined) mode() []doctor.Check {
	if x.g == nil {
		return nil
	}
	return []doctor.Check{{Name: "mode", Limit: time.Minute, Do: func(ctx context.Context, say func(doctor.Row)) error {
		r, now, well := x.g.Registry(ctx), x.current, true
		wrong := func(status check.Status, detail, fix string) {
			well = false
			say(doctor.Row{Status: status, Name: "mode", Detail: detail, Fix: fix})
		}
		for _, f := range now.Findings {
			if f.Check.Severity > ext.Info {
				wrong(check.Warn, f.Message, f.Fix())
			}
		}
		for _, axis := range now.Lapsed {
			rest := plan.Arguments([]plan.Update{{Axis: axis, Level: now.Mode[axis]}})
			wrong(check.Warn, "the level of "+axis+" has ended; it is at "+now.Mode[axis], "mortise mode "+rest+" forgets it")
		}
		for _, axis := range now.Lowered {
			wrong(check.Warn, axis+" rests, since what it needs has ended", "mortise mode shows what it needs")
		}
		for _, i := range r.Issues(ctx, now.Mode) {
			status := check.Warn
			if i.Fatal {
				status = check.Fail
			}
			wrong(status, i.Message, "mortise mode shows the axes, and sets them")
		}
		if well && len(r.Axes()) > 0 {
			say(doctor.Row{Status: check.OK, Name: "mode", Detail: levels(r, now)})
		}
		return nil
	}}}
}

func levels(r *plan.Registry, now *plan.Current) string {
	var all []plan.Update
	for _, a := range r.Axes() {
		all = append(all, plan.Update{Axis: a.Value.Name, Level: now.Mode[a.Value.Name]})
	}
	return plan.Arguments(all)
}

// log looks whether calls can be logged: one that cannot is not made.
func (x *examined) log() []doctor.Check {
	return alone("log of calls", 0, func(context.Context) (doctor.Row, error) {
		dir := x.place.CallLog()
		at := dir
		for {
			info, err := os.Stat(at)
			if err == nil && !info.IsDir() {
				return doctor.Row{Status: check.Fail, Detail: ext.Quote(at) + " is no directory; a call that cannot be logged is not made", Fix: "move away what lies there"}, nil
			}
			if err == nil || filepath.Dir(at) == at {
				break
			}
			at = filepath.Dir(at)
		}
		if at != dir {
			return doctor.Row{Status: check.OK, Detail: "nothing is logged yet"}, nil
		}
		f, err := os.CreateTemp(dir, ".doctor-*")
		if err != nil {
			return doctor.Row{Status: check.Fail, Detail: "a call that cannot be logged is not made: " + err.Error(), Fix: "make " + ext.Quote(dir) + " writable for yourself"}, nil //nolint:nilerr // it is the row
		}
		f.Close()
		os.Remove(f.Name())
		return doctor.Row{Status: check.OK, Detail: dir}, nil
	})
}

// running looks at the hosts that serve the workspace.
func (x *examined) running() []doctor.Check {
	return []doctor.Check{{Name: "running host", Limit: time.Minute, Do: func(_ context.Context, say func(doctor.Row)) error {
		dir, workspace := runDir(x.place), x.place.Workspace.Dir
		there, err := instance.Find(dir, workspace)
		if err != nil {
			return err
		}
		for _, r := range there {
			say(doctor.Row{Status: check.OK, Name: "running host", Detail: r.String()})
		}
		for _, r := range instance.Alive(dir, workspace) {
			if !slices.ContainsFunc(there, func(t instance.Record) bool { return t.Process == r.Process }) {
				say(doctor.Row{
					Status: check.Fail, Name: "running host", Detail: fmt.Sprintf("process %d serves this workspace, and does not answer", r.Process.Pid),
					Fix: fmt.Sprintf("end process %d, and serve the workspace again", r.Process.Pid),
				})
			}
		}
		return nil
	}}}
}

// runDir is where running hosts say of themselves.
func runDir(p host.Place) string { return filepath.Join(p.Paths.State, "run") }

package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// examined is a place that is looked at.
type examined struct {
	place  host.Place
	deep   bool
	tester doctor.Tester

	// Of a pass that could be made; else they are nil.
	g       *host.Generation
	listing *host.Listing
	current *plan.Current
	plan    *plan.Plan
	checks  *plan.Gathered // what extensions check
	secrets []plan.Typed[secret.Secret]
}

// coreChecks are Mortise's own, in the order in which they are shown. Those of what is off
// are none.
var coreChecks = []func(*examined) []doctor.Check{
	(*examined).configuration,
	(*examined).state,
	(*examined).adoption,
	(*examined).findings,
	(*examined).hooks,
	(*examined).git,
	(*examined).plugins,
	(*examined).lock,
	(*examined).servers,
	(*examined).clients,
	(*examined).mode,
	(*examined).wanted,
	(*examined).log,
	(*examined).running,
}

// Doctor looks whether all is well in a place. What is wrong is a row, and no error.
// Nothing of a workspace that is not adopted is run.
func Doctor(ctx context.Context, p host.Place, o host.Examination) (out host.Health, err error) {
	x := examined{place: p, deep: o.Deep, tester: doctor.Tester{Env: p.Env, Dir: p.Workspace.Dir, Deep: o.Deep}}
	told := doctor.Options{Begun: o.Begun}
	if o.Begun != nil {
		o.Begun("workspace")
	}
	h, done, err := Open(ctx, p, host.Looking, nil)
	if err != nil {
		return out, err
	}
	defer func() {
		if closing := done(); err == nil {
			err = closing
		}
	}()
	made := make(chan examined, 1)
	first := doctor.Run(ctx, []doctor.Check{x.workspace(h, o.Begun, made)}, told)
	select {
	case x = <-made:
	default: // what needs no pass is looked at all the same
	}
	var checks []doctor.Check
	for _, of := range coreChecks {
		checks = append(checks, of(&x)...)
	}
	var fixes []doctor.Fix
	if x.g != nil {
		asked, left := doctor.Asked(x.checks, &x.tester)
		checks, out.Left = append(checks, asked...), left
		fixes = doctor.Declared(plan.Of(ctx, x.plan, check.Fixes))
		told.Clean = doctor.Redactor(p.Env, x.secret)
	}
	out.Rows = append(first, doctor.Run(ctx, checks, told)...)
	out.Fixes, out.Unmended = doctor.Fixable(out.Rows, fixes)
	for _, rows := range [][]doctor.Row{out.Rows, out.Unmended} {
		for i := range rows {
			rows[i].From = shown(rows[i].From)
		}
	}
	for i := range out.Fixes {
		out.Fixes[i].From = shown(out.Fixes[i].From)
	}
	return out, ctx.Err()
}

// shown is an extension as rows name it: what is compiled in is Mortise itself.
func shown(x ext.Name) ext.Name {
	if x == ext.BuiltinName {
		return ""
	}
	return x
}

// askLimit is for a pass, and for all extensions to say what they check.
const askLimit = 5 * time.Minute

// workspace makes a pass, asks what is to be checked, and sends what it then knows.
func (x *examined) workspace(h *host.Host, begun func(string), made chan<- examined) doctor.Check {
	return doctor.Check{Name: "workspace", Limit: askLimit, Do: func(ctx context.Context, say func(doctor.Row)) error {
		y := *x
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		y.g, y.listing, y.current = g, g.Listing(), h.Mode(ctx, g)
		y.plan = g.Plan(ctx, y.current.Mode)
		if begun != nil {
			begun("what extensions check")
		}
		if y.deep {
			y.checks = y.plan.Deep(ctx, check.Doctor.Spec)
		} else {
			y.checks = y.plan.Gather(ctx, check.Doctor.Spec)
		}
		y.secrets = plan.Of(ctx, y.plan, secret.Wanted)
		if err := ctx.Err(); err != nil {
			return err
		}
		made <- y // there is room for it
		say(doctor.Row{Status: check.OK, Name: "workspace", Detail: fmt.Sprintf("%s: %d extensions found, %d in use", y.place.Workspace.Dir, y.listing.Found, y.listing.Admitted)})
		return nil
	}}
}

// secret reports whether a variable's value is to be shown to nobody.
func (x *examined) secret(name string) bool {
	for _, end := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS"} {
		if strings.HasSuffix(strings.ToUpper(name), end) {
			return true
		}
	}
	for _, s := range x.secrets {
		if s.Value.Variable == name {
			return true
		}
	}
	return x.tries(name)
}

// tries reports whether a check tries a variable.
func (x *examined) tries(name string) bool {
	for _, a := range x.checks.Answers {
		if c, ok := a.Value.(check.Check); ok && c.Try != nil && c.Try.Variable == name {
			return true
		}
	}
	return false
}

// alone is one check with one row; a name that is "" is left out.
func alone(name string, limit time.Duration, look func(ctx context.Context) (doctor.Row, error)) []doctor.Check {
	return []doctor.Check{{Name: name, Limit: limit, Do: func(ctx context.Context, say func(doctor.Row)) error {
		r, err := look(ctx)
		if err == nil && r.Status != "" {
			r.Name = name
			say(r)
		}
		return err
	}}}
}

// Mend runs a fix, and writes into the history how that ended. line is told what it writes,
// line by line; it may be foreign.
func Mend(ctx context.Context, p host.Place, f *host.Fix, by string, line func(string)) error {
	err := mend(ctx, p, f, line)
	if f.Own { // it writes down itself what it does
		return err
	}
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	event := state.Event{Kind: "fix", Subject: ext.Shorten(p.Workspace.Dir, 300), Text: ext.Shorten(fmt.Sprintf("%s: %s of %s: %s", outcome, f.Check, f.From, strings.Join(f.Command, " ")), 500), By: by, At: time.Now().UTC()}
	if noting := appendEvent(context.WithoutCancel(ctx), p, event); noting != nil {
		return errors.Join(err, fmt.Errorf("the history could not be written: %w", noting))
	}
	return err
}

func appendEvent(ctx context.Context, p host.Place, e state.Event) (err error) {
	s, done, err := State(ctx, p, host.Changing)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return s.Append(ctx, e)
}

func mend(ctx context.Context, p host.Place, f *host.Fix, line func(string)) error {
	o := doctor.Running{Dir: p.Workspace.Dir, Env: command.Environment(p.Env), Line: line}
	if f.Own {
		var err error
		if o.Program, err = os.Executable(); err != nil {
			return err
		}
		o.Env = p.Env
	}
	return doctor.Mend(ctx, f, o)
}

// ours is a command of this program about a place, which asks for nothing.
func (x *examined) ours(label string, args ...string) *doctor.Fix {
	return &doctor.Fix{Label: label, Command: append([]string{"mortise", "--workspace", x.place.Workspace.Dir}, args...), Own: true}
}

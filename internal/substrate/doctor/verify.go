package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
)

// VerdictStatus is what came of a claim.
type VerdictStatus string

// What comes of claims.
const (
	Holds  VerdictStatus = "pass"
	Broken VerdictStatus = "fail" // it was broken, or is unproven
	Notice VerdictStatus = "info" // there is nothing to prove here
)

// Claim is something that must not be possible.
type Claim struct {
	Name  string
	From  ext.Name // the extension that claims it; "" for Mortise itself
	At    string
	Limit time.Duration // for control and attempt together; 0 is ten seconds
	Known *Verdict      // what came of it; then there is nothing to try
	// Control does what must succeed, so that the attempt proves something. ErrMoot, or an
	// error that wraps it, is that there is nothing to prove here.
	Control func(ctx context.Context) error
	// Attempt does what must not succeed: breach says what did, "" when nothing did. An
	// error is that it could not be tried.
	Attempt func(ctx context.Context) (breach string, err error)
}

// ErrMoot is that there is nothing to prove here.
var ErrMoot = errors.New("there is nothing to try here")

// Verdict is what came of a claim, one row of verify. Its texts may be foreign.
type Verdict struct {
	Status VerdictStatus
	Name   string
	From   ext.Name
	At     string
	Detail string
}

// Refuted reports whether one of them is a failure.
func Refuted(all []Verdict) bool {
	for i := range all {
		if all[i].Status == Broken {
			return true
		}
	}
	return false
}

// Prove tries claims one after the other. A claim without proof counts as broken.
func Prove(ctx context.Context, claims []Claim, o Options) []Verdict {
	var out []Verdict
	for i := range claims {
		c := &claims[i]
		o.begun(c.Name)
		v := c.prove(ctx)
		v.Name, v.From, v.At = ext.Shorten(o.clean(c.Name), mostName), c.From, c.At
		v.Detail = ext.Shorten(o.clean(v.Detail), mostDetail)
		out = append(out, v)
	}
	return out
}

func (c *Claim) prove(ctx context.Context) Verdict {
	if c.Known != nil {
		return *c.Known
	}
	type proof struct {
		controlled bool
		breach     string
	}
	got, err := guarded(ctx, c.Limit, func(ctx context.Context) (p proof, err error) {
		if err := c.Control(ctx); err != nil {
			return p, err
		}
		p.controlled = true
		p.breach, err = c.Attempt(ctx)
		return p, err
	})
	switch late := new(lateError); {
	case errors.As(err, &late):
		return Verdict{Status: Broken, Detail: "unproven: " + err.Error()}
	case errors.Is(err, ErrMoot):
		return Verdict{Status: Notice, Detail: err.Error()}
	case err != nil && got.controlled:
		return Verdict{Status: Broken, Detail: "unproven: it could not be tried: " + err.Error()}
	case err != nil:
		return Verdict{Status: Broken, Detail: "unproven: what has to succeed did not: " + err.Error()}
	case got.breach != "":
		return Verdict{Status: Broken, Detail: got.breach}
	}
	return Verdict{Status: Holds}
}

// succeeds is why a test does not succeed; nil when it does.
func (t *Tester) succeeds(ctx context.Context, what *check.Test) error {
	if o := t.Try(ctx, what); !o.Good {
		return errors.New(o.Why)
	}
	return nil
}

// breaks is what a test that must not succeed did. One that came to nothing proves
// nothing.
func (t *Tester) breaks(ctx context.Context, what *check.Test) (string, error) {
	switch o := t.Try(ctx, what); {
	case o.Good:
		return "it is possible: " + describe(what), nil
	case o.Moot:
		return "", errors.New(o.Why)
	}
	return "", nil
}

// describe is a test in a few words. It is no secret what is tried.
func describe(t *check.Test) string {
	switch {
	case t.Program != "":
		return "there is the program " + t.Program
	case t.Variable != "":
		return "there is the variable " + t.Variable
	case t.Path != "":
		return t.Path + " is there"
	case t.Port != 0:
		return fmt.Sprintf("the port %d answers", t.Port)
	}
	return fmt.Sprintf("%.200q succeeds", t.Command)
}

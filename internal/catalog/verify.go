package catalog

import (
	"context"
	"errors"

	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// coreClaims are Mortise's own, in the order in which they are tried. They depend on no
// extension.
var coreClaims = []func(*lab) doctor.Claim{
	(*lab).linkOut,
	(*lab).notAdopted,
	(*lab).disabled,
	(*lab).guardCrashes,
	(*lab).guardIsLate,
	(*lab).guardIsOdd,
	(*lab).guardEnvironment,
	(*lab).serverEnvironment,
	(*lab).leftBehind,
	(*lab).loopback,
}

// Verify tries what is claimed of isolation: Mortise's own claims in a place of their own
// that is taken away again, and those of what is in use in a place. What is broken or
// unproven is a verdict, and no error.
func Verify(ctx context.Context, p host.Place, begun func(name string)) (out []host.Verdict, err error) {
	l, err := newLab(p.Env)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	var own []doctor.Claim
	for _, of := range coreClaims {
		own = append(own, of(l))
	}
	out = doctor.Prove(ctx, own, doctor.Options{Begun: begun})
	claims, clean, err := claimed(ctx, p)
	if err != nil {
		return nil, err
	}
	return append(out, doctor.Prove(ctx, claims, doctor.Options{Begun: begun, Clean: clean})...), ctx.Err()
}

// claimed are the claims of what is in use in a place.
func claimed(ctx context.Context, p host.Place) (claims []doctor.Claim, clean func(string) string, err error) {
	h, done, err := Open(ctx, p, host.Looking, nil)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	g, err := h.Refresh(ctx)
	if err != nil {
		return nil, nil, err
	}
	mode := g.Plan(ctx, h.Mode(ctx, g).Mode)
	t := doctor.Tester{Env: p.Env, Dir: p.Workspace.Dir}
	x := examined{place: p, checks: new(plan.Gathered), secrets: plan.Of(ctx, mode, secret.Wanted)}
	return doctor.Claimed(mode.Gather(ctx, check.Verify.Spec), &t), doctor.Redactor(p.Env, x.secret), nil
}

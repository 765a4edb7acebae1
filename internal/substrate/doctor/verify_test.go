package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

func control(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func attempt(breach string, err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return breach, err }
}

func TestProve(t *testing.T) {
	for _, c := range []struct {
		name   string
		claim  doctor.Claim
		status doctor.VerdictStatus
		detail string
	}{
		{"it holds", doctor.Claim{Control: control(nil), Attempt: attempt("", nil)}, doctor.Holds, ""},
		{"it is broken", doctor.Claim{Control: control(nil), Attempt: attempt("it got out", nil)}, doctor.Broken, "it got out"},
		{"the attempt could not be made", doctor.Claim{Control: control(nil), Attempt: attempt("", errors.New("no network"))}, doctor.Broken, "unproven: it could not be tried: no network"},
		{"there is nothing to try", doctor.Claim{Control: control(fmt.Errorf("%w: no shell", doctor.ErrMoot))}, doctor.Notice, "no shell"},
		{"the attempt panics", doctor.Claim{Control: control(nil), Attempt: func(context.Context) (string, error) { panic("boo") }}, doctor.Broken, "boo"},
		{"known", doctor.Claim{Known: &doctor.Verdict{Status: doctor.Notice, Detail: "so it is"}}, doctor.Notice, "so it is"},
	} {
		got := doctor.Prove(t.Context(), []doctor.Claim{c.claim}, doctor.Options{})
		if len(got) != 1 || got[0].Status != c.status || !strings.Contains(got[0].Detail, c.detail) {
			t.Errorf("%s: got %+v, want %s, %q", c.name, got, c.status, c.detail)
		}
	}
}

// Where the control does not succeed, nothing is proven: the claim fails, and the attempt
// is not made, so that no row says that it did not succeed.
func TestParity093_without_its_control_a_claim_fails(t *testing.T) {
	tried := false
	got := doctor.Prove(t.Context(), []doctor.Claim{{
		Name: "no way out", Control: control(errors.New("the image does not run")),
		Attempt: func(context.Context) (string, error) { tried = true; return "", nil },
	}}, doctor.Options{})
	if len(got) != 1 || got[0].Status != doctor.Broken || !strings.Contains(got[0].Detail, "unproven") || tried || !doctor.Refuted(got) {
		t.Errorf("Prove: got %+v, tried %v, want one failure that says unproven, and no attempt", got, tried)
	}
}

// An attempt that fails for another reason, such as no time, proves nothing.
func TestParity094_an_attempt_that_is_late_proves_nothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := doctor.Prove(t.Context(), []doctor.Claim{{
			Name: "no push", Control: control(nil),
			Attempt: func(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() },
		}}, doctor.Options{})
		if len(got) != 1 || got[0].Status != doctor.Broken || !strings.Contains(got[0].Detail, "unproven") {
			t.Errorf("Prove: got %+v, want one failure that says unproven", got)
		}
	})
}

// So it is with the tests of extensions: a command that cannot be started is no proof.
func TestParity094_a_command_that_does_not_start_proves_nothing(t *testing.T) {
	shells(t)
	x := tester(t)
	test := func(argv ...string) *check.Test { return &check.Test{Command: argv} }
	for _, c := range []struct {
		name             string
		control, attempt *check.Test
		want             doctor.VerdictStatus
	}{
		{"it fails as it must", test("true"), test("false"), doctor.Holds},
		{"it succeeds", test("true"), test("true"), doctor.Broken},
		{"it is not there", test("true"), test("no-such-program-here"), doctor.Broken},
		{"it is killed", test("true"), test("sh", "-c", "kill -9 $$"), doctor.Broken},
		{"its control fails", test("false"), test("false"), doctor.Broken},
	} {
		claims := doctor.Claimed(given("acme", check.Claim{Name: c.name, Control: c.control, Attempt: c.attempt}), x)
		if got := doctor.Prove(t.Context(), claims, doctor.Options{}); len(got) != 1 || got[0].Status != c.want || got[0].From != "acme" {
			t.Errorf("%s: got %+v, want %s", c.name, got, c.want)
		}
	}
}

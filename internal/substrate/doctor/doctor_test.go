package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
	"github.com/mortise-dev/mortise/internal/surface"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

// says is a check that says rows.
func says(name string, rows ...doctor.Row) doctor.Check {
	return doctor.Check{Name: name, Do: func(_ context.Context, say func(doctor.Row)) error {
		for _, r := range rows {
			say(r)
		}
		return nil
	}}
}

func row(status check.Status, name string) doctor.Row { return doctor.Row{Status: status, Name: name} }

// table is rows in words.
func table(rows []doctor.Row) string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprintf("%s %s %s", r.Status, r.Name, r.Detail))
	}
	return strings.Join(out, "\n")
}

func TestParity091_warnings_alone_are_no_failure(t *testing.T) {
	warned := doctor.Run(t.Context(), []doctor.Check{says("a", row(check.OK, "a"), row(check.Warn, "b"))}, doctor.Options{})
	if doctor.Failed(warned) {
		t.Errorf("Failed(%s): got true, want false", table(warned))
	}
	failed := doctor.Run(t.Context(), []doctor.Check{says("a", row(check.Warn, "a"), row(check.Fail, "b"))}, doctor.Options{})
	if !doctor.Failed(failed) {
		t.Errorf("Failed(%s): got false, want true", table(failed))
	}
}

func TestRunningRows(t *testing.T) {
	rows := doctor.Run(t.Context(), []doctor.Check{
		says("a", row(check.Running, "net"), row(check.Running, "never"), row(check.OK, "net")),
		{Name: "b", From: "other", Do: func(_ context.Context, say func(doctor.Row)) error {
			say(row(check.OK, "never")) // another extension's row of the same name is another row
			return nil
		}},
	}, doctor.Options{})
	want := "ok net \nfail never it was begun, and nothing says what came of it\nok never "
	if got := table(rows); got != want {
		t.Errorf("Run: got\n%s\nwant\n%s", got, want)
	}
}

// Checks that may be made beside each other are, four at once; their rows stand in order.
func TestChecksBesideEachOther(t *testing.T) {
	var all []doctor.Check
	var mu sync.Mutex
	at, most := 0, 0
	ready := make(chan struct{})
	full := sync.OnceFunc(func() { close(ready) })
	for i := range 6 {
		all = append(all, doctor.Check{Name: string(rune('a' + i)), Beside: true, Do: func(_ context.Context, say func(doctor.Row)) error {
			mu.Lock()
			if at++; at == 4 {
				full()
			}
			most = max(most, at)
			mu.Unlock()
			<-ready // none returns before four are at it
			say(row(check.OK, string(rune('a'+i))))
			mu.Lock()
			defer mu.Unlock()
			at--
			return nil
		}})
	}
	all = append(all, says("z", row(check.OK, "z")))
	got := table(doctor.Run(t.Context(), all, doctor.Options{}))
	if want := "ok a \nok b \nok c \nok d \nok e \nok f \nok z "; got != want || most != 4 {
		t.Errorf("Run: got\n%s\nwith %d at once, want\n%s\nwith 4", got, most, want)
	}
}

// A check that fails in any way costs its own row: those before and behind it are made.
func TestHostileCheckCostsItsRowAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		rows := doctor.Run(t.Context(), []doctor.Check{
			says("first", row(check.OK, "first")),
			{Name: "panics", Do: func(context.Context, func(doctor.Row)) error { panic("boo") }},
			{Name: "errs", Do: func(context.Context, func(doctor.Row)) error { return errors.New("no luck") }},
			{Name: "hangs", Do: func(_ context.Context, say func(doctor.Row)) error {
				say(row(check.Running, "hangs"))
				<-never
				say(row(check.OK, "too late"))
				return nil
			}},
			{Name: "floods", Do: func(_ context.Context, say func(doctor.Row)) error {
				for range 100_000 {
					say(doctor.Row{Status: check.OK, Name: strings.Repeat("x", 5000), Detail: strings.Repeat("y", 5000)})
				}
				return nil
			}},
			says("last", row(check.OK, "last")),
		}, doctor.Options{})
		got := table(rows)
		for _, want := range []string{"ok first", "fail panics the check itself failed: boo", "fail errs no luck", "fail hangs it could not be told within 10s", "floods it has 99800 rows more", "ok last"} {
			if !strings.Contains(got, want) {
				t.Errorf("Run: got\n%s\nwant %q in it", ext.Shorten(got, 4000), want)
			}
		}
		if len(got) > 400_000 || strings.Contains(got, "too late") {
			t.Errorf("Run: got %d bytes, want rows to be bounded and nothing that came too late", len(got))
		}
	})
}

// given are answers as a plan gathers them.
func given(from ext.Name, values ...any) *plan.Gathered {
	g := new(plan.Gathered)
	for _, v := range values {
		g.Answers = append(g.Answers, plan.Given{Answer: surface.Answer{Value: v}, Extension: from, Origin: ext.Origin{Path: "checks.json", Line: 3}})
	}
	return g
}

func tester(t *testing.T, env ...string) *doctor.Tester {
	return &doctor.Tester{Env: append([]string{"PATH=" + os.Getenv("PATH")}, env...), Dir: t.TempDir()}
}

func shells(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the commands of this test are shell scripts")
	}
}

// What a command of an extension does costs its own row: its output is bounded and shown
// escaped, what it started is ended, and no secret is shown.
func TestHostileCommandCostsItsRowAlone(t *testing.T) {
	shells(t)
	x := tester(t, "SOME_TOKEN=hush-hush-1")
	left := filepath.Join(x.Dir, "left")
	sh := func(name, script string) check.Check {
		return check.Check{Name: name, Try: &check.Test{Command: []string{"sh", "-c", script}}, Bad: "bad", Else: check.Fail}
	}
	checks, _ := doctor.Asked(given("acme",
		sh("floods", "yes | head -c 10000000"),
		sh("escapes", `printf '\033]0;owned\007' >&2; exit 1`),
		sh("forks", `(sleep 300 & echo $! > `+left+`); exit 3`),
		sh("killed", "kill -9 $$"),
		sh("tells", `echo "hush-hush-1 $SOME_TOKEN"; exit 1`),
		check.Check{Name: "gone", Try: &check.Test{Command: []string{"no-such-program-here"}}, Bad: "install it", Else: check.Warn},
		check.Check{Name: "good", Try: &check.Test{Command: []string{"true"}}, Good: "well"},
	), x)
	clean := doctor.Redactor(x.Env, func(name string) bool { return name == "SOME_TOKEN" })
	rows := doctor.Run(t.Context(), checks, doctor.Options{Clean: clean})
	got := table(rows)
	for _, want := range []string{
		"fail floods bad (it wrote more than", `fail escapes bad (it ended with 1: \x1b]0;owned\a)`, "fail forks bad (it ended with 3)",
		"fail killed bad (it was killed by", "fail tells bad (it ended with 1: (the value of SOME_TOKEN))", "warn gone install it (", "ok good well",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("Run: got\n%s\nwant %q in it", got, want)
		}
	}
	if strings.Contains(got, "hush-hush") || strings.Contains(got, "\x1b") {
		t.Errorf("Run: got\n%q\nwant no secret and no escape sequence", got)
	}
	text, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(text), &pid)
	if pid == 0 || child.Alive(child.Identity{Pid: pid}) {
		t.Errorf("process %d, which a check left behind, still runs", pid)
	}
}

func TestTests(t *testing.T) {
	x := tester(t, "THERE=1", "EMPTY=")
	if err := os.WriteFile(filepath.Join(x.Dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		test check.Test
		want bool
	}{
		{"a variable", check.Test{Variable: "THERE"}, true},
		{"a variable that is empty", check.Test{Variable: "EMPTY"}, false},
		{"a variable that is not", check.Test{Variable: "NOWHERE"}, false},
		{"a path", check.Test{Path: "file"}, true},
		{"a path that is not", check.Test{Path: "other"}, false},
		{"a program that is not", check.Test{Program: "no-such-program-here"}, false},
		{"a program", check.Test{Program: "go"}, true},
		{"a port that nobody has", check.Test{Port: 1}, false},
	} {
		if got := x.Try(t.Context(), &c.test); got.Good != c.want {
			t.Errorf("%s: got %+v, want %v", c.name, got, c.want)
		}
	}
}

// Without --deep, what takes its time is not tried, and counted.
func TestDeepChecksAreCounted(t *testing.T) {
	g := given("acme", check.Check{Name: "slow", Deep: true, Try: &check.Test{Variable: "X"}}, check.Check{Name: "fast", Status: check.OK})
	if checks, left := doctor.Asked(g, &doctor.Tester{}); len(checks) != 1 || left != 1 {
		t.Errorf("Asked: got %d checks and %d left out, want 1 and 1", len(checks), left)
	}
	if checks, left := doctor.Asked(g, &doctor.Tester{Deep: true}); len(checks) != 2 || left != 0 {
		t.Errorf("Asked(deep): got %d checks and %d left out, want 2 and 0", len(checks), left)
	}
}

// An extension whose checks could not be asked for is a row.
func TestExtensionThatDoesNotAnswerIsARow(t *testing.T) {
	g := new(plan.Gathered)
	g.Findings.Add(plan.HookFailed.At(ext.Origin{Extension: "acme", Path: "doctor_checks/a.json"}, "it did not answer within 5s"))
	checks, _ := doctor.Asked(g, &doctor.Tester{})
	rows := doctor.Run(t.Context(), checks, doctor.Options{})
	if len(rows) != 1 || rows[0].Status != check.Fail || rows[0].From != "acme" || rows[0].At != "doctor_checks/a.json" {
		t.Errorf("Run: got %+v, want one failure of acme", rows)
	}
}

func TestFixable(t *testing.T) {
	own := &doctor.Fix{Label: "fetch", Command: []string{"mortise", "plugin", "update", "a"}, Own: true}
	rows := []doctor.Row{
		{Status: check.OK, Name: "well", From: "acme"},
		{Status: check.Warn, Name: "cert", From: "acme"},
		{Status: check.Fail, Name: "plugin a", Mend: own},
		{Status: check.Fail, Name: "plugin b", Mend: own},
		{Status: check.Fail, Name: "state"},
	}
	declared := []doctor.Fix{
		{Check: "cert", From: "acme", Label: "renew", Command: []string{"renew"}},
		{Check: "well", From: "acme", Label: "not needed", Command: []string{"rm"}},
		{Check: "cert", From: "other", Label: "of another extension", Command: []string{"other"}},
		{Check: "state", From: "other", Label: "of Mortise's own row", Command: []string{"other"}},
	}
	fixes, rest := doctor.Fixable(rows, declared)
	if len(fixes) != 2 || fixes[0].Label != "renew" || fixes[1].Check != "plugin a" {
		t.Errorf("Fixable: got %+v, want renew and one fetch", fixes)
	}
	if len(rest) != 1 || rest[0].Name != "state" {
		t.Errorf("Fixable: got %+v left, want state", rest)
	}
}

func TestMend(t *testing.T) {
	shells(t)
	var told []string
	o := doctor.Running{Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}, Line: func(l string) { told = append(told, l) }}
	sh := func(script string) *doctor.Fix { return &doctor.Fix{Command: []string{"sh", "-c", script}} }
	if err := doctor.Mend(t.Context(), sh("echo one; echo two; touch done; read x || true"), o); err != nil {
		t.Errorf("Mend: got %v, want it done", err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "done")); err != nil || strings.Join(told, ",") != "one,two" {
		t.Errorf("Mend: got %v, %q, want it to have run and told its lines", err, told)
	}
	if err := doctor.Mend(t.Context(), sh("exit 4"), o); err == nil || !strings.Contains(err.Error(), "4") {
		t.Errorf("Mend(exit 4): got %v, want an error that says so", err)
	}
	told = nil
	if err := doctor.Mend(t.Context(), sh("yes | head -n 100000"), o); err != nil || len(told) != 1001 {
		t.Errorf("Mend(flood): got %v and %d lines, want 1001", err, len(told))
	}
	o.Limit = 500 * time.Millisecond
	if err := doctor.Mend(t.Context(), sh("sleep 300"), o); err == nil || !strings.Contains(err.Error(), "did not end within 500ms") {
		t.Errorf("Mend(late): got %v, want it ended", err)
	}
}

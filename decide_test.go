package mortise_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/ext"
)

func compose(t testing.TB, ps ...mortise.Provider) *mortise.Composed {
	t.Helper()
	c, err := mortise.Compose(ps)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func guarding(name string, judge func(context.Context, mortise.Action) (mortise.Opinion, error)) mortise.Contribution {
	return mortise.Contribution{Extension: name, Guards: []mortise.Guard{{Name: "g", Judge: judge, Timeout: 20 * time.Millisecond}}}
}

type angry struct{}

func (*angry) Error() string { panic("even the error fails") }

// TestLaw05_what_a_guard_does_other_than_answer_denies has every way in which a guard
// can fail to say what it has against a call.
func TestLaw05_what_a_guard_does_other_than_answer_denies(t *testing.T) {
	for _, c := range []struct {
		name  string
		judge func(context.Context, mortise.Action) (mortise.Opinion, error)
		words string // "" is no denial
	}{
		{"no opinion", judging(mortise.Opinion{}, nil), ""},
		{"a denial", judging(mortise.Opinion{Verdict: mortise.Deny, Reason: "not today"}, nil), "not today"},
		{"a question to nobody", judging(mortise.Opinion{Verdict: mortise.Ask, Reason: "sure?"}, nil), "nobody can be asked"},
		{"an error", judging(mortise.Opinion{}, errors.New("out of ink")), "out of ink"},
		{"an error that cannot be told", judging(mortise.Opinion{}, (*angry)(nil)), "even the error fails"},
		{"consent, which is no verdict", judging(mortise.Opinion{Verdict: "allow"}, nil), "no verdict"},
		{"a reason for nothing", judging(mortise.Opinion{Reason: "hm"}, nil), "verdict"},
		{"a panic", func(context.Context, mortise.Action) (mortise.Opinion, error) { panic("no ink") }, "no ink"},
		{"an answer that comes late", func(ctx context.Context, _ mortise.Action) (mortise.Opinion, error) {
			<-ctx.Done()
			return mortise.Opinion{}, nil
		}, "g did not answer"},
		{"no answer", func(context.Context, mortise.Action) (mortise.Opinion, error) {
			select {}
		}, "g did not answer"},
		{"the end of its goroutine", func(context.Context, mortise.Action) (mortise.Opinion, error) {
			runtime.Goexit()
			return mortise.Opinion{}, nil
		}, "g did not answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := mortise.New(compose(t, with("acme", aTool("x")), guarding("guards", c.judge)))
			result, err := h.Session().Call(t.Context(), "acme_x", nil)
			var denied *mortise.Denied
			switch {
			case c.words == "" && (err != nil || result.Text != `"x"`):
				t.Errorf("got %+v, %v, want the call made", result, err)
			case c.words != "" && (!errors.As(err, &denied) || result.Text != ""):
				t.Errorf("got %+v, %v, want it denied", result, err)
			case c.words != "" && (!strings.Contains(err.Error(), c.words) || denied.Decision == "" || ext.KindOf(err) != ext.Refused):
				t.Errorf("got %v of decision %q, want a refusal with %q in it", err, denied.Decision, c.words)
			}
		})
	}
}

// TestLaw07_a_guard_cannot_change_what_is_called: what guards are given are copies.
func TestLaw07_a_guard_cannot_change_what_is_called(t *testing.T) {
	type in struct {
		Path string `json:"path"`
	}
	spoil := func(a mortise.Action) {
		copy(a.Arguments, strings.ReplaceAll(string(a.Arguments), "safe", "evil"))
	}
	echo := mortise.NewTool(mortise.About{Name: "echo", Description: "Says what it is told."}, func(_ context.Context, i in) (any, error) { return i.Path, nil })
	h := mortise.New(compose(t, with("acme", echo), guarding("guards", func(_ context.Context, a mortise.Action) (mortise.Opinion, error) {
		spoil(a)
		return mortise.Opinion{Verdict: mortise.Ask, Reason: "?"}, nil
	})), mortise.AskPerson(func(_ context.Context, q mortise.Question) (bool, error) { spoil(q.Action); return true, nil }))
	if err := h.LoadPlugin(&legacy{name: "old", validate: func(_ context.Context, a mortise.Action) error { spoil(a); return nil }}); err != nil {
		t.Fatal(err)
	}
	if r, err := h.Session().Call(t.Context(), "acme_echo", json.RawMessage(`{"path":"safe"}`)); err != nil || r.Text != `"safe"` {
		t.Errorf("got %+v, %v, want what the agent said", r, err)
	}
}

// TestAsk has every answer of the person to a question, and a denial beside it: only
// consent to a question that nobody denies is a call.
func TestAsk(t *testing.T) {
	asks := guarding("asks", judging(mortise.Opinion{Verdict: mortise.Ask, Reason: "sure?"}, nil))
	denies := guarding("denies", judging(mortise.Opinion{Verdict: mortise.Deny, Reason: "no"}, nil))
	for _, c := range []struct {
		name   string
		guards []mortise.Provider
		ask    mortise.Asker
		asked  int
		words  string
	}{
		{"yes", []mortise.Provider{asks}, func(context.Context, mortise.Question) (bool, error) { return true, nil }, 1, ""},
		{"no", []mortise.Provider{asks}, func(context.Context, mortise.Question) (bool, error) { return false, nil }, 1, "did not allow"},
		{"an error", []mortise.Provider{asks}, func(context.Context, mortise.Question) (bool, error) { return true, errors.New("gone") }, 1, "gone"},
		{"a panic", []mortise.Provider{asks}, func(context.Context, mortise.Question) (bool, error) { panic("gone") }, 1, "gone"},
		{"a denial is not asked about", []mortise.Provider{asks, denies}, func(context.Context, mortise.Question) (bool, error) { return true, nil }, 0, "denies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			h := mortise.New(compose(t, append(c.guards, with("acme", aTool("x")))...), mortise.AskPerson(func(ctx context.Context, q mortise.Question) (bool, error) {
				asked++
				return c.ask(ctx, q)
			}))
			_, err := h.Session().Call(t.Context(), "acme_x", nil)
			if (err == nil) != (c.words == "") || asked != c.asked {
				t.Fatalf("got %v after %d questions, want %q after %d", err, asked, c.words, c.asked)
			}
			if err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("got %v, want %q in it", err, c.words)
			}
		})
	}
}

// TestLaw05_consent_does_not_outlive_what_came_meanwhile: what was loaded, or refused,
// while the person was asked is asked, too.
func TestLaw05_consent_does_not_outlive_what_came_meanwhile(t *testing.T) {
	for _, name := range []string{"loaded", "acme"} { // the second is refused
		var h *mortise.Host
		h = mortise.New(compose(t, with("acme", aTool("x")), guarding("asks", judging(mortise.Opinion{Verdict: mortise.Ask, Reason: "sure?"}, nil))),
			mortise.AskPerson(func(context.Context, mortise.Question) (bool, error) {
				_ = h.LoadPlugin(&legacy{name: name, validate: vetoing(errors.New("came meanwhile"))})
				return true, nil
			}))
		if _, err := h.Session().Call(t.Context(), "acme_x", nil); err == nil || !strings.Contains(err.Error(), "came meanwhile") {
			t.Errorf("a plugin %s while the person was asked: got %v, want its denial", name, err)
		}
	}
}

// TestCall_reads_arguments_as_everybody_does: what a guard and a tool could read
// differently is not passed on.
func TestCall_reads_arguments_as_everybody_does(t *testing.T) {
	s := mortise.New(compose(t, with("acme", aTool("x")))).Session()
	for arguments, want := range map[string]ext.ErrorKind{
		`{"a":1,"a":2}`: ext.Usage, `[]`: ext.Usage, `{`: ext.Usage, `null`: ext.Usage, `{} {}`: ext.Usage, "": 0, `{}`: 0,
	} {
		r, err := s.Call(t.Context(), "acme_x", json.RawMessage(arguments))
		if ext.KindOf(err) != want || (err == nil) != (want == 0) || err == nil && r.Failed {
			t.Errorf("arguments %q: got %+v, %v, want kind %v", arguments, r, err, want)
		}
	}
	if r, err := s.Call(t.Context(), "acme_x", json.RawMessage(`{"unknown":1}`)); err != nil || !r.Failed || !strings.Contains(r.Text, "unknown") {
		t.Errorf("unknown arguments: got %+v, %v, want a result that says so", r, err)
	}
	if _, err := s.Call(t.Context(), "acme_y", nil); ext.KindOf(err) != ext.Usage {
		t.Errorf("a tool that is not there: got %v, want an error of usage", err)
	}
}

// TestTool_failures_are_results: what a tool does wrong is told to the agent.
func TestTool_failures_are_results(t *testing.T) {
	failing := func(name string, do func(context.Context, nothing) (any, error)) mortise.Tool {
		return mortise.NewTool(mortise.About{Name: name, Description: "Fails."}, do)
	}
	s := mortise.New(compose(t, with("acme",
		failing("error", func(context.Context, nothing) (any, error) { return nil, errors.New("broken") }),
		failing("panic", func(context.Context, nothing) (any, error) { panic("broken") }),
		failing("untold", func(context.Context, nothing) (any, error) { return nil, (*angry)(nil) }),
		failing("unwritten", func(context.Context, nothing) (any, error) { return make(chan int), nil }),
	))).Session()
	for _, o := range s.Tools() {
		if r, err := s.Call(t.Context(), o.Name, nil); err != nil || !r.Failed || r.Text == "" {
			t.Errorf("%s: got %+v, %v, want a result that says what went wrong", o.Name, r, err)
		}
	}
}

// TestPolicies_see_the_session: what a session is opened as is what policies read.
func TestPolicies_see_the_session(t *testing.T) {
	h := mortise.New(compose(t, with("acme", aTool("x")), mortise.Contribution{Extension: "rules", Policies: []mortise.Policy{
		{Name: "agent", Outcome: mortise.Deny, Message: "by agent", When: `agent == "a" && client == "c" && mode.network == "off"`},
	}}))
	if _, err := h.Session(mortise.ForAgent("a"), mortise.ForClient("c"), mortise.InMode(ext.Mode{"network": "off"})).Call(t.Context(), "acme_x", nil); err == nil {
		t.Error("got the call made, want it denied for its agent")
	}
	if _, err := h.Session(mortise.ForAgent("b"), mortise.InMode(ext.Mode{"network": "off"})).Call(t.Context(), "acme_x", nil); err != nil {
		t.Errorf("got %v, want the call of another agent made", err)
	}
}

// TestClose_waits_for_calls: a closed host does nothing any more, and Close returns
// after what was in flight.
func TestClose_waits_for_calls(t *testing.T) {
	entered, leave := make(chan bool), make(chan bool)
	slow := mortise.NewTool(mortise.About{Name: "slow", Description: "Waits."}, func(context.Context, nothing) (any, error) {
		close(entered)
		<-leave
		return "done", nil
	})
	h := mortise.New(compose(t, with("acme", slow)))
	s := h.Session()
	var call sync.WaitGroup
	call.Go(func() {
		if r, err := s.Call(context.Background(), "acme_slow", nil); err != nil || r.Text != `"done"` {
			t.Errorf("the call in flight: got %+v, %v, want it to end", r, err)
		}
	})
	<-entered
	closed := make(chan error)
	go func() { closed <- h.Close() }()
	for { // until Close has begun
		if _, err := s.Turn(t.Context(), mortise.Request{}); errors.Is(err, mortise.ErrClosed) {
			break
		}
	}
	select {
	case <-closed:
		t.Error("Close returned before the call did")
	default:
	}
	close(leave)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	call.Wait()
	if _, err := s.Call(t.Context(), "acme_slow", nil); !errors.Is(err, mortise.ErrClosed) {
		t.Errorf("a call of a closed host: got %v, want ErrClosed", err)
	}
	if err := h.LoadPlugin(&legacy{name: "p"}); !errors.Is(err, mortise.ErrClosed) {
		t.Errorf("loading into a closed host: got %v, want ErrClosed", err)
	}
}

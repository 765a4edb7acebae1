package plan_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// failing is a world in which good answers data, and bad's code does something else.
func failing(bad func(ctx context.Context) (json.RawMessage, error), answers ...string) world {
	documents := []string{}
	for _, hook := range answers {
		documents = append(documents, "hooks/"+hook+"/code.json", `{"ref": {"driver": "test", "target": "bad", "name": "`+hook+`"}}`)
	}
	return world{
		data: []hooktest.Extension{files("bad", documents...), hooktest.Data("good", map[string]string{"axes": axisJSON("a", "off", "on"), "derive_env": `{"name": "ACME_A", "value": "b"}`})},
		caller: hooktest.Caller(func(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
			if ref.Target == "bad" {
				return bad(ctx)
			}
			return inproc.New(own()).Call(ctx, ref, argument)
		}),
	}
}

// While what may declare axes does not answer, levels of axes that are not known stay in the
// mode, so that policies see what a person set; those that have ended or cannot be do not.
func TestLevelOfAnAxisThatIsNotDeclaredInTime(t *testing.T) {
	now := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	late := func(context.Context) (json.RawMessage, error) { return nil, errors.New("not now") }
	r := plan.New(t.Context(), failing(late, "axes").inputs(t))
	c := r.Current(t.Context(), []state.Level{
		level("data", "fake", now, time.Time{}),
		level("up", "on", now, now.Add(time.Hour)),
		level("over", "on", now.Add(-time.Hour), now),
		level("odd", "on", now.Add(-time.Hour), now.Add(24*time.Hour)),
	}, now)
	if want := (ext.Mode{"a": "off", "data": "fake", "up": "on"}); !maps.Equal(c.Mode, want) {
		t.Errorf("got %v, want %v", c.Mode, want)
	}
	if len(messages(c.Findings, plan.ModeLeft)) == 0 {
		t.Error("nothing is told of it")
	}
}

// What a hook's code does costs its own answers, and is told with its name. In the
// reference it ends the process.
func TestParity102_Code_that_fails(t *testing.T) {
	for name, c := range map[string]struct {
		bad  func(context.Context) (json.RawMessage, error)
		told string
	}{
		"errs":             {func(context.Context) (json.RawMessage, error) { return nil, errors.New("out of \x1b[2J order") }, `out of \x1b[2J order`},
		"panics":           {func(context.Context) (json.RawMessage, error) { panic("at the disco") }, "at the disco"},
		"answers rubbish":  {func(context.Context) (json.RawMessage, error) { return json.RawMessage("}{"), nil }, "no JSON"},
		"answers a number": {func(context.Context) (json.RawMessage, error) { return json.RawMessage("3"), nil }, "expected a list"},
		"fails as MCP has": {func(context.Context) (json.RawMessage, error) {
			return json.RawMessage(`{"content": [{"type": "text", "text": "it broke"}], "isError": true}`), nil
		}, "it broke"},
		"answers one bad": {func(context.Context) (json.RawMessage, error) {
			return json.RawMessage(`[{"name": "ACME_B", "value": "c"}, {"name": "PATH", "value": "/tmp"}]`), nil
		}, "answer 2"},
		"answers for ever": {func(context.Context) (json.RawMessage, error) {
			return json.RawMessage("[" + strings.Repeat("9", 1<<20)), nil
		}, "no JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			r := failing(c.bad, "derive_env").registry(t)
			g := r.Plan(nil).Gather(t.Context(), hookOf(t, "derive_env"))
			told := messages(g.Findings, plan.HookFailed)
			if len(g.Answers) != 1 || g.Answers[0].Extension != "good" || !strings.Contains(told, c.told) || !strings.Contains(told, "bad:code") || len(told) > 2000 {
				t.Errorf("got %v, %q; want what good answers alone, and bad:code told with %q", g.Answers, ext.Shorten(told, 500), c.told)
			}
		})
	}
}

// Code that hangs has its time and no more, at every hook, and of axes as well: what is
// made for all has those of everybody else.
func TestCodeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		w := failing(func(context.Context) (json.RawMessage, error) { <-end; return nil, nil }, "axes", "derive_env")
		began := time.Now()
		r := w.faulty(t)
		if took := time.Since(began); took != 5*time.Second || axesOf(r) != "a" || !strings.Contains(messages(r.Findings(), plan.HookFailed), "bad:code does not answer axes: it did not answer within 5s") {
			t.Errorf("axes %q after %s, findings %v; want those of others after 5s, and it told", axesOf(r), took, r.Findings())
		}
		g := r.Plan(nil).Gather(t.Context(), hookOf(t, "derive_env"))
		if len(g.Answers) != 1 || messages(g.Findings, plan.HookFailed) == "" {
			t.Errorf("got %v, %v; want what others answer, and it told", g.Answers, g.Findings)
		}
		w.patience = 10 * time.Millisecond
		began = time.Now()
		w.faulty(t)
		if took := time.Since(began); took != w.patience {
			t.Errorf("with a patience of %s: took %s", w.patience, took)
		}
		close(end)
	})
}

// TestField_MOD12_Time_limit_as_configured: a limit that was changed never had effect. What
// a document says holds in a registry that is made of it, up to a minute, and so do
// settings.
func TestField_MOD12_Time_limit_as_configured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for text, want := range map[string]time.Duration{"30": 30 * time.Millisecond, "300": 300 * time.Millisecond, "9000000000000000": time.Minute, "0": 5 * time.Second, "-5": 5 * time.Second} {
			end := make(chan struct{})
			w := failing(func(context.Context) (json.RawMessage, error) { <-end; return nil, nil })
			w.data[0] = files("bad", "hooks/derive_env/code.json", `{"ref": {"driver": "test", "target": "bad"}, "timeout_ms": `+text+`}`)
			r, began := w.registry(t), time.Now()
			r.Plan(nil).Gather(t.Context(), hookOf(t, "derive_env"))
			if took := time.Since(began); took != want {
				t.Errorf("timeout_ms %s: took %s, want %s", text, took, want)
			}
			close(end)
		}
	})
	echo := coded("acme", map[string]func(surface.Question) (any, error){"derive_env": func(q surface.Question) (any, error) {
		return []map[string]string{{"name": "ACME_SEEN", "value": string(q.Settings)}}, nil
	}})
	for _, value := range []string{`{"limit":30}`, `{"limit":300}`, `{"limit":30}`} {
		r := world{coded: []*inproc.Extension{echo}, settings: map[ext.Name]json.RawMessage{"acme": json.RawMessage(value), "other": json.RawMessage(`{"secret":1}`)}}.registry(t)
		if got := keys(t, r, nil, "derive_env", "value"); got != value {
			t.Errorf("with the settings %s: the code was given %s", value, got)
		}
	}
}

// Whose asker gives up is told nothing that is not so, and nothing of it is kept.
func TestAskerThatGivesUp(t *testing.T) {
	r := world{rows: axisRow("a", "off", "on"), keyless: "api-key"}.registry(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	p := r.Plan(nil)
	p.Gather(gone, hookOf(t, "derive_env"))
	r.Fixed(gone, hookOf(t, "box_args"))
	if got := len(p.Gather(t.Context(), hookOf(t, "derive_env")).Answers); got != 1 {
		t.Errorf("asked again: got %d answers, want one", got)
	}
	if got := len(r.Fixed(t.Context(), hookOf(t, "box_args")).Answers); got != 1 {
		t.Errorf("asked again for what is the same in every mode: got %d answers, want one", got)
	}
}

// What a plugin says of the configuration's rows is not believed.
func TestPluginIsNoRow(t *testing.T) {
	r := world{coded: []*inproc.Extension{coded("acme", map[string]func(surface.Question) (any, error){
		"derive_env": says(`[{"name": "ACME_A", "value": "b", "from_row": {"file": "mortise.toml", "line": 7}}]`),
	})}}.registry(t)
	g := r.Plan(nil).Gather(t.Context(), hookOf(t, "derive_env"))
	if o := g.Answers[0].Origin; o.Path != "hooks/derive_env/code.json" || o.Line == 7 || o.Extension != "acme" {
		t.Errorf("its answer is at %s, want its own document", o)
	}
}

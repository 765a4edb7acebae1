package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/plan"
)

// injectRow is a row [[inject]] of an axis and a host, with further lines.
func injectRow(axis, host string, lines ...string) string {
	return "[[inject]]\naxis = \"" + axis + "\"\nhost = \"" + host + "\"\n" + strings.Join(lines, "\n") + "\n"
}

// Rows whose credentials would be in one variable are all left out: which was meant is not
// known.
func TestParity045_Two_rows_one_variable(t *testing.T) {
	for _, pair := range [][2]string{{"pen-pot", "pen_pot"}, {"penpot", "PenPot"}, {"pen", "pen"}} {
		r := world{rows: injectRow(pair[0], "a.example") + injectRow(pair[1], "b.example") + injectRow("other", "c.example")}.faulty(t)
		if told := messages(r.Findings(), plan.RowFault); axesOf(r) != "other" || strings.Count(told, "MORTISE_INJECT_") != 2 || !strings.Contains(told, pair[0]) || !strings.Contains(told, pair[1]) {
			t.Errorf("%v: axes %q, findings %q; want both left out, and told with the variable", pair, axesOf(r), told)
		}
	}
}

// A row is an axis off/on, a rule and a secret. It has no kinds: the one way of the
// reference that needs no code is the only one.
func TestParity046_Row_is_a_static_credential(t *testing.T) {
	r := world{rows: injectRow("pen", "h.example", `value_prefix = "Bearer "`, `how = "ask Jo"`, `pattern = "pk_*"`)}.registry(t)
	rules := plan.Of(t.Context(), r.Plan(ext.Mode{"pen": "on"}), proxy.Rules)
	if len(rules) != 1 || rules[0].Value.Header != "Authorization" || rules[0].Value.Secret != "MORTISE_INJECT_PEN" || rules[0].Value.Replay || rules[0].Origin.Line != 1 || rules[0].Origin.Path != "mortise.toml" {
		t.Errorf("rules: got %+v, want one of the row, in line 1 of mortise.toml", rules)
	}
	if got := keys(t, r, ext.Mode{"pen": "on"}, "secrets", "variable") + keys(t, r, ext.Mode{"pen": "on"}, "secrets", "how") + keys(t, r, nil, "secrets", "variable"); got != "MORTISE_INJECT_PENask Jo" {
		t.Errorf("secrets: got %q, want one while the axis is on", got)
	}
	if got := keys(t, r, nil, "proxy_rules", "host"); got != "" {
		t.Errorf("at rest: got the rules %q, want none", got)
	}
}

// refusedRow wants a row to be left out and told, and the axis of another to be there.
func refusedRow(t *testing.T, row, told string) {
	t.Helper()
	r := world{rows: row + injectRow("good", "good.example")}.faulty(t)
	if got := messages(r.Findings(), plan.RowFault); axesOf(r) != "good" || !strings.Contains(got, told) {
		t.Errorf("%s: axes %q, findings %q; want the row left out and told with %q", row, axesOf(r), got, told)
	}
}

// A field that a row does not take is told by its name. There are no kinds, which would
// come as extensions.
func TestParity047_Field_that_is_not_known(t *testing.T) {
	refusedRow(t, injectRow("a", "h.example", `kind = "github-app"`), "kind")
	refusedRow(t, injectRow("a", "h.example", `permissions = ["x"]`), "permissions")
	refusedRow(t, injectRow("a", "h.example", `emergency = "true"`), "emergency")
	refusedRow(t, injectRow("a", ""), "host")
	refusedRow(t, injectRow("a", "h.example", `header = "X"`, `query_param = "k"`), "exactly one")
	refusedRow(t, "[[inject]]\nhost = \"h.example\"\n", "axis")
}

// A command, or a variable of the row's choosing, for the credential is refused: the
// reference ignores such and reports it.
func TestParity051_No_command_and_no_variable_in_a_row(t *testing.T) {
	refusedRow(t, injectRow("a", "h.example", `minter = "x"`), "minter")
	refusedRow(t, injectRow("a", "h.example", `secret = "AWS_SECRET_ACCESS_KEY"`), "secret")
}

func TestParity052_Variables_of_the_box(t *testing.T) {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "NO_PROXY", "MORTISE_X", "Mortise_x", "LD_PRELOAD", "PATH", "A-B", ""} {
		refusedRow(t, injectRow("a", "h.example", `box_env = { "`+name+`" = "dummy" }`), "box_env")
	}
	refusedRow(t, injectRow("a", "h.example", `box_env = { A = 3 }`), "box_env")
	refusedRow(t, injectRow("a", "h.example", `box_env = { A = "" }`), "stand-in")
	refusedRow(t, injectRow("a", "a.example", `box_env = { A = "x" }`)+injectRow("b", "b.example", `box_env = { A = "y" }`), "different stand-ins")
	r := world{rows: injectRow("a", "a.example", `box_env = { A = "x" }`) + injectRow("b", "b.example", `box_env = { A = "x", B = "y" }`)}.registry(t)
	if got := keys(t, r, nil, "box_args", "name"); got != "A B" {
		t.Errorf("rows that agree: got the variables %q, want each once", got)
	}
}

// Stand-ins are baked whatever the level, so that a level that changes needs no new box.
// Whether the box is behind the proxy is the box's own business, which comes later.
func TestParity053_Stand_ins_at_every_level(t *testing.T) {
	r := world{keyless: "api-key", rows: injectRow("a", "a.example", `box_env = { A = "x" }`)}.registry(t)
	for _, mode := range []ext.Mode{nil, {"a": "on", "claude": "on"}} {
		if got := keys(t, r, mode, "box_args", "name"); got != "ANTHROPIC_API_KEY A" {
			t.Errorf("in %v: got %q, want the stand-ins of both", mode, got)
		}
	}
}

func TestParity054_What_overlaps(t *testing.T) {
	for _, c := range []struct {
		hostA, pathA, hostB, pathB string
		want                       bool
	}{
		{"h", "", "h", "/v1", true}, {"h", "/v1", "h", "/v10", true}, {"h", "/v1", "h", "/v2", false}, {"H.", "", "h", "", true}, {"h", "", "g", "", false},
	} {
		a, b := proxy.Rule{Host: c.hostA, PathPrefix: c.pathA}, proxy.Rule{Host: c.hostB, PathPrefix: c.pathB}
		if proxy.Overlap(a, b) != c.want || proxy.Overlap(b, a) != c.want {
			t.Errorf("%+v and %+v overlap: %v and %v, want %v both ways", a, b, proxy.Overlap(a, b), proxy.Overlap(b, a), c.want)
		}
	}
}

// Two axes that would put credentials into the same requests refuse the mode, with every
// place and a command that would do. One axis may have what rules it likes.
func TestParity055_Two_axes_for_one_request(t *testing.T) {
	r := world{rows: injectRow("a", "h.example") + injectRow("b", "H.example", `path_prefix = "/v1"`)}.registry(t)
	refused := refusal(t, r, at(t, r, "a=on"), "b=on")
	text := refused.Error()
	if !strings.Contains(text, "a and b") || !strings.Contains(text, "h.example/v1") || !strings.Contains(text, "mortise.toml:1") || !strings.Contains(text, "mortise.toml:5") || plan.Arguments(refused.Command) != "a=off b=on" {
		t.Errorf("got %q and the command %q, want both axes, their rows, and a=off b=on", text, plan.Arguments(refused.Command))
	}
	if refused := refusal(t, r, rest(t, r), "a=on b=on"); refused.Command != nil {
		t.Errorf("both at once: got the command %v, want none: nothing does what was asked for", refused.Command)
	}
	split := world{rows: axisRow("c", "off", "on"), data: []hooktest.Extension{hooktest.Data("acme", map[string]string{
		"proxy_rules": `[{"axis": "c", "host": "h", "header": "X", "secret": "S"}, {"axis": "c", "host": "h", "path_prefix": "/v1", "header": "X", "secret": "S"}]`,
	})}}.registry(t)
	at(t, split, "c=on")
}

// combined is a rule that two axes make together, beside one of a third.
func combined(t *testing.T, rows string) *plan.Registry {
	return world{rows: axisRow("x", "off", "on") + axisRow("y", "off", "on") + axisRow("z", "off", "on") + rows, data: []hooktest.Extension{hooktest.Data("acme", map[string]string{
		"proxy_rules": `[{"axis": "x", "host": "h", "header": "X", "secret": "S", "when": {"y": "on"}}, {"axis": "z", "host": "h", "header": "X", "secret": "S"}]`,
	})}}.registry(t)
}

func TestParity056_Overlap_of_axes_together(t *testing.T) {
	r := combined(t, "")
	for _, text := range []string{"x=on z=on", "y=on z=on", "x=on y=on"} {
		at(t, r, text)
	}
	refused := refusal(t, r, at(t, r, "x=on z=on"), "y=on")
	if c, _, err := r.Set(t.Context(), at(t, r, "x=on z=on"), plan.Change{Updates: refused.Command}, now); err != nil || c.Mode["y"] != "on" {
		t.Errorf("the command %q: got %v, %v; want it to do what was asked for", plan.Arguments(refused.Command), c, err)
	}
}

// Where no axis alone ends it, the command rests several. A command that would be refused
// is never named.
func TestParity057_Command_that_rests_several(t *testing.T) {
	r := combined(t, "[[require]]\naxis = \"z\"\nwhen = \"off\"\nneeds = \"x\"\naccepts = \"off\"\n")
	refused := refusal(t, r, at(t, r, "x=on z=on"), "y=on")
	if refused.Command == nil {
		t.Fatal("got no command, want one")
	}
	if c, _, err := r.Set(t.Context(), at(t, r, "x=on z=on"), plan.Change{Updates: refused.Command}, now); err != nil {
		t.Errorf("the command %q: got %v, %v; want it accepted", plan.Arguments(refused.Command), c, err)
	}
}

// An overlap that is there already, after a row was added, lowers nothing when a level
// ends: the proxy puts in neither credential, which comes later. It is told.
func TestParity058_Overlap_that_is_there(t *testing.T) {
	r := world{rows: axisRow("p", "off", "on!") + injectRow("a", "h.example") + injectRow("b", "h.example")}.registry(t)
	all := append(r.Levels(at(t, r, "p=on"), "/w", "tester", now), level("a", "on", now, time.Time{}), level("b", "on", now, time.Time{}))
	got := r.Current(t.Context(), all, now.Add(2*time.Hour))
	if got.Mode["a"] != "on" || got.Mode["b"] != "on" || len(got.Lowered) != 0 || len(r.Issues(t.Context(), got.Mode)) != 1 {
		t.Errorf("got %v, lowered %v; want both as they were, and the issue told", got.Mode, got.Lowered)
	}
}

// While its axis rests a stand-in is known, and what would let it through is in its body;
// while the axis is on it is not, and the rule is.
func TestParity076_Stand_in_of_an_axis_at_rest(t *testing.T) {
	r := world{keyless: "oauth", rows: injectRow("pen", "h.example", `box_env = { PEN = "dummy", PEN2 = "dummy" }`)}.registry(t)
	for level, want := range map[string]string{"off": "api.anthropic.com h.example|", "on": "|api.anthropic.com h.example"} {
		mode := ext.Mode{"claude": level, "pen": level}
		if got := keys(t, r, mode, "held_credentials", "host") + "|" + keys(t, r, mode, "proxy_rules", "host"); got != want {
			t.Errorf("%s: got %q, want %q", level, got, want)
		}
	}
	held := plan.Of(t.Context(), r.Plan(nil), proxy.HeldCredentials)
	if !strings.Contains(string(held[0].Value.Body), "mortise mode claude=on") {
		t.Errorf("the answer is %s, want the command in it", held[0].Value.Body)
	}
}

// A credential that is missing is a failure where its axis is on, and said where it rests.
func TestParity092_Missing_credential_by_level(t *testing.T) {
	r := world{rows: injectRow("pen", "h.example")}.registry(t)
	for level, want := range map[string]check.Status{"off": check.Warn, "on": check.Fail} {
		rows := plan.Of(t.Context(), r.Plan(ext.Mode{"pen": level}), check.Doctor)
		if len(rows) != 1 || rows[0].Value.Else != want || rows[0].Value.Try.Variable != "MORTISE_INJECT_PEN" {
			t.Errorf("%s: got %+v, want one check of the variable that comes to %s", level, rows, want)
		}
	}
}

package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/surface"
)

// The tests of this file and the next ones are behaviours of a reference system by their
// numbers there: docs/hooks-parity.md lists all of them.

// Two extensions declare one axis: both are named, and neither is in use. The reference
// refuses every command instead; here all other axes stay.
func TestParity004_Axis_of_two_extensions(t *testing.T) {
	r := world{data: []hooktest.Extension{
		hooktest.Data("acme", map[string]string{"axes": "[" + axisJSON("gcp", "off", "on") + "," + axisJSON("other", "off", "on") + "]"}),
		hooktest.Data("zeta", map[string]string{"axes": axisJSON("GCP", "off", "sa")}),
	}}.faulty(t)
	told := messages(r.Findings(), plan.AnswerTaken)
	if axesOf(r) != "other" || !strings.Contains(told, `"gcp"`) || !strings.Contains(told, "acme:data") || !strings.Contains(told, "zeta:data") || !r.Findings().Failed() {
		t.Errorf("axes %q, findings %q; want other alone, and an error that names gcp and both extensions", axesOf(r), told)
	}
}

// What a plugin declares comes behind what is built in, and plugins in the order of the
// roster. Rows of the configuration come first: they are the workspace's own.
func TestParity006_Plugins_behind_what_is_built_in(t *testing.T) {
	w := world{
		keyless: "api-key", rows: axisRow("own", "off", "on") + "[[inject]]\naxis = \"pen\"\nhost = \"h.example\"\n", roster: []ext.Name{"zeta", "acme"},
		data: []hooktest.Extension{hooktest.Data("acme", map[string]string{"axes": axisJSON("a", "off")}), hooktest.Data("zeta", map[string]string{"axes": axisJSON("z", "off")})},
	}
	if got, want := axesOf(w.registry(t)), "own claude pen z a"; got != want {
		t.Errorf("axes: got %s, want %s", got, want)
	}
}

// Equal content is an equal registry, and anything else is another one.
func TestParity007_Registry_by_content(t *testing.T) {
	base := world{keyless: "off", rows: axisRow("data", "fake", "real"), settings: map[ext.Name]json.RawMessage{"acme": json.RawMessage(`{"a":1}`)}}
	want := base.registry(t).Digest()
	if got := base.registry(t).Digest(); got != want {
		t.Errorf("the same twice: got %s and %s, want one digest", got.Short(), want.Short())
	}
	row, keyless, settings, data := base, base, base, base
	row.rows = axisRow("data", "fake", "live")
	keyless.keyless = "oauth"
	settings.settings = map[ext.Name]json.RawMessage{"acme": json.RawMessage(`{"a":2}`)}
	data.data = []hooktest.Extension{hooktest.Data("acme", map[string]string{"derive_env": `{"name": "ACME_A", "value": "b"}`})}
	moved := base
	moved.rows = "\n" + base.rows // the same, and in another line, which answers name
	for name, w := range map[string]world{"row": row, "table": keyless, "settings": settings, "extension": data, "line": moved} {
		if w.registry(t).Digest() == want {
			t.Errorf("with another %s: got the same digest, want another", name)
		}
	}
	in := base.inputs(t)
	in.Settings, in.Tables = map[ext.Name]json.RawMessage{}, map[string]json.RawMessage{"claude": in.Tables["claude"], "acme": json.RawMessage(`{"a":1}`)}
	if plan.New(t.Context(), in).Digest() == want {
		t.Error("settings as a table: got the same digest, want another")
	}
	in = base.inputs(t)
	in.Dirs = map[ext.Name]plan.Dirs{"acme": {Root: "/somewhere"}}
	if plan.New(t.Context(), in).Digest() == want {
		t.Error("with another directory of an extension: got the same digest, want another")
	}
}

func TestParity008_Registry_of_a_worktree(t *testing.T) {
	a, b := world{worktree: "/a", rows: axisRow("data", "fake", "real")}, world{worktree: "/b", rows: axisRow("data", "fake", "real")}
	if a.registry(t).Digest() == b.registry(t).Digest() {
		t.Error("two worktrees of one configuration: got one digest, want two")
	}
}

// Two worktrees in one process, used in turns, see their own axes and answers. The
// reference binds a configuration; here it is an argument, so that none can be the wrong
// one.
func TestParity009_Registry_sees_its_own_configuration(t *testing.T) {
	one := world{worktree: "/a", rows: axisRow("data", "fake", "real") + "[[inject]]\naxis = \"pen\"\nhost = \"a.example\"\n"}.registry(t)
	two := world{worktree: "/b", rows: axisRow("net", "off", "on") + "[[inject]]\naxis = \"pen\"\nhost = \"b.example\"\n"}.registry(t)
	for range 2 {
		if got := axesOf(one) + ", " + axesOf(two); got != "data pen, net pen" {
			t.Fatalf("axes: got %s", got)
		}
		if got := keys(t, one, ext.Mode{"pen": "on"}, "proxy_rules", "host") + " " + keys(t, two, ext.Mode{"pen": "on"}, "proxy_rules", "host"); got != "a.example b.example" {
			t.Fatalf("rules: got %s, want each registry's own", got)
		}
	}
	if _, _, err := two.Set(t.Context(), rest(t, two), updates("data=real"), now); ext.KindOf(err) != ext.Usage {
		t.Errorf("an axis of another worktree: got %v, want it not known", err)
	}
}

// An axis that is not whole is refused, as a row, as data and from code.
func axisRefused(t *testing.T, row, answer, names string) {
	t.Helper()
	r := world{rows: row + axisRow("good", "off", "on")}.faulty(t)
	if told := messages(r.Findings(), plan.RowFault); axesOf(r) != "good" || !strings.Contains(told, names) || strings.Contains(told, "answer 1") {
		t.Errorf("as a row: axes %q, findings %q; want it told with %q, and the other axis there", axesOf(r), told, names)
	}
	r = world{rows: axisRow("good", "off", "on"), coded: []*inproc.Extension{coded("acme", map[string]func(surface.Question) (any, error){"axes": says("[" + answer + "]")})}}.faulty(t)
	if told := messages(r.Findings(), plan.HookFailed); axesOf(r) != "good" || !strings.Contains(told, names) || !strings.Contains(told, "acme:code") {
		t.Errorf("from code: axes %q, findings %q; want it told with %q and whose it is, and the other axis there", axesOf(r), told, names)
	}
}

func TestParity010_Blurb_of_every_level(t *testing.T) {
	axisRefused(t, "[[axis]]\nname = \"a\"\nlevels = [\"off\", \"on\"]\nblurb = { off = \"x\" }\n", `{"name": "a", "levels": ["off", "on"], "blurb": {"off": "x"}}`, `"on"`)
}

func TestParity011_Default_is_no_emergency(t *testing.T) {
	axisRefused(t, axisRow("a", "off!", "on"), `{"name": "a", "levels": ["off"], "blurb": {"off": "x"}, "emergency": ["off"]}`, "default level")
}

func TestParity012_Emergency_is_a_level(t *testing.T) {
	axisRefused(t, "[[axis]]\nname = \"a\"\nlevels = [\"off\"]\nemergency = [\"user\"]\nblurb = { off = \"x\" }\n", `{"name": "a", "levels": ["off"], "blurb": {"off": "x"}, "emergency": ["user"]}`, `"user"`)
}

func TestParity013_Axis_has_levels(t *testing.T) {
	axisRefused(t, "[[axis]]\nname = \"a\"\nlevels = []\nblurb = {}\n", `{"name": "a", "levels": [], "blurb": {}}`, "no levels")
}

// A requirement says when it holds. What it is about need not be there.
func TestParity014_Requirement_says_when(t *testing.T) {
	var a axis.Axis
	axisJSON := `{"name": "a", "levels": ["off", "on"], "blurb": {"off": "x", "on": "y"}, "requires": [{"when": [], "axis": "b", "accepts": ["on"]}]}`
	if err := json.Unmarshal([]byte(axisJSON), &a); err != nil {
		t.Fatal(err)
	}
	if err := a.Check(); err == nil {
		t.Error("without \"when\": got no error, want one")
	}
	a.Requires[0].When = axis.Levels{"on"}
	if err := a.Check(); err != nil {
		t.Errorf("about an axis that is not there: got %v, want no error", err)
	}
}

// Overlays of two extensions are stacked in load order.
func TestParity015_Overlays_in_load_order(t *testing.T) {
	r := overlays(t)
	for mode, want := range map[string]string{"a=on b=on": "a.yaml b.yaml", "a=on b=off": "a.yaml", "a=off b=on": "b.yaml", "a=off b=off": ""} {
		m := ext.Mode{}
		for _, u := range updates(mode).Updates {
			m[u.Axis] = u.Level
		}
		if got := strings.TrimPrefix(keys(t, r, m, "compose_overlays", "file"), "rows.yaml"); strings.TrimSpace(got) != want {
			t.Errorf("in %s: got %q, want %q", mode, got, want)
		}
	}
}

// Rows come first, so that what is an extension's is stacked onto them.
func TestParity016_Rows_before_extensions(t *testing.T) {
	if got, want := keys(t, overlays(t), ext.Mode{"a": "on", "b": "on"}, "compose_overlays", "file"), "rows.yaml a.yaml b.yaml"; got != want {
		t.Errorf("overlays: got %q, want %q", got, want)
	}
}

func overlays(t *testing.T) *plan.Registry {
	return world{
		rows: axisRow("a", "off", "on") + axisRow("b", "off", "on") + "[[overlay]]\nfile = \"rows.yaml\"\nwhen = { a = \"on\" , b = [\"on\"] }\n",
		data: []hooktest.Extension{
			hooktest.Data("zeta", map[string]string{"compose_overlays": `[{"file": "b.yaml", "when": {"b": "on"}}]`}),
			hooktest.Data("acme", map[string]string{"compose_overlays": `{"file": "a.yaml", "when": {"a": ["on"]}}`}),
		},
	}.registry(t)
}

func TestParity017_One_recommendation_of_a_host(t *testing.T) {
	r := world{data: []hooktest.Extension{
		hooktest.Data("acme", map[string]string{"egress_recommend": `[{"host": "API.example", "why": " first "}]`}),
		hooktest.Data("zeta", map[string]string{"egress_recommend": `[{"host": "api.example.", "why": "second"}, {"host": "b.example", "why": "x"}]`}),
	}}.registry(t)
	g := r.Fixed(t.Context(), proxy.Recommended.Spec)
	if got := keys(t, r, nil, "egress_recommend", "why"); got != "first x" || len(g.Shadowed) != 1 || g.Shadowed[0].Lost.Extension != "zeta" {
		t.Errorf("got %q and the shadowed %+v, want the first reason, trimmed, and that the second is shadowed", got, g.Shadowed)
	}
}

func TestParity018_One_direct_host(t *testing.T) {
	r := world{data: []hooktest.Extension{
		hooktest.Data("acme", map[string]string{"no_proxy_hosts": `[{"host": "b.internal"}, {"host": "a.internal"}]`}),
		hooktest.Data("zeta", map[string]string{"no_proxy_hosts": `[{"host": "c.internal"}, {"host": "B.internal"}]`}),
	}}.registry(t)
	if got, want := keys(t, r, nil, "no_proxy_hosts", "host"), "b.internal a.internal c.internal"; got != want {
		t.Errorf("hosts: got %q, want %q", got, want)
	}
}

// A probe about an axis that there is not, and two of one name, are told and left out:
// they cost themselves, where the reference ends its supervisor.
func TestParity019_Probes_that_cannot_be(t *testing.T) {
	r := world{rows: axisRow("a", "off", "on"), data: []hooktest.Extension{
		hooktest.Data("acme", map[string]string{"capability_probes": `[{"axis": "ghost", "name": "g", "command": ["x"]}, {"axis": "a", "name": "same", "command": ["x"]}, {"axis": "a", "name": "own", "command": ["x"]}]`}),
		hooktest.Data("zeta", map[string]string{"capability_probes": `[{"axis": "a", "name": "same", "command": ["y"]}]`}),
	}}.registry(t)
	g := r.Plan(ext.Mode{"a": "on"}).Gather(t.Context(), hookOf(t, "capability_probes"))
	taken, unknown := messages(g.Findings, plan.AnswerTaken), messages(g.Findings, plan.AxisUnknown)
	if got := keys(t, r, ext.Mode{"a": "on"}, "capability_probes", "name"); got != "own" || !strings.Contains(taken, "acme:data") || !strings.Contains(taken, "zeta:data") || !strings.Contains(unknown, "ghost") {
		t.Errorf("probes %q, findings %v; want own alone, both of the same name named, and the axis that there is not", got, g.Findings)
	}
	if got := keys(t, r, nil, "capability_probes", "name"); got != "" {
		t.Errorf("at rest: got the probes %q, want none", got)
	}
}

// A hook that reads others declares it, and is given what its own registry answers.
func TestParity020_Aggregator_sees_its_own_registry(t *testing.T) {
	type seen struct {
		Hosts string `json:"hosts" doc:"The hosts."`
	}
	aggregate := surface.DefineHook(surface.HookDef[surface.Question, seen]{
		Name: "aggregate", Doc: "Reads the rules.", Needs: ext.Project, Merge: surface.Append, Reads: []string{"proxy_rules"},
	})
	specs := append(hooks[:len(hooks):len(hooks)], aggregate.Spec)
	reading := coded("acme", map[string]func(surface.Question) (any, error){"aggregate": func(q surface.Question) (any, error) {
		var rules []proxy.Rule
		err := json.Unmarshal(q.Merged["proxy_rules"], &rules)
		hosts := ""
		for _, r := range rules {
			hosts += r.Host
		}
		return []seen{{hosts}}, err
	}})
	for _, host := range []string{"a.example", "b.example"} {
		r := world{specs: specs, coded: []*inproc.Extension{reading}, rows: "[[inject]]\naxis = \"pen\"\nhost = \"" + host + "\"\n"}.registry(t)
		for level, want := range map[string]string{"on": host, "off": ""} {
			got := plan.Of(t.Context(), r.Plan(ext.Mode{"pen": level}), aggregate)
			if len(got) != 1 || got[0].Value.Hosts != want {
				t.Errorf("pen=%s: got %+v, want the hosts %q of this registry in this mode", level, got, want)
			}
		}
	}
}

// A condition on an axis that there is not never holds, whatever a mode says of it, and is
// no error.
func TestParity100_Condition_on_an_axis_that_is_not_there(t *testing.T) {
	r := world{rows: "[[overlay]]\nfile = \"x.yaml\"\nwhen = { ghost = \"on\" }\n"}.registry(t)
	for _, mode := range []ext.Mode{nil, {"ghost": "on"}} {
		g := r.Plan(mode).Gather(t.Context(), hookOf(t, "compose_overlays"))
		if len(g.Answers) != 0 || g.Findings.Failed() || messages(g.Findings, plan.ConditionUnknown) == "" {
			t.Errorf("in %v: got %v, %v; want no overlay, and the axis told and no error", mode, g.Answers, g.Findings)
		}
	}
}

// Two values for one variable: what precedes holds, and both sides are named. In the
// reference the last one wins, and nobody is told.
func TestParity101_Two_values_for_one_variable(t *testing.T) {
	w := world{data: []hooktest.Extension{
		hooktest.Data("acme", map[string]string{"derive_env": `[{"name": "STACK_PROFILES", "value": "a"}]`}),
		hooktest.Data("zeta", map[string]string{"derive_env": `[{"name": "STACK_PROFILES", "value": "b"}, {"name": "ACME_OWN", "value": "z"}]`}),
	}}
	for _, roster := range [][]ext.Name{{"acme", "zeta"}, {"zeta", "acme"}} {
		w.roster = roster
		g := w.registry(t).Plan(nil).Gather(t.Context(), hookOf(t, "derive_env"))
		told := messages(g.Findings, plan.AnswerConflict)
		if len(g.Answers) != 2 || g.Answers[0].Extension != roster[0] || len(g.Shadowed) != 1 || !strings.Contains(told, "acme:data") || !strings.Contains(told, "zeta:data") {
			t.Errorf("in the order %v: got %+v, findings %q; want the first one's value, and both named", roster, g.Answers, told)
		}
	}
	w.data[1] = hooktest.Data("zeta", map[string]string{"derive_env": `[{"name": "STACK_PROFILES", "value": "a"}]`})
	if g := w.registry(t).Plan(nil).Gather(t.Context(), hookOf(t, "derive_env")); len(g.Findings) != 0 || len(g.Answers) != 1 {
		t.Errorf("one value from two: got %v, %v; want it once and nothing told", g.Answers, g.Findings)
	}
}

// A row of the configuration changes of a secret what it names, and the rest stays. A name
// with a line's end or a blank in it is refused.
func TestParity106_Secret_changed_by_a_row(t *testing.T) {
	r := world{rows: axisRow("a", "off", "on") + "[[secret]]\nvariable = \"S\"\nhow = \"ask Jo\"\nwhen = { a = \"on\" }\n[[secret]]\nvariable = \"NEW\"\nlabel = \"n\"\n", data: []hooktest.Extension{
		hooktest.Data("acme", map[string]string{"secrets": `[{"variable": "S", "label": "l", "how": "make one", "pattern": "s-*", "when": {"a": "on"}}]`}),
	}}.registry(t)
	on := ext.Mode{"a": "on"}
	if got := keys(t, r, on, "secrets", "how") + "|" + keys(t, r, on, "secrets", "pattern") + "|" + keys(t, r, nil, "secrets", "variable"); got != "ask Jo |s-* |NEW" {
		t.Errorf("secrets: got %q, want the row's hint, the extension's pattern, and that one alone that is always wanted at rest", got)
	}
	for _, name := range []string{`A\nB`, "A B"} {
		r := world{rows: "[[secret]]\nvariable = \"" + name + "\"\n"}.registry(t)
		g := r.Plan(nil).Gather(t.Context(), hookOf(t, "secrets"))
		if len(g.Answers) != 0 || messages(g.Findings, plan.RowFault) == "" {
			t.Errorf("%s: got %v, %v; want it refused", name, g.Answers, g.Findings)
		}
	}
}

package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface"
)

func costing(catalogue, body int) session.Cost {
	return session.Cost{Catalogue: session.Size{Characters: 4 * catalogue, Tokens: catalogue}, Body: session.Size{Characters: 4 * body, Tokens: body}}
}

// costly is a listing of two extensions of one name at two places and another one.
func costly() *Listing {
	row := func(x, root, name, status string, catalogue, body int) EntryRow {
		return EntryRow{Surface: "skill", Name: name, Qualified: x + ":" + name, Extension: x, Root: root, Status: status, Cost: costing(catalogue, body)}
	}
	return &Listing{
		Extensions: []ExtensionRow{{Name: "b", Root: "/one", Trust: "plugin"}, {Name: "b", Root: "/two", Trust: "plugin"}, {Name: "a", Root: "/a", Trust: "plugin"}, {Name: "mortise", Trust: "builtin"}},
		Entries: []EntryRow{
			row("b", "/one", "big", "active", 100, 1), row("b", "/one", "gone", "refused", 1000, 1), row("b", "/two", "small", "pending", 5, 500),
			row("a", "/a", "mid", "active", 30, 3), row("a", "/a", "lost", "shadowed", 70, 7), row("a", "/a", "unlike", "active", 5, 7),
			row("mortise", "", "own", "active", 60, 0),
		},
	}
}

// TestSums wants the cost of an extension, and in total, to be that of what is
// active or waits.
func TestSums(t *testing.T) {
	l := costly()
	l.addUp()
	l.addUp() // counts nothing twice
	for i, want := range []session.Cost{costing(100, 1), costing(5, 500), costing(35, 10), costing(60, 0)} {
		if got := l.Extensions[i].Cost; got != want {
			t.Errorf("%s at %s: got %+v, want %+v", l.Extensions[i].Name, l.Extensions[i].Root, got, want)
		}
	}
	if want := costing(200, 511); l.Cost != want {
		t.Errorf("in total: got %+v, want %+v", l.Cost, want)
	}
}

func TestSort(t *testing.T) {
	for _, c := range []struct {
		order               Order
		extensions, entries string
	}{
		{ByLoad, "b/one b/two a/a mortise", "big gone small mid lost unlike own"},
		{ByName, "a/a b/one b/two mortise", "big gone lost mid own small unlike"},
		{ByCost, "b/one mortise a/a b/two", "gone big lost own mid small unlike"},
	} {
		l := costly()
		l.addUp()
		l.Sort(c.order)
		var extensions, entries []string
		for _, x := range l.Extensions {
			extensions = append(extensions, x.Name+x.Root)
		}
		for _, e := range l.Entries {
			entries = append(entries, e.Name)
		}
		if got := strings.Join(extensions, " "); got != c.extensions {
			t.Errorf("extensions by %s: got %s, want %s", c.order, got, c.extensions)
		}
		if got := strings.Join(entries, " "); got != c.entries {
			t.Errorf("entries by %s: got %s, want %s", c.order, got, c.entries)
		}
	}
}

// configured is a configuration: what mortise.toml says, and the environment.
func configured(t *testing.T, text string, env ...string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.SharedFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, findings, err := config.Load(config.Inputs{Workspace: config.Workspace{Dir: dir}, Env: env})
	if err != nil || findings.Failed() {
		t.Fatal(err, findings)
	}
	return c
}

// TestBudget wants a warning for each budget that is exceeded, which names the
// three that take the most and lies where the budget is set, and none for one that
// is met, or is none.
func TestBudget(t *testing.T) {
	besides := EntryRow{Surface: "tool", Qualified: "mortise:more", Extension: "mortise", Status: "active", Cost: costing(70, 0)}
	for _, c := range []struct {
		name    string
		text    string
		env     string
		besides []EntryRow
		want    []string
	}{
		{"none", "", "", nil, nil},
		{"met", "[context]\nbudget = 200\nextension_budget = 100\n", "", nil, nil},
		{"of all", "[context]\nbudget = 199\n", "", nil, []string{
			"mortise.toml:2: what an agent carries is estimated at 200 tokens, and context.budget is 199; the most take skill b:big (100), skill mortise:own (60), skill a:mid (30)",
		}},
		{"of all, with what is carried besides", "[context]\nbudget = 200\n", "", []EntryRow{besides}, []string{
			"mortise.toml:2: what an agent carries is estimated at 270 tokens, and context.budget is 200; the most take skill b:big (100), tool mortise:more (70), skill mortise:own (60)",
		}},
		{"by a variable", "", "MORTISE_CONTEXT_BUDGET=199", nil, []string{
			"what an agent carries is estimated at 200 tokens, and context.budget is 199 by the variable MORTISE_CONTEXT_BUDGET; the most take skill b:big (100), skill mortise:own (60), skill a:mid (30)",
		}},
		{"without what the configuration switches off", "[context]\nbudget = 95\nextension_budget = 1\n[plugins]\nb = { path = \"./b\", enabled = false }\n", "", nil, []string{
			"a DIR/mortise.toml:3: what an agent carries of a is estimated at 35 tokens, and context.extension_budget is 1; the most take skill a:mid (30), skill a:unlike (5)",
		}},
		{"of each, but for what is built in", "\n[context]\nextension_budget = 34\n", "", nil, []string{
			"a DIR/mortise.toml:3: what an agent carries of a is estimated at 35 tokens, and context.extension_budget is 34; the most take skill a:mid (30), skill a:unlike (5)",
			"b DIR/mortise.toml:3: what an agent carries of b is estimated at 100 tokens, and context.extension_budget is 34; the most take skill b:big (100)",
		}},
	} {
		l := costly()
		l.addUp()
		cfg := configured(t, c.text, c.env)
		l.Budget(cfg, c.besides...)
		var got []string
		for _, f := range l.Findings {
			if f.Code != "context-budget" || f.Severity != "warning" {
				t.Errorf("%s: got %+v, want warnings about the budget", c.name, f)
			}
			at := strings.ReplaceAll(f.Path, filepath.ToSlash(cfg.Workspace().Dir), "DIR")
			if f.Line > 0 {
				at += ":" + strconv.Itoa(f.Line)
			}
			got = append(got, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(f.Extension+" "+at)+": "+f.Message, ": ")))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestWhatWouldLoseIsNotCarried wants an entry that waits, and would lose its name
// once its person consents, to count as little as it will then.
func TestWhatWouldLoseIsNotCarried(t *testing.T) {
	l := costly()
	lost := compose.Entry{Contribution: admit.Contribution{Spec: &surface.Spec{Name: "skill"}}, Extension: "b", Qualified: "b:small"}
	l.leave([]compose.Shadow{{Lost: lost}})
	l.addUp()
	if want := costing(195, 11); l.Cost != want {
		t.Errorf("in total: got %+v, want %+v, without b:small", l.Cost, want)
	}
}

// TestBuiltin wants the entries of what is built in, whatever was disabled here:
// a check reads no state.
func TestBuiltin(t *testing.T) {
	l := &Listing{Entries: []EntryRow{
		{Extension: "mortise", Qualified: "mortise:a", Status: "active"}, {Extension: "mortise", Qualified: "mortise:b", Status: "disabled"},
		{Extension: "mortise", Qualified: "mortise:c", Status: "shadowed"}, {Extension: "acme", Qualified: "acme:d", Status: "active"},
	}}
	var got []string
	for _, e := range l.Builtin() {
		got = append(got, e.Qualified+" "+e.Status)
	}
	if want := "mortise:a active, mortise:b active"; strings.Join(got, ", ") != want {
		t.Errorf("Builtin: got %q, want %q", got, want)
	}
	if l.Entries[1].Status != "disabled" {
		t.Errorf("Builtin changed the listing: %+v", l.Entries[1])
	}
}

// TestUnite wants an entry to name those that it stands for and no others: not one
// that waits, nor one of another surface that has the same name.
func TestUnite(t *testing.T) {
	of := func(s, x, name string) compose.Entry {
		return compose.Entry{Contribution: admit.Contribution{Spec: &surface.Spec{Name: s}, Name: name}, Extension: ext.Name(x), Qualified: x + ":" + name}
	}
	row := func(s, x, name, status string) EntryRow {
		return EntryRow{Surface: s, Qualified: x + ":" + name, Extension: x, Name: name, Status: status}
	}
	l := &Listing{Entries: []EntryRow{
		row("server", "one", "s", "active"), row("server", "two", "s", "active"), row("server", "three", "s", "pending"), row("skill", "two", "s", "active"),
	}}
	server := of("server", "one", "s")
	shadowed := []compose.Shadow{}
	for _, x := range []string{"two", "three"} {
		lost := of("server", x, "s")
		lost.Spec = server.Spec
		shadowed = append(shadowed, compose.Shadow{Lost: lost, Kept: server, Same: true})
	}
	l.shadow(shadowed)
	l.unite(shadowed)
	var got []string
	for _, e := range l.Entries {
		got = append(got, strings.TrimSpace(e.Surface+" "+e.Qualified+" "+e.Status+" "+strings.Join(e.Also, ",")))
	}
	if want := "server one:s active two:s|server two:s shadowed|server three:s pending|skill two:s active"; strings.Join(got, "|") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
}

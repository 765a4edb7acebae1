package host

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/session"
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

// TestBudget wants a warning for each budget that is exceeded, which names the
// three that take the most, and none for one that is met, or is none.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget config.Context
		want   []string
	}{
		{"none", config.Context{}, nil},
		{"met", config.Context{Budget: 200, ExtensionBudget: 100}, nil},
		{"of all", config.Context{Budget: 199}, []string{"what an agent carries is estimated at 200 tokens, and context.budget is 199; the most take skill b:big (100), skill mortise:own (60), skill a:mid (30)"}},
		{"of each, but for what is built in", config.Context{ExtensionBudget: 34}, []string{
			"what an agent carries of a is estimated at 35 tokens, and context.extension_budget is 34; the most take skill a:mid (30), skill a:unlike (5)",
			"what an agent carries of b is estimated at 100 tokens, and context.extension_budget is 34; the most take skill b:big (100)",
		}},
	} {
		l := costly()
		l.addUp()
		l.Budget(c.budget)
		var got []string
		for _, f := range l.Findings {
			if f.Code != "context-budget" || f.Severity != "warning" {
				t.Errorf("%s: got %+v, want warnings about the budget", c.name, f)
			}
			got = append(got, f.Message)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

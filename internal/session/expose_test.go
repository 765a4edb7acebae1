package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// thing is something callable: of an extension, of one of its servers or, where
// server is "", of its code.
type thing struct {
	extension    ext.Name
	server, name string
}

// read is a JSON document.
func read(t interface{ Fatal(...any) }, text string) *ext.Doc {
	d, findings := doc.JSON(ext.Origin{}, []byte(text))
	if findings.Failed() {
		t.Fatal("read ", text, ": ", findings)
	}
	return &d
}

// ref is what answers for something of a server.
func ref(x ext.Name, server, name string) ext.Ref {
	return ext.Ref{Driver: "mcp", Target: ext.Qualified(x, server) + "@sha256:00", Name: name}
}

func entry(x ext.Name, name string) compose.Entry {
	return compose.Entry{Contribution: admit.Contribution{Name: name}, Extension: x, Qualified: ext.Qualified(x, name)}
}

// tooled is a session with tools.
func tooled(things ...thing) *session.Session {
	s := &session.Session{}
	definition, _ := doc.JSON(ext.Origin{}, []byte(`{"name":"x"}`))
	for _, th := range things {
		if th.server == "" {
			s.Tools = append(s.Tools, compose.Typed[tool.Tool]{Entry: entry(th.extension, th.name), Value: tool.Tool{Ref: ext.Ref{Driver: "inproc", Target: string(th.extension), Name: th.name}}})
			continue
		}
		s.Tools = append(s.Tools, compose.Typed[tool.Tool]{
			Entry: entry(th.extension, th.server+"/"+th.name),
			Value: tool.Tool{Ref: ref(th.extension, th.server, th.name), Definition: &definition},
		})
	}
	return s
}

// called is what each thing is called, by what it is.
func called(s *session.Session, limit int) map[thing]string {
	out := map[thing]string{}
	for _, o := range s.Offer(session.OfferOptions{NameLimit: limit}).Tools {
		server, _ := strings.CutSuffix(o.Entry.Name, "/"+o.Ref.Name)
		if o.Ref.Driver == "inproc" {
			server = ""
		}
		out[thing{o.Entry.Extension, server, o.Ref.Name}] = o.Name
	}
	return out
}

func nameOf(th thing, limit int) string { return called(tooled(th), limit)[th] }

func TestExposedName(t *testing.T) {
	for _, c := range []struct {
		thing thing
		want  string // ending in "--" where a hash follows
	}{
		{thing{"mortise", "", "list"}, "mortise_list"},
		{thing{"release-train", "timetable", "next_departure"}, "release-train_timetable__next_departure"},
		{thing{"search", "search", "find"}, "search__find"},
		{thing{"acme", "", "search"}, "acme_search"},
		{thing{"acme", "a_b", "c__d"}, "acme_a_b__c__d"},
		{thing{"acme", "a__b", "c"}, "acme_a__b__c--"},
		{thing{"acme", "a_", "b"}, "acme_a___b--"},
		{thing{"acme", "_a", "b"}, "acme__a__b--"},
		{thing{"acme", "a", "_b"}, "acme_a___b--"},
		{thing{"acme", "", "_b"}, "acme__b--"},
		{thing{"acme", "", "a__b"}, "acme_a__b--"},
		{thing{"acme.io", "s", "t"}, "acme-io_s__t--"},
		{thing{"acme", "s", "files/read.now"}, "acme_s__files-read-now--"},
		{thing{"acme", "s", "süß"}, "acme_s__s--"},
		{thing{"acme", "s", "t--abcdefgh2345"}, "acme_s__t--abcdefgh2345--"},
		{thing{"acme", "s", "t--ABCDEFGH2345"}, "acme_s__t--ABCDEFGH2345"},
		{thing{"acme", "server", strings.Repeat("x", 80)}, "acme_server__" + strings.Repeat("x", 23) + "--"},
	} {
		got := nameOf(c.thing, 0)
		if plain, hashed := strings.CutSuffix(c.want, "--"); hashed {
			if want := plain + "--"; len(got) < 12 || got[:len(got)-12] != want && strings.TrimRight(plain, "-")+"--" != got[:len(got)-12] {
				t.Errorf("the name of %q: got %s, want %s and a hash", c.thing, got, want)
			}
		} else if got != c.want {
			t.Errorf("the name of %q: got %s, want %s", c.thing, got, c.want)
		}
	}
}

// TestField_NAM01_Names_that_differ_in_the_middle holds that two long names of
// which only the middle differs stay two, and each calls what it names.
func TestField_NAM01_Names_that_differ_in_the_middle(t *testing.T) {
	const server = "a-server-with-a-rather-long-name-for-its-purpose"
	one := strings.Repeat("a", 29) + "_x_" + strings.Repeat("b", 28)
	two := strings.Repeat("a", 29) + "_y_" + strings.Repeat("b", 28)
	if len(one) != 60 || len(two) != 60 {
		t.Fatalf("the names have %d and %d characters, want 60", len(one), len(two))
	}
	o := tooled(thing{"acme", server, one}, thing{"acme", server, two}).Offer(session.OfferOptions{})
	if len(o.Tools) != 2 || len(o.Hidden) != 0 || o.Tools[0].Name == o.Tools[1].Name {
		t.Fatalf("got %d tools and %d hidden, want two with two names", len(o.Tools), len(o.Hidden))
	}
	for _, x := range o.Tools {
		if len(x.Name) > session.NameLimit {
			t.Errorf("%s has %d characters, want at most %d", x.Name, len(x.Name), session.NameLimit)
		}
		if got := o.Tool(x.Name); got == nil || got.Ref.Name != x.Ref.Name {
			t.Errorf("Tool(%s): got %+v, want what answers for %s", x.Name, got, x.Ref.Name)
		}
	}
}

// TestField_NAM04_Every_listed_name_is_callable wants of names around the limit,
// and of any characters, that what is listed is what can be called, and that the
// definition says the same name.
func TestField_NAM04_Every_listed_name_is_callable(t *testing.T) {
	var things []thing
	const around = len("acme_s__")
	for n := session.NameLimit - around - 2; n <= session.NameLimit-around+2; n++ {
		things = append(things, thing{"acme", "s", strings.Repeat("n", n)})
	}
	for _, name := range []string{"a.b", "a b", "A", "日本", "a/b", "__", "-", "--", "x--aaaaaaaaaaaa", strings.Repeat("é", 300)} {
		things = append(things, thing{"acme", "s", name}, thing{"acme", "", name})
	}
	for _, limit := range []int{32, 50, 64} {
		o := tooled(things...).Offer(session.OfferOptions{NameLimit: limit})
		if len(o.Tools) != len(things) {
			t.Errorf("limit %d: %d tools are listed, want all %d", limit, len(o.Tools), len(things))
		}
		for i := range o.Tools {
			x := &o.Tools[i]
			if got := o.Tool(x.Name); got != x {
				t.Errorf("limit %d: %s is listed and calls %+v, want itself", limit, x.Name, got)
			}
			if !strings.Contains(string(x.Definition), fmt.Sprintf(`"name":%q`, x.Name)) {
				t.Errorf("limit %d: %s is defined as %s, want the same name", limit, x.Name, x.Definition)
			}
		}
	}
	if got, want := len(nameOf(things[2], 0)), session.NameLimit; got != want {
		t.Errorf("the name at the limit has %d characters, want %d", got, want)
	}
	if o := tooled(things...).Offer(session.OfferOptions{}); o.Tool("acme_nothing") != nil || o.Tool("") != nil {
		t.Error("a name that nothing has calls something")
	}
}

// TestField_NAM05_Other_servers_change_no_name adds a second server with the
// same tool, then takes away either, and wants no name to change.
func TestField_NAM05_Other_servers_change_no_name(t *testing.T) {
	all := []thing{
		{"acme", "one", "search"}, {"acme", "two", "search"}, {"beta", "one", "search"}, {"search", "search", "search"}, {"acme", "", "search"},
		{"acme", "one", strings.Repeat("long_", 20)}, {"acme", "two", strings.Repeat("long_", 20)},
	}
	want := called(tooled(all...), 0)
	if len(want) != len(all) {
		t.Fatalf("%d have a name, want all %d", len(want), len(all))
	}
	for i := range all {
		left := slices.Delete(slices.Clone(all), i, i+1)
		for th, name := range called(tooled(left...), 0) {
			if name != want[th] {
				t.Errorf("without %q, %q is called %s, want %s as before", all[i], th, name, want[th])
			}
		}
		if got := nameOf(all[i], 0); got != want[all[i]] {
			t.Errorf("alone, %q is called %s, want %s", all[i], got, want[all[i]])
		}
	}
}

// part draws what is likely to be mistaken for something else.
func part() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"a", "b", "a_b", "a__b", "_a", "a_", "__", "--", "a--aaaaaaaaaaaa", "a--bbbbbbbbbbbb", "é", "ü", "A", "a-b", "a.b", "a/b"}),
		rapid.StringMatching(`[ab_\-]{1,8}`), rapid.StringMatching(`[a_]{1,3}--[a-c2]{12}`), rapid.StringMatching(`[a-z]{20,70}`), rapid.String(),
	)
}

// TestExposedNamesAreInjective wants two names for two things, whatever they are
// called: of a few characters, within the limit, and the same ones again.
func TestExposedNamesAreInjective(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit := rapid.IntRange(32, 64).Draw(r, "limit")
		taken := map[string]thing{}
		for range rapid.IntRange(2, 12).Draw(r, "things") {
			th := thing{ext.Name(part().Draw(r, "extension")), rapid.OneOf(rapid.Just(""), part()).Draw(r, "server"), part().Draw(r, "name")}
			if th.name == "" || th.extension == "" {
				continue
			}
			if rapid.IntRange(0, 3).Draw(r, "same") == 0 {
				th.server = string(th.extension)
			}
			name := nameOf(th, limit)
			if was, there := taken[name]; there && was != th {
				r.Fatalf("%q and %q are both called %s", was, th, name)
			}
			taken[name] = th
			if name == "" || len(name) > limit || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
				r.Fatalf("%q is called %q, want 1 to %d letters, digits, '_' and '-'", th, name, limit)
			}
			if again := nameOf(th, limit); again != name {
				r.Fatalf("%q is called %s and then %s", th, name, again)
			}
			// What mimics the name it got is something else.
			if mimic := (thing{th.extension, "", strings.TrimPrefix(name, string(th.extension)+"_")}); mimic != th && mimic.name != "" && nameOf(mimic, limit) == name {
				r.Fatalf("%q and %q are both called %s", th, mimic, name)
			}
		}
	})
}

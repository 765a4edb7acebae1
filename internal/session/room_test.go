package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// fenceRoom is more than the lines around a text take in these tests.
const fenceRoom = 250

// Whatever others say, one that says no more than its equal share is there whole:
// no extension crowds out another. That is so in whatever order they come.
func TestNoExtensionCrowdsOutAnother(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		others := rapid.IntRange(1, 12).Draw(r, "others")
		share := session.SessionText / (others + 1)
		var all []session.Fragment
		for i := range others {
			for j, n := range rapid.SliceOfN(rapid.IntRange(1, 9_000), 0, 8).Draw(r, "lengths") {
				all = append(all, said(ext.Name(fmt.Sprint("x", i)), session.Extension, fmt.Sprint(j), strings.Repeat("x", n)))
			}
		}
		for j, used := 0, 0; ; j++ {
			n := rapid.IntRange(1, 600).Draw(r, "length")
			if used += n + fenceRoom; used > share {
				break
			}
			at := rapid.IntRange(0, len(all)).Draw(r, "at")
			all = slices.Insert(all, at, said("modest", session.Extension, fmt.Sprint(j), strings.Repeat("m", n)))
		}
		s := spoken(all...)
		for _, l := range s.LeftOut() {
			if l.Extension == "modest" {
				r.Fatalf("left out is %s of %d characters, want all of one that says less than its share", l.Name, len(l.Value.Text))
			}
		}
		if n := utf8.RuneCountInString(s.Instructions(strings.Repeat("B", 26))); n > session.SessionText+1_500 {
			r.Fatalf("the text has %d characters, want about %d at most", n, session.SessionText)
		}
	})
}

// What fits is never left out, each bound is named by what it took, and what does
// not fit costs those that come after it nothing.
func TestLeftOut(t *testing.T) {
	x := func(x ext.Name, name string, n int) session.Fragment {
		return said(x, session.Extension, name, strings.Repeat("x", n))
	}
	of := func(f session.Fragment, declaredBy ext.Trust) session.Fragment {
		f.Server, f.Origin.Trust = true, declaredBy
		return f
	}
	for _, c := range []struct {
		name      string
		fragments []session.Fragment
		want      string
	}{
		{"nothing", nil, ""},
		{"what fits", []session.Fragment{x("a", "1", 7_500), x("b", "1", 7_500)}, ""},
		{"the owner's is not counted", []session.Fragment{said("owner", session.Owner, "1", strings.Repeat("x", 90_000)), x("a", "1", 7_500)}, ""},
		{"more than one may say", []session.Fragment{x("a", "1", 8_000), x("a", "2", 10)}, "a:1 extension"},
		{"together more than one may say", []session.Fragment{x("a", "1", 4_000), x("a", "2", 4_000), x("a", "3", 10)}, "a:2 extension"},
		{"the server of an extension speaks from its share", []session.Fragment{x("a", "1", 4_000), of(x("a", "2", 4_000), ext.Plugin)}, "a:2 extension"},
		{"servers that the owner declared have one each", []session.Fragment{of(x("owner", "1", 7_000), ext.Owner), of(x("owner", "2", 7_000), ext.Owner)}, ""},
		{"who says least is heard first", []session.Fragment{x("a", "1", 3_000), x("a", "2", 3_000), x("b", "1", 6_000), x("c", "1", 6_000)}, "a:2 session"},
		{"what is left is for who fits", []session.Fragment{x("a", "1", 7_000), x("b", "1", 7_000), x("c", "1", 7_000), x("c", "2", 500)}, "c:1 session"},
	} {
		var got []string
		for _, l := range spoken(c.fragments...).LeftOut() {
			got = append(got, l.Qualified+" "+string(l.By))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: left out is %q, want %q", c.name, s, c.want)
		}
	}
}

// Every line of a text has the place where a person finds it, through front
// matter, empty lines and other line ends; what a server says has its declaration.
func TestLines(t *testing.T) {
	s, _ := composed(t, nil,
		"owner/prompts/a.md", "---\r\ntier: rule\r\n---\r\n\r\n\r\nFirst.\r\n\r\nThird.\r\n", "acme/prompts/b.md", "Of acme.\nMore.\n",
	)
	served := said("acme", session.Extension, "s", "Served.\nMore.")
	served.Server, served.Origin.Path, served.Origin.Line = true, "mcp.json", 7
	s.Prompt = append(s.Prompt, served)
	var got []string
	for _, l := range s.Lines(boundary) {
		if l.Kind == session.Said {
			got = append(got, fmt.Sprintf("%s %s:%d %s", l.Of.Layer, l.Of.Origin.Path, l.Line, l.Text))
		}
	}
	want := []string{
		"owner prompts/a.md:6 First.", "owner prompts/a.md:7 ", "owner prompts/a.md:8 Third.",
		"extension prompts/b.md:1 Of acme.", "extension prompts/b.md:2 More.", "extension mcp.json:7 Served.", "extension mcp.json:7 More.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Lines: got %q, want %q", got, want)
	}
}

// A boundary that is shown is the same for the same texts, and another for others.
func TestBoundary(t *testing.T) {
	a, again, b := spoken(said("acme", session.Extension, "a", "One.")), spoken(said("acme", session.Extension, "a", "One.")), spoken(said("acme", session.Extension, "a", "Two."))
	if a.Boundary() != again.Boundary() || a.Boundary() == b.Boundary() || len(a.Boundary()) != 26 {
		t.Errorf("Boundary: got %s, %s and %s, want the same for the same text alone", a.Boundary(), again.Boundary(), b.Boundary())
	}
}

// BenchmarkText makes a session's text of 500 fragments from 100 extensions, of a
// composition that is there: its order, what has room, and the fences.
func BenchmarkText(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"short", "Be brief."},
		{"long", strings.Repeat("Every entry has an origin, and says which.\n", 46)}, // 2,000 characters
	} {
		b.Run(c.name, func(b *testing.B) {
			var files []string
			for x := range 100 {
				for f := range 5 {
					files = append(files, fmt.Sprintf("x%d/prompts/p%d.md", x, f), c.text)
				}
			}
			merged, _ := spinetest.Compose(b, golden.Dir(b, golden.Files(files...)), nil, spinetest.Used(), spinetest.Options{})
			if n := len(session.Resolve(merged).Prompt); n != 500 {
				b.Fatalf("got %d fragments, want 500", n)
			}
			b.ReportAllocs()
			for b.Loop() {
				s := session.Resolve(merged)
				if s.Instructions(boundary) == "" {
					b.Fatal("got no text")
				}
			}
		})
	}
}

package market_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/market"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// formats are what plugins are laid out in as far as these tests care.
var formats = []source.Format{
	{Name: "claude-code", Marker: ".claude-plugin/plugin.json"},
	{Name: "codex", Marker: ".codex-plugin/plugin.json"},
	{Name: "cursor", Marker: ".cursor-plugin/plugin.json"},
}

func recognise(t *ext.Tree) (names []string, m source.Manifest) {
	for _, f := range formats {
		c := source.Read(t.FS, t.Origin.At(f.Marker, 0), ext.DefaultLimits)
		if c.Lost {
			continue
		}
		if names = append(names, f.Name); m.Path == "" {
			m = source.Manifest{Path: f.Marker, Doc: c.Doc, Findings: c.Findings}
		}
	}
	return names, m
}

func read(t testing.TB, dir string) *market.Market {
	t.Helper()
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return market.Read(r, market.Options{Source: "path:./market", Trust: ext.Project, Limits: ext.DefaultLimits, Recognise: recognise})
}

// files reads a marketplace of files as golden.Files takes them.
func files(t testing.TB, namesAndContents ...string) *market.Market {
	t.Helper()
	return read(t, filepath.Join(golden.Dir(t, golden.Files(namesAndContents...))))
}

// TestRead is every kind of source and everything odd, each case with its
// reason, by what becomes of it.
func TestRead(t *testing.T) {
	golden.Run(t, "testdata/read/*.txtar", []string{"market"}, func(t *testing.T, in []txtar.File) []string {
		base := golden.Dir(t, append([]txtar.File{{Name: "market/"}}, in...))
		m := read(t, filepath.Join(base, "market"))
		hold(t, m)
		return []string{strings.ReplaceAll(show(m), filepath.ToSlash(base), "$TREES")}
	})
}

// hold checks what holds of every marketplace.
func hold(t testing.TB, m *market.Market) {
	t.Helper()
	for i := range m.Entries {
		e := &m.Entries[i]
		refused := len(e.Declarations) > 0
		for _, d := range e.Declarations {
			refused = refused && d.Refused
		}
		switch {
		case e.Refused != refused:
			t.Errorf("%q: refused is %v, and of its declarations %v", e.Name, e.Refused, refused)
		case e.Refused && !e.Findings.Failed():
			t.Errorf("%q is refused with %v, want an error that says why", e.Name, e.Findings)
		case !e.Refused && e.Source.Kind == "":
			t.Errorf("%q is not refused and has no source", e.Name)
		case !e.Refused && e.Place != nil && !e.Place.There:
			t.Errorf("%q is not refused, lies in place and is not there", e.Name)
		}
		if e.Origin.Path == "" || e.Origin.Line < 1 || e.Origin.Source == "" {
			t.Errorf("%q: origin is %+v, want a file and a line", e.Name, e.Origin)
		}
		for _, text := range append([]string{e.Title, e.Version, e.Description, e.Author, e.Homepage, e.Repository, e.License, e.Category}, e.Tags...) {
			if unseen.Hides(text) {
				t.Errorf("%q says %q, want nothing of it that hides something", e.Name, text)
			}
		}
		visible(t, e.Findings)
	}
	if unseen.Hides(m.Title + m.About + m.Version + m.Own + m.Owner.Name + m.Owner.Email + m.Owner.URL) {
		t.Errorf("the marketplace is shown as %q by %q, want nothing of it that hides something", m.About, m.Owner)
	}
	visible(t, m.Findings)
	if m.Name == "" {
		t.Error("the marketplace has no name, want one whatever it says")
	}
	for _, r := range m.Renames {
		if now, found, gone := m.Find(r.From); len(found) == 0 && !gone {
			t.Errorf("Find(%q): got none by the name %q, want what it was renamed to", r.From, now)
		}
	}
}

// visible checks that no finding can change how a line is shown.
func visible(t testing.TB, fs ext.Findings) {
	t.Helper()
	for _, f := range fs {
		if strings.ContainsFunc(f.Message+f.Fix(), ext.Hidden) {
			t.Errorf("finding %q holds characters that do not show", f.Message)
		}
	}
}

// show is a marketplace as text.
func show(m *market.Market) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s kind=%s owner=%q version=%q\n", m.Name, m.Kind, m.Owner.Name, m.Version)
	for _, f := range m.Files {
		fmt.Fprintf(&b, "file %s %s name=%q entries=%d refused=%v leads=%q\n", f.Path, f.Kind, f.Name, f.Entries, f.Refused, f.Leads)
	}
	for _, r := range m.Renames {
		fmt.Fprintf(&b, "rename %s to %q at %s\n", r.From, r.To, r.Origin)
	}
	tell(&b, "", m.Findings)
	for i := range m.Entries {
		e := &m.Entries[i]
		status := "remote"
		switch {
		case e.Refused:
			status = "refused"
		case e.Place != nil:
			status = "in " + e.Place.Dir + " as " + strings.Join(e.Place.Formats, ",")
		}
		fmt.Fprintf(&b, "\n%q %s\n", e.Name, status)
		fmt.Fprintf(&b, "\tsource %s %s", e.Source.Kind, ext.Escape(e.Source.String()))
		fmt.Fprintf(&b, " ref=%q sha=%q\n", e.Source.Ref, e.Source.SHA)
		if e.Description+e.Version+e.Category != "" || e.Tags != nil {
			fmt.Fprintf(&b, "\tsays %q version=%q category=%q tags=%q\n", e.Description, e.Version, e.Category, e.Tags)
		}
		if !e.Strict {
			b.WriteString("\tnot strict\n")
		}
		for _, c := range e.Declares {
			fmt.Fprintf(&b, "\tdeclares %s %q at line %d\n", c.Key, c.Holds, c.Line)
		}
		if p := e.Policy; p.Installation != "" {
			fmt.Fprintf(&b, "\tpolicy %s %s %q\n", p.Installation, p.Authentication, p.Products)
		}
		for _, d := range e.Declarations {
			fmt.Fprintf(&b, "\tdeclared %s for %s\n", d.Origin, d.Kind)
		}
		tell(&b, "\t", e.Findings)
	}
	return b.String()
}

func tell(b *strings.Builder, before string, fs ext.Findings) {
	for _, f := range fs {
		fmt.Fprintf(b, "%s%s:%d: %s: %s (%s)\n", before, f.Origin.Path, f.Origin.Line, f.Check.Severity, f.Message, f.Check.Code)
	}
}

// A directory without a marketplace file is none, and that is nothing to tell.
func TestRead_nothing(t *testing.T) {
	if m := files(t, "readme.md", "text"); len(m.Files)+len(m.Entries)+len(m.Findings) != 0 {
		t.Errorf("Read: got %v, want nothing", show(m))
	}
}

// The configuration's name wins over the marketplace's own.
func TestRead_named(t *testing.T) {
	dir := golden.Dir(t, golden.Files(".plugin/marketplace.json", `{"name": "theirs", "plugins": []}`))
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := market.Read(r, market.Options{Name: "ours", Limits: ext.DefaultLimits})
	if m.Name != "ours" || m.Own != "theirs" {
		t.Errorf("Read: got the name %q for one that calls itself %q, want ours and theirs", m.Name, m.Own)
	}
}

// What is larger than a document may be is not read.
func TestRead_limit(t *testing.T) {
	dir := golden.Dir(t, golden.Files(".plugin/marketplace.json", `{"name": "large", "plugins": []}`))
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := market.Read(r, market.Options{Limits: ext.Limits{FileBytes: 10}})
	if len(m.Findings) != 1 || m.Findings[0].Check != source.TooLarge || !m.Files[0].Refused {
		t.Errorf("Read: got %s, want limit-file-bytes and nothing read", show(m))
	}
}

// Looking for a name compares as people see names.
func TestFind(t *testing.T) {
	m := files(t, ".claude-plugin/marketplace.json", `{"name": "m", "owner": {"name": "o"}, "plugins": [
		{"name": "Tools", "source": "./a"}, {"name": "other", "source": "./a"}],
		"renames": {"kit": "box", "box": "Tools", "gone": null, "lost": "gone"}}`, "a/readme.md", "text")
	for name, want := range map[string]string{"tools": "Tools", "ＴＯＯＬＳ": "Tools", "kit": "Tools", "Box": "Tools", "gone": "", "lost": "", "never": ""} {
		_, got, gone := m.Find(name)
		if gone != (name == "gone" || name == "lost") {
			t.Errorf("Find(%q): got gone %v, want what the renames say", name, gone)
		}
		if want == "" && len(got) == 0 {
			continue
		}
		if len(got) != 1 || got[0].Name != want {
			t.Errorf("Find(%q): got %d entries, want %q", name, len(got), want)
		}
	}
}

// Reading takes time by the length of a file alone, whatever its names lead to:
// by their product the renames would take hours.
func TestRead_bounded(t *testing.T) {
	const n = 20_000
	var chain, circle, one, other []string
	for i := range n {
		chain = append(chain, fmt.Sprintf(`"n%d": "n%d"`, i, i+1))
		circle = append(circle, fmt.Sprintf(`"n%d": "n%d"`, i, (i+1)%n))
		one = append(one, fmt.Sprintf(`{"name": "a%d"}`, i))
		other = append(other, fmt.Sprintf(`{"name": "b%d"}`, i))
	}
	for name, in := range map[string][]string{
		"a chain":   {".claude-plugin/marketplace.json", `{"plugins": [], "renames": {` + strings.Join(chain, ",") + `}}`},
		"a circle":  {".claude-plugin/marketplace.json", `{"plugins": [], "renames": {` + strings.Join(circle, ",") + `}}`},
		"two files": {".claude-plugin/marketplace.json", `{"plugins": [` + strings.Join(one, ",") + `]}`, ".plugin/marketplace.json", `{"plugins": [` + strings.Join(other, ",") + `]}`},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			m := files(t, in...)
			m.Find("n0")
			if took := time.Since(began); took > time.Minute || len(m.Findings)+len(m.Entries) < n {
				t.Errorf("Read: took %s for %d entries and %d findings, want it soon and all of them", took, len(m.Entries), len(m.Findings))
			}
		})
	}
}

// A plugin is less than its directory where the entry alone says what it is, and
// where it names skills of the marketplace's own directory; for clients that know
// nothing of either it is all of it.
func TestPartial(t *testing.T) {
	const plugins = `"plugins": [
		{"name": "whole", "source": "./"}, {"name": "alone", "source": "./a", "strict": false},
		{"name": "some", "source": "./", "skills": ["./a"]}, {"name": "more", "source": "./a", "skills": ["./b"]}]}`
	for place, want := range map[string]string{
		".claude-plugin/marketplace.json": "alone some", ".plugin/marketplace.json": "alone some",
		".agents/plugins/marketplace.json": "", ".cursor-plugin/marketplace.json": "",
	} {
		m := files(t, place, `{"name": "m", "owner": {"name": "o"}, `+plugins, "a/b/SKILL.md", "text")
		var got []string
		for i := range m.Entries {
			if e := &m.Entries[i]; e.Partial() {
				got = append(got, e.Name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q in part, want %q", place, got, want)
		}
	}
}

// A search ranks names over tags over descriptions, and wants all words.
func TestScore(t *testing.T) {
	e := &market.Entry{Name: "code-review", Tags: []string{"quality"}, Title: "Reviewer", Category: "work", Description: "Looks at Über changes, and preview."}
	for _, c := range []struct {
		words []string
		want  int
	}{
		{[]string{"code-review"}, 100}, {[]string{"CODE"}, 60}, {[]string{"review"}, 50}, {[]string{"ode"}, 40}, {[]string{"quality"}, 45},
		{[]string{"qual"}, 20}, {[]string{"reviewer"}, 25}, {[]string{"über"}, 15}, {[]string{"hanges"}, 5}, {[]string{"code", "changes"}, 75},
		{[]string{"code", "never"}, 0}, {[]string{""}, 0}, {nil, 0},
	} {
		if got := e.Score(c.words); got != c.want {
			t.Errorf("Score(%q): got %d, want %d", c.words, got, c.want)
		}
	}
}

func TestChecksAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range market.Checks {
		if seen[c.Code] || c.Doc == "" || c.Fix == "" || c.Severity == 0 || !strings.HasPrefix(c.Code, "market-") {
			t.Errorf("check %q: got it twice or without a part, want each once and whole", c.Code)
		}
		seen[c.Code] = true
	}
}

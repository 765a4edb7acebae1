package doc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

var here = ext.Origin{Extension: "acme", Path: "dir/file"}

// show writes a node as text: kinds by their brackets, numbers bare, strings
// quoted, booleans as !x, and @line after everything.
func show(d ext.Doc) string {
	at := fmt.Sprintf("@%d", d.Line)
	switch d.Kind {
	case ext.Null:
		return "null" + at
	case ext.Bool:
		return "!" + d.Text + at
	case ext.Number:
		return d.Text + at
	case ext.String:
		return fmt.Sprintf("%q", d.Text) + at
	case ext.List:
		var parts []string
		for _, v := range d.List {
			parts = append(parts, show(v))
		}
		return "[" + strings.Join(parts, " ") + "]" + at
	}
	var parts []string
	for _, p := range d.Map {
		parts = append(parts, fmt.Sprintf("%s@%d=%s", p.Key, p.Line, show(p.Value)))
	}
	return "{" + strings.Join(parts, " ") + "}" + at
}

func codes(fs ext.Findings) string {
	var parts []string
	for _, f := range fs {
		parts = append(parts, fmt.Sprintf("%s@%d", f.Check.Code, f.Origin.Line))
	}
	return strings.Join(parts, " ")
}

// result is what a reader made of something: its findings, then its node.
func result(d ext.Doc, fs ext.Findings) string {
	if fs.Failed() {
		return codes(fs)
	}
	if c := codes(fs); c != "" {
		return c + " " + show(d)
	}
	return show(d)
}

// sound fails the test when a node or a finding is not of the file, when its
// line lies outside of it, or when an error came with a node.
func sound(t *testing.T, d ext.Doc, fs ext.Findings, first, last int) {
	t.Helper()
	for _, f := range fs {
		if f.Origin.Path != here.Path || f.Origin.Line < first || f.Origin.Line > last {
			t.Errorf("finding %s: want a line from %d to %d of %s", f, first, last, here.Path)
		}
		if strings.ContainsAny(f.Message+f.Advice, "\n\r\x00\x1b") || f.Message == "" {
			t.Errorf("finding %q: want one printable line", f.Message)
		}
	}
	if fs.Failed() {
		if d.Kind != ext.Null || d.File != "" {
			t.Errorf("got %s with an error finding, want the zero Doc", show(d))
		}
		return
	}
	soundNode(t, &d, first, last, 0)
}

func soundNode(t *testing.T, d *ext.Doc, first, last, depth int) {
	t.Helper()
	if d.File != here.Path || d.Line < first || d.Line > last || depth > MaxDepth {
		t.Errorf("node %v of %q, line %d, depth %d: want %s and a line from %d to %d", d.Kind, d.File, d.Line, depth, here.Path, first, last)
	}
	for i := range d.List {
		soundNode(t, &d.List[i], first, last, depth+1)
	}
	for i := range d.Map {
		if l := d.Map[i].Line; l < first || l > last {
			t.Errorf("key %q on line %d: want a line from %d to %d", d.Map[i].Key, l, first, last)
		}
		soundNode(t, &d.Map[i].Value, first, last, depth+1)
	}
}

func TestChecks(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Checks {
		if c.Code == "" || c.Doc == "" || c.Fix == "" || c.Severity == 0 || seen[c.Code] {
			t.Errorf("check %q: want a code of its own, a severity, a Doc and a Fix", c.Code)
		}
		seen[c.Code] = true
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want, text string }{
		{"plain", "a", "", "a"},
		{"byte order mark", "\ufeffa", "bom@1", "a"},
		{"only a byte order mark", "\ufeff", "bom@1", ""},
		{"NUL", "a\r\nb\r\x00", "nul-byte@3", "a\r\nb\r\x00"},
		{"Latin-1", "a\nb\nf\xfcr", "not-utf8@3", "a\nb\nf\xfcr"},
		{"UTF-16", "\xff\xfea\x00", "not-utf8@1 nul-byte@1", "\xff\xfea\x00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, fs := Text(here, []byte(c.in))
			if string(got) != c.text || codes(fs) != c.want {
				t.Errorf("Text(%q): got %q, %q; want %q, %q", c.in, got, codes(fs), c.text, c.want)
			}
		})
	}
}

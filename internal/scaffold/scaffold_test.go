package scaffold

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/tools"
)

// descriptions are what a description must be read back as, whatever it is.
var descriptions = map[string]string{
	"plain": "Solves flows.", "colon": "Solver: fast", "hash": "a # b", "quotes": `it's "so"`, "newlines": "one\ntwo\n\n  three",
	"closes a docstring": `x"""` + "\nimport os\nos.system('id')\n" + `"""`, "closes the other": "'''; import os", "quote first": `"a`, "quote last": `a"`,
	"backslashes": `\`, "backslash and quote": `\"\\"`, "escapes": `\n\x41\u0041\N{DASH}`, "place": "${name:slug} ${x} $$ {{.Name}}",
	"front matter ends": "a\n---\nname: b\n---\n", "list": "- a\n- b", "anchor": "&a *a !!python/object x", "flow": "{a: [b, c]}", "boolean": "yes", "null": "~", "number": "017", "date": "2020-01-01",
	"controls": "a\x00b\x01c\x1b[31md\x7f\u0085e\u2028f\u2029g\ufeffh", "mark": "a\u200fb", "joined": "👩\u200d🚀", "carriage returns": "a\r\nb\rc", "tab": "a\tb",
	"wide": "Löst Strömungen: 流れ 🚀", "percent": "%s %(a)s %YAML 1.1", "format": "f'{x}'", "comment": "<!-- a --> # b", "long": strings.Repeat("long: ", 600),
}

// Every template gives what is found again, with its description to the byte.
func TestRoundTrip(t *testing.T) {
	for i := range Templates {
		tmpl := &Templates[i]
		t.Run(tmpl.ID, func(t *testing.T) {
			for name, text := range descriptions {
				m, err := unwritten(tmpl, "my-thing", text)
				if err == nil {
					err = m.readBack(t.Context())
				}
				if want := strings.TrimSpace(text); err != nil || m.done.Description != want {
					t.Fatalf("%s: read back as %q, %v, want %q", name, m.done.Description, err, want)
				}
				for _, f := range m.done.Files {
					if f.Path != tools.Path && strings.ContainsFunc(strings.ReplaceAll(f.Text, "\n", ""), ext.Hidden) {
						t.Errorf("%s: %s has what does not show:\n%q", name, f.Path, f.Text)
					}
				}
			}
		})
	}
}

// What nobody sees is no description: nothing with it would be found.
func TestHiddenIsRefused(t *testing.T) {
	r := newRepo(t)
	for _, text := range []string{"a\u202eb", "a\u2066b\u2069", "a\U000e0041b"} {
		for i := range Templates {
			o := r.options(Templates[i].Surface, "thing")
			o.Template, o.Said["description"] = Templates[i].ID, []string{text}
			if _, err := New(t.Context(), o); err == nil || !strings.Contains(err.Error(), "--description: character 2 of ") {
				t.Errorf("New(%s, %q): got %v, want it refused, with the character", Templates[i].ID, text, err)
			}
		}
	}
}

// names are no names, and why not.
var names = map[string]struct{ name, want string }{
	"empty": {"", "has no name"}, "up": {"../../x", `has "." at its byte 1`}, "slash": {"a/b", `has "/" at its byte 2`}, "back": {`a\b`, "at its byte 2"}, "absolute": {"/etc/x", "etc-x would be one"},
	"dot": {".", "byte 1"}, "hidden": {".x", "byte 1"}, "yes": {"yes", "a value to YAML"}, "null": {"null", "a value to YAML"}, "quote": {`a"b`, "byte 2"}, "newline": {"a\nb", `has "\n" at its byte 2`},
	"nul": {"a\x00b", `has "\x00"`}, "long": {strings.Repeat("a", 300), "has 300 bytes, and may have 64"}, "capital": {"MyAgent", "myagent would be one"}, "blank": {"a b", "a-b would be one"},
	"digit first": {"3d", "byte 1"}, "wide": {"ﬁ", "byte 1"}, "bidi": {"a\u202eb", "byte 2"}, "not UTF-8": {"a\xff", `has "\xff"`}, "ends": {"a-", "byte 2"}, "twice": {"a--b", "byte 3"}, "mixed": {"a-_b", "byte 3"},
	"underscore first": {"__init__", "byte 1"}, "device": {"con", "a device"}, "place": {"${name}", "byte 1"}, "option": {"--as", "byte 1"},
}

func TestNamesAreRefused(t *testing.T) {
	r := newRepo(t)
	for _, s := range colony.Surfaces {
		for name, c := range names {
			t.Run(string(s)+"/"+name, func(t *testing.T) {
				r := &repo{t, r.dir}
				_, err := New(t.Context(), r.options(s, c.name))
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("New(%q): got %v, want an error with %q", c.name, err, c.want)
				}
			})
		}
	}
	for _, s := range []colony.Surface{colony.Agents, colony.Deployments, colony.Tools, colony.Missions} {
		r.refused(r.options(s, "class"), "a word of Python")
	}
	r.refused(r.options(colony.Agents, "none"), `--class: "None" is a word of Python`)
}

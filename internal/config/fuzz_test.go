package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// FuzzLoad gives one text to a workspace and one to the person, the machine
// and the environment: there is always a configuration within its limits, and
// each finding has a place and can be printed as it is.
func FuzzLoad(f *testing.F) {
	for _, text := range okFiles(f) {
		f.Add(text, "")
	}
	cases, _ := filepath.Glob("testdata/load/*.txtar")
	for _, name := range cases {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		s := sections(string(data))
		f.Add(s["ws/mortise.toml"], s["home/config.toml"]+s["etc/managed.toml"])
		f.Add(s["ws/mortise.local.toml"], s["env"])
	}
	f.Add("[\x00", "a = \"\\u001b[31m\"")
	f.Add("plugins.\"\\u001b\" = 1", "[[plugins]]")
	schema := resolved(f)
	f.Fuzz(func(t *testing.T, workspace, person string) {
		in := Inputs{Env: strings.Split(person, "\n")}
		c, findings := build(in, []content{
			{layer: Shared, file: SharedFile, dir: "/ws", data: []byte(workspace)},
			{layer: User, file: "/home/config.toml", dir: "/home", data: []byte(person)},
		})
		placed(t, findings)
		if len(c.Broken()) == 0 {
			if v, err := instance([]byte(workspace)); err == nil && schema.Validate(v) != nil {
				t.Errorf("Load takes what the schema refuses: %v", schema.Validate(v))
			}
		}
		again, _ := build(in, []content{
			{layer: User, file: "/home/config.toml", dir: "/home", data: []byte(person)},
			{layer: Shared, file: SharedFile, dir: "/ws", data: []byte(workspace)},
		})
		if c.Digest() != again.Digest() {
			t.Error("Digest: got two, want one whatever the order")
		}
		c, findings = build(Inputs{}, []content{
			{layer: Local, file: LocalFile, dir: "/ws", data: []byte(workspace)},
			{layer: Managed, file: "/etc/managed.toml", dir: "/etc", data: []byte(person)},
		})
		placed(t, findings)
		if told(findings, ManagedBroken) && (c.Limits.Depth > 16 || c.Limits.Files > 20000 || absolute(c.Owner.Path)) {
			t.Errorf("a broken managed file: got %+v, want nothing widened", c.Settings)
		}
	})
}

func placed(t *testing.T, findings ext.Findings) {
	t.Helper()
	for _, f := range findings {
		if f.Origin.Path == "" || f.Origin.Line == 0 && f.Origin.Source == "" {
			t.Errorf("finding %s: got no place, want file and line", f)
		}
		for _, text := range []string{f.Message, f.Fix()} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, ext.Hidden) {
				t.Errorf("finding %q: its text cannot be printed as it is", text)
			}
		}
	}
}

package config

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

func resolved(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// instance is TOML as the schema sees it.
func instance(data []byte) (v any, err error) {
	var m map[string]any
	if err := toml.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if m == nil {
		m = map[string]any{}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(text, &v)
}

func okFiles(t testing.TB) map[string]string {
	t.Helper()
	names, err := filepath.Glob("testdata/ok/*.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("Glob: got %d files, %v", len(names), err)
	}
	files := map[string]string{"template": Template(), "whole template": uncommented(Template())}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(data)
	}
	return files
}

func TestSchemaTakesWhatLoadTakes(t *testing.T) {
	schema := resolved(t)
	for name, text := range okFiles(t) {
		t.Run(name, func(t *testing.T) {
			v, err := instance([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Errorf("Validate: %v", err)
			}
			if _, findings := lay(t, map[string]string{"ws/mortise.toml": text}).load(t); len(findings) != 0 {
				t.Errorf("Load: got %v, want no finding", findings)
			}
		})
	}
}

// TestUnknownKeys puts an unknown key into every table: neither the schema nor
// Load takes it.
func TestUnknownKeys(t *testing.T) {
	schema := resolved(t)
	for _, table := range []string{"", "owner.", "plugins.acme.", "trust.", "limits.", "output."} {
		text := table + "surely_unknown = 1\nplugins.acme.path = \"./acme\"\n"
		v, err := instance([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("Validate(%q): got no error, want one", text)
		}
		_, findings := lay(t, map[string]string{"ws/mortise.toml": text}).load(t)
		if len(findings) != 1 || findings[0].Check != UnknownKey || findings[0].Origin.Line != 1 {
			t.Errorf("Load(%q): got %v, want the unknown key on line 1", text, findings)
		}
	}
}

func TestSchemaIsDeterministicAndSaysEverything(t *testing.T) {
	one, err := Schema()
	two, _ := Schema()
	if err != nil || !bytes.Equal(one, two) {
		t.Fatalf("Schema: got two texts or %v, want the same twice", err)
	}
	for _, want := range []string{
		`"$schema": "https://json-schema.org/draft/2020-12/schema"`, `"default": 1048576`, `"default": "./.mortise"`,
		`"default": false`, `"never"`, `"minimum": 1`, `"additionalProperties": false`,
	} {
		if !strings.Contains(string(one), want) {
			t.Errorf("Schema: does not contain %s:\n%s", want, one)
		}
	}
	walk(schema, func(n *node) {
		if doc, _ := json.Marshal(n.doc); !strings.Contains(string(one), string(doc)) {
			t.Errorf("Schema: does not say what %s means", n.path)
		}
		if !strings.Contains(Reference(), n.doc) {
			t.Errorf("Reference: does not say what %s means", n.path)
		}
	})
}

func walk(n *node, do func(*node)) {
	for _, c := range n.children {
		do(c)
		walk(c, do)
	}
}

// TestNamePattern holds the pattern of the schema to the rule it stands for.
func TestNamePattern(t *testing.T) {
	pattern := regexp.MustCompile(namePattern)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[aZ0.\-]{0,8}`).Draw(t, "name")
		_, err := ext.ParseName(s)
		if pattern.MatchString(s) != (err == nil) {
			t.Errorf("pattern of %q: got %t, ParseName says %v", s, pattern.MatchString(s), err)
		}
	})
}

package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// rules says, apart from the code, what each key is given and which values a
// layer that is not the person's own may not say over those below it.
var rules = []struct {
	key    string
	values []string
	may    func(value string, lower map[Layer]string) bool
}{
	{"output.color", []string{"auto", "always", "never"}, func(string, map[Layer]string) bool { return true }},
	{"owner.path", []string{"./a", "b/c", "/srv/x"}, func(v string, _ map[Layer]string) bool { return v != "/srv/x" }},
	{"limits.depth", []string{"1", "9", "16", "17", "30"}, func(v string, lower map[Layer]string) bool {
		bound := lower[Default]
		if own, ok := lower[User]; ok {
			bound = own
		}
		return number(v) <= number(bound)
	}},
	{"context.budget", []string{"0", "5", "10", "20"}, func(v string, lower map[Layer]string) bool {
		own, ok := lower[User]
		return !ok || own == "0" || v != "0" && number(v) <= number(own)
	}},
	{"trust.whole", []string{"true", "false"}, func(v string, lower map[Layer]string) bool {
		for _, l := range lower {
			if l == "true" {
				return v == "true"
			}
		}
		return true
	}},
	{"trust.tools", []string{"first", "ask"}, func(v string, lower map[Layer]string) bool {
		for _, l := range lower {
			if l == "ask" {
				return v == "ask"
			}
		}
		return true
	}},
}

func number(s string) (n int) {
	fmt.Sscan(s, &n)
	return n
}

// TestPrecedence holds that the highest layer that may say a value has it,
// whatever the order in which the layers are read.
func TestPrecedence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, files, say := drawLayers(t)
		c, findings := build(in, files)
		if findings.Failed() {
			t.Fatalf("build: got %v, want no error", findings)
		}
		for _, r := range rules {
			text, layer := expect(r.may, say[r.key])
			if v, _ := c.Explain(r.key); v.Text != text || v.Layer != layer {
				t.Errorf("Explain(%s) of %v: got %s from %s, want %s from %s", r.key, say[r.key], v.Text, v.Layer, text, layer)
			}
		}
		again, _ := build(in, rapid.Permutation(files).Draw(t, "order"))
		if again.Digest() != c.Digest() {
			t.Error("Digest after reading in another order: got another, want the same")
		}
	})
}

func expect(may func(string, map[Layer]string) bool, say map[Layer]string) (text string, from Layer) {
	lower := map[Layer]string{}
	for l := Default; l <= Managed; l++ {
		v, ok := say[l]
		if ok && (l == Default || l == User || l == Managed || may(v, lower)) {
			text, from = v, l
		}
		if ok {
			lower[l] = v
		}
	}
	return text, from
}

// drawLayers draws what each layer says: the inputs, and say[key][layer].
func drawLayers(t *rapid.T) (Inputs, []content, map[string]map[Layer]string) {
	in := Inputs{Workspace: Workspace{Dir: filepath.FromSlash("/ws")}, User: "/home/config.toml"}
	say := map[string]map[Layer]string{}
	files := map[Layer]string{User: "", Shared: "", Local: "", Managed: ""}
	for _, r := range rules {
		say[r.key] = map[Layer]string{Default: defaultOf(t, r.key)}
		for l := User; l <= Managed; l++ {
			if !rapid.Bool().Draw(t, "says") {
				continue
			}
			v := rapid.SampledFrom(r.values).Draw(t, "value")
			say[r.key][l] = v
			if l == Environment {
				in.Env = append(in.Env, "MORTISE_"+strings.ToUpper(strings.ReplaceAll(r.key, ".", "_"))+"="+v)
				continue
			}
			if slices.Contains([]string{"output.color", "owner.path", "trust.tools"}, r.key) {
				v = `"` + v + `"`
			}
			files[l] += r.key + " = " + v + "\n"
		}
	}
	var all []content
	for _, l := range listing {
		all = append(all, content{layer: l, file: l.String() + ".toml", dir: "/" + l.String(), data: []byte(files[l])})
	}
	return in, all, say
}

// defaultOf is the default of key.
func defaultOf(t *rapid.T, key string) string {
	c, _ := build(Inputs{}, nil)
	v, ok := c.Explain(key)
	if !ok {
		t.Fatalf("Explain(%s): got nothing, want the default", key)
	}
	return v.Text
}

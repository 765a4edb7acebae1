package config

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mortise-dev/mortise/ext"
)

func TestExplain(t *testing.T) {
	p := lay(t, map[string]string{
		"ws/mortise.toml":       "[trust]\nwhole = true\n",
		"ws/mortise.local.toml": "[trust]\n\nwhole = false\n",
		"home/config.toml":      "trust.whole = true\n",
	})
	p.Env = []string{"MORTISE_TRUST_WHOLE=true"}
	c, _ := p.load(t)
	got, ok := c.Explain("trust.whole")
	user := filepath.ToSlash(p.User)
	want := Value{
		Key:  "trust.whole",
		Said: Said{Environment, "true", ext.Origin{Source: "environment", Trust: ext.Owner, Path: "MORTISE_TRUST_WHOLE"}, ""},
		Shadowed: []Said{
			{Local, "false", ext.Origin{Trust: ext.Project, Path: "mortise.local.toml", Line: 3}, "what any file turned on only the managed file turns off"},
			{Shared, "true", ext.Origin{Trust: ext.Project, Path: "mortise.toml", Line: 2}, ""},
			{User, "true", ext.Origin{Trust: ext.Owner, Path: user, Line: 1}, ""},
			{Default, "false", ext.Origin{}, ""},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Value{})); diff != "" || !ok {
		t.Errorf("Explain(trust.whole): ok %t (-want +got):\n%s", ok, diff)
	}
	if v, ok := c.Explain("trust.hole"); ok {
		t.Errorf("Explain of an unknown key: got %+v, want nothing", v)
	}
}

func TestKeys(t *testing.T) {
	c, _ := lay(t, map[string]string{"ws/mortise.toml": "plugins.\"a.b\".path = \"./x\"\n"}).load(t)
	want := []string{
		"audit.full", "claude.keyless", "context.budget", "context.extension_budget", "gateway.name_limit", "limits.depth", "limits.file_bytes", "limits.files", "monorepo.agent_bases", "monorepo.allow", "monorepo.decorators", "monorepo.deployment_bases", "monorepo.path", "output.color", "owner.path",
		`plugins."a.b".enabled`, `plugins."a.b".path`, "stack.compose", "trust.tools", "trust.whole",
	}
	if got := c.Keys(); !slices.Equal(got, want) {
		t.Errorf("Keys: got %q, want %q", got, want)
	}
	for _, k := range c.Keys() {
		if _, ok := c.Explain(k); !ok {
			t.Errorf("Explain(%s): got nothing, want the value of a key that is listed", k)
		}
	}
}

// TestDigest holds that only what takes effect counts, not where it is written.
func TestDigest(t *testing.T) {
	digest := func(files map[string]string, env ...string) ext.Digest {
		t.Helper()
		p := lay(t, files)
		p.Env = env
		c, _ := p.load(t)
		return c.Digest()
	}
	base := map[string]string{
		"ws/mortise.toml": "[plugins.b]\npath = \"./b\"\n[plugins.a]\npath = \"./a\"\nsettings = { x = 1, y = 2 }\n[limits]\ndepth = 3\n",
	}
	want := digest(base)
	for name, files := range map[string]map[string]string{
		"another directory":        base,
		"other lines and comments": {"ws/mortise.toml": "# text\nlimits = { depth = 0x3 }\n" + "[plugins.b]\npath = \"./b\"\n\n[plugins.a]\nsettings = { y = 2, x = 1 }\npath = \"./a\"\n"},
		"split between files": {
			"ws/mortise.toml":       "plugins.b.path = \"./b\"\nlimits.depth = 9",
			"ws/mortise.local.toml": "plugins.a.path = \"./a\"\nplugins.a.settings = { x = 1, y = 2 }\nlimits.depth = 3",
		},
		"defaults said aloud": {"ws/mortise.toml": base["ws/mortise.toml"] + "files = 20_000\n[output]\ncolor = \"auto\"\n"},
		"what is ignored":     {"ws/mortise.toml": base["ws/mortise.toml"] + "files = 99_999\n"},
	} {
		if got := digest(files); got != want {
			t.Errorf("Digest(%s): got another, want the same", name)
		}
	}
	for name, files := range map[string]map[string]string{
		"another order of plugins": {"ws/mortise.toml": "[plugins.a]\npath = \"./a\"\nsettings = { x = 1, y = 2 }\n[plugins.b]\npath = \"./b\"\n[limits]\ndepth = 3\n"},
		"another value":            {"ws/mortise.toml": base["ws/mortise.toml"] + "files = 7\n"},
		"a refused plugin":         {"ws/mortise.toml": base["ws/mortise.toml"] + "[plugins.a.x]\n"},
		"a path from another file": {"ws/mortise.toml": base["ws/mortise.toml"], "etc/managed.toml": "plugins.b.path = \"./b\""},
	} {
		if digest(files) == want {
			t.Errorf("Digest(%s): got the same, want another", name)
		}
	}
	if digest(base, "MORTISE_OUTPUT_COLOR=never") == want {
		t.Error("Digest(a variable): got the same, want another")
	}
}

func TestDefaults(t *testing.T) {
	p := lay(t, nil)
	c, findings := p.load(t)
	want := Settings{
		Owner:   Owner{Path: "./.mortise"},
		Claude:  Claude{Keyless: "off"},
		Trust:   Trust{Tools: "first"},
		Limits:  Limits{FileBytes: 1 << 20, Files: 20000, Depth: 16},
		Gateway: Gateway{NameLimit: 50},
		Output:  Output{Color: "auto"},
	}
	if diff := cmp.Diff(want, c.Settings); diff != "" || len(findings) != 0 {
		t.Errorf("Load of nothing: findings %v (-want +got):\n%s", findings, diff)
	}
	if got := p.plain(filepath.ToSlash(c.OwnerDir())); got != "$WORK/ws/.mortise" {
		t.Errorf("OwnerDir: got %s, want $WORK/ws/.mortise", got)
	}
}

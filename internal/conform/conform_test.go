package conform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// judged are the findings about trees as a profile has them: what is more severe
// or less than here, and what it finds besides.
func judged(t *testing.T, profile string, files ...string) string {
	t.Helper()
	p, ok := conform.Named(profile)
	if !ok {
		t.Fatalf("there is no profile %s", profile)
	}
	o := spinetest.Options{Idle: true}
	var out []string
	add := func(surface string, f ext.Finding) {
		if is := p.Judge(surface, f); is.Check.Severity != f.Check.Severity {
			out = append(out, is.Check.Severity.String()+" "+is.Check.Code)
			if !strings.HasPrefix(is.Message, f.Message+"; ") || f.Check == is.Check {
				t.Errorf("%s: got %q, want the message with why, and the check itself left alone", f, is.Message)
			}
		}
	}
	for _, d := range admit.Decide(spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, golden.Files(files...)), o), o), admit.Rules{Alone: true, Adopted: true}) {
		for _, f := range d.Findings() {
			add("", f)
		}
		for _, c := range d.Contributions() {
			for _, f := range c.Findings {
				add(c.Spec.Name, f)
			}
		}
		for _, f := range p.Further(&d) {
			if f.Origin.Extension == "" {
				t.Errorf("%s has no origin", f)
			}
			out = append(out, "new "+f.Check.Code)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

const manifest = ".claude-plugin/plugin.json"

// claude are the files of a plugin of Claude Code with these keys.
func claude(keys string) []string {
	keys = strings.TrimSuffix(`"name":"x",`+keys, ",")
	return []string{"x/" + manifest, "{" + keys + "}", "x/more/a.md", "---\ndescription: d\n---\nx\n"}
}

// gemini are the files of an extension of Gemini CLI with these keys.
func gemini(keys string) []string {
	return []string{"x/gemini-extension.json", "{" + keys + "}", "x/A.md", "A.\n", "x/docs/B.md", "B.\n", "x/docs/a..b.md", "C.\n"}
}

// context is one without fault that names its context files.
func context(names string) []string {
	return gemini(`"name":"x","version":"1.0.0","contextFileName":` + names)
}

// TestJudge wants of each profile what the format or its client is known to
// refuse and to take, and nothing else to differ.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name, profile string
		files         []string
		want          string
	}{
		{"a skill as it should be", "agent-skills", []string{"x/skills/a/SKILL.md", "---\nname: a\ndescription: d\nallowed-tools: Read\n---\n"}, ""},
		{"a key of a client's", "agent-skills", []string{"x/skills/a/SKILL.md", "---\nname: a\ndescription: d\nmodel: m\n---\n"}, "new agent-skills-key"},
		{"a key of nobody's is told once", "agent-skills", []string{"x/skills/a/SKILL.md", "---\nname: a\ndescription: d\nauthor: m\n---\n"}, "error field-unknown"},
		{"no name", "agent-skills", []string{"x/skills/a/SKILL.md", "---\ndescription: d\n---\n"}, "new agent-skills-name"},
		{"another name", "agent-skills", []string{"x/skills/a/SKILL.md", "---\nname: b\ndescription: d\n---\n"}, "error skill-name-differs"},
		{"a description that is too long", "agent-skills", []string{"x/skills/a/SKILL.md", "---\nname: a\ndescription: " + strings.Repeat("d", 1025) + "\n---\n"}, "error field-length"},
		{"a byte order mark", "agent-skills", []string{"x/skills/a/SKILL.md", "\ufeff---\nname: a\ndescription: d\n---\n"}, "error bom"},
		{"a colon", "agent-skills", []string{"x/skills/a/SKILL.md", "---\nname: a\ndescription: d: e\n---\n"}, "error frontmatter-requoted"},
		{"an agent is no skill", "agent-skills", []string{"x/agents/a.md", "---\nname: b\ndescription: d: e\nodd: 1\n---\nx\n"}, ""},

		{"a skill without a description", "claude-code", []string{"x/" + manifest, `{"name":"x"}`, "x/skills/a/SKILL.md", "---\nname: a\n---\n"}, "warning field-missing"},
		{"a skill without front matter", "claude-code", []string{"x/" + manifest, `{"name":"x"}`, "x/skills/a/SKILL.md", "Text.\n"}, "warning frontmatter-missing"},
		{"an agent without a description", "claude-code", []string{"x/" + manifest, `{"name":"x"}`, "x/agents/a.md", "---\nname: a\n---\nx\n"}, "warning field-missing"},
		{"a colon that it mends itself", "claude-code", []string{"x/" + manifest, `{"name":"x"}`, "x/skills/a/SKILL.md", "---\nname: a\ndescription: d: e\n---\n"}, ""},
		{"a path without ./", "claude-code", []string{"x/" + manifest, `{"name":"x","commands":"more"}`, "x/more/a.md", "x\n"}, "error manifest-path"},
		{"an unknown key stays a warning", "claude-code", claude(`"category":"y"`), ""},
		{"a value that the bridge refuses is told once", "claude-code", claude(`"agents":5,"hooks":true`), ""},
		{"a path without ./ of the wrong kind is told once", "claude-code", claude(`"agents":["more"]`), "error manifest-path"},
		{"a path of the wrong kind", "claude-code", claude(`"agents":["./more"]`), "new client-manifest"},
		{"several values", "claude-code", claude(`"homepage":"x",` + "\n" + `"keywords":[5,"k",{}],"author":{}`), "new client-manifest, new client-manifest, new client-manifest, new client-manifest"},
		{"a server without a type", "claude-code", claude(`"mcpServers":{"s":{"url":"https://example.com"},"t":{"command":"x"}}`), "new client-server-type"},
		{"a guard of no type", "claude-code", append(claude(""), "x/hooks/hooks.json", `{"hooks":{"PreToolUse":[{"hooks":[{"type":"no","command":"x"}]}],"Stop":[{"hooks":[{"type":"no","command":"x"}]}]}}`), "new client-hook-type"},
		{"front matter that it does not mend", "claude-code", append(claude(""), "x/agents/a.md", "---\ndescription: \"d\" e\n---\nx\n"), "new client-front-matter"},
		{"a field that it does not take", "claude-code", append(claude(""), "x/commands/a.md", "---\ndescription: [d]\nname: 5\n---\nx\n"), "new client-front-matter, new client-front-matter"},

		{"a key that the closed schema lacks", "cursor", []string{"x/.cursor-plugin/plugin.json", `{"name":"x","odd":"y"}`, "x/skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\n"}, "error manifest-ignored"},
		{"a name that is too long", "codex", []string{"x/.codex-plugin/plugin.json", `{"name":"x","version":"1.0.0"}`, "x/skills/a/SKILL.md", "---\nname: " + strings.Repeat("a", 65) + "\ndescription: " + strings.Repeat("d", 1025) + "\n---\n"}, "error field-length"},
		{"a colon that Codex mends", "codex", []string{"x/.codex-plugin/plugin.json", `{"name":"x","version":"1.0.0"}`, "x/skills/a/SKILL.md", "---\nname: a\ndescription: d: e\n---\n"}, ""},
		{"a repeated key that Codex does not", "codex", []string{"x/.codex-plugin/plugin.json", `{"name":"x","version":"1.0.0"}`, "x/skills/a/SKILL.md", "---\nname: a\ndescription: d\ndescription: e\n---\n"}, "error frontmatter-duplicate"},
		{"a description that is too long for Copilot", "copilot", []string{"x/.github/plugin/plugin.json", `{"name":"x"}`, "x/skills/a/SKILL.md", "---\nname: a\ndescription: " + strings.Repeat("d", 1025) + "\n---\n"}, "error field-length"},

		{"a name that is not the directory's", "gemini-cli", gemini(`"name":"Y-1","version":"1.0.0"`), ""},
		{"a name with more than letters", "gemini-cli", gemini(`"name":"y_1","version":"1.0.0"`), "new client-plugin-name"},
		{"no version", "gemini-cli", gemini(`"name":"x"`), "new client-version-missing"},
		{"a version that is a number", "gemini-cli", gemini(`"name":"x","version":1`), ""},
		{"a context file that is a number", "gemini-cli", context(`5`), "error manifest-ignored"},
		{"settings of another type", "gemini-cli", gemini(`"name":"x","version":"1","settings":5`), ""},
		{"an empty version", "gemini-cli", gemini(`"name":"x","version":""`), "new client-version-missing"},
		{"a version that is none", "gemini-cli", gemini(`"name":"x","version":"one"`), ""},
		{"no manifest that can be read is told once", "gemini-cli", []string{"x/gemini-extension.json", `{`}, ""},
		{"a byte order mark in a manifest", "gemini-cli", []string{"x/gemini-extension.json", "\ufeff" + `{"name":"x","version":"1.0.0"}`}, "error bom"},
		{"a byte order mark in a skill", "gemini-cli", append(gemini(`"name":"x","version":"1.0.0"`), "x/skills/a/SKILL.md", "\ufeff---\nname: a\ndescription: d\n---\n"), "error bom"},
		{"a byte order mark in a context file", "gemini-cli", append(gemini(`"name":"x","version":"1.0.0"`), "x/GEMINI.md", "\ufeffText.\n"), ""},
		{"a server that asks for trust", "gemini", gemini(`"name":"x","version":"1.0.0","mcpServers":{"s":{"command":"s","trust":true}}`), ""},
		{"context files", "gemini", context(`["A.md","./docs/B.md"]`), ""},
		{"a context file by a variable", "gemini", context(`"docs${/}B.md"`), ""},
		{"an empty name of a context file", "gemini", context(`""`), ""},
		{"no context file", "gemini", context(`"C.md"`), "new client-context-file"},
		{"one of two context files", "gemini", context(`["A.md","C.md"]`), "new client-context-file"},
		{"no names of context files", "gemini", context(`["A.md"," ",5]`), "new client-context-file, new client-context-file"},
		{"an absolute context file", "gemini", context(`"/A.md"`), "new client-context-file"},
		{"an absolute context file by a variable", "gemini", context(`"${extensionPath}/A.md"`), "new client-context-file"},
		{"a context file on a drive", "gemini", context(`"C:/A.md"`), "new client-context-file"},
		{"a context file with two dots", "gemini", context(`"docs/a..b.md"`), "new client-context-file"},
		{"a context file with two dots as in an address", "gemini", context(`"%2e%2e/A.md"`), "new client-context-file"},
		{"a context file outside is told once", "gemini", context(`"../A.md"`), ""},

		{"a skill that is none", "agent-plugins", []string{"x/plugin.json", `{"$schema":"https://agent-plugins.org/schemas/1.0.0/plugin.schema.json","name":"x"}`, "x/skills/a/SKILL.md", "---\nname: b\ndescription: d\n---\n"}, "error skill-name-differs"},
		{"loose files", "loose", []string{"x/skills/a/SKILL.md", "---\nname: b\ndescription: d: e\nodd: 1\n---\n"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := judged(t, c.profile, c.files...); got != c.want {
				t.Errorf("as %s: got %q, want %q", c.profile, got, c.want)
			}
		})
	}
}

// TestProfiles wants every name to lead to one profile, and every rule to say
// why and to be of use.
func TestProfiles(t *testing.T) {
	names := conform.Names()
	for i, name := range names {
		if _, ok := conform.Named(name); !ok || slices.Contains(names[:i], name) {
			t.Errorf("%s: want one profile of that name", name)
		}
	}
	if _, ok := conform.Named("nonsense"); ok {
		t.Error("nonsense is a profile, want it not to be")
	}
	for _, p := range conform.Profiles {
		for _, r := range p.Rules {
			if r.Why == "" || r.Severity == 0 {
				t.Errorf("%s, %s: want a severity and why", p.Name, r.Code)
			}
		}
	}
	var none *conform.Profile
	f := conform.SkillKey.At(ext.Origin{}, "m")
	if got := none.Judge("skill", f); got.Check != f.Check || got.Message != "m" || none.Further(nil) != nil {
		t.Errorf("no profile: got %v, want the finding as it is", got)
	}
}

func TestStrict(t *testing.T) {
	for _, c := range []struct {
		code     string
		is, want ext.Severity
	}{
		{"name-near-miss", ext.Warning, ext.Error}, {"bom", ext.Info, ext.Error}, {"yaml-tag", ext.Info, ext.Error},
		{"field-unknown", ext.Info, ext.Info}, {"field-missing", ext.Error, ext.Error},
	} {
		if got := conform.Strict(c.code, c.is); got != c.want {
			t.Errorf("Strict(%s, %s): got %s, want %s", c.code, c.is, got, c.want)
		}
	}
}

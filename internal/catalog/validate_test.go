package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

// manifest is where a Claude Code plugin has its manifest.
const manifest = ".claude-plugin/plugin.json"

// plugin is the manifest of a Claude Code plugin without fault, with more keys.
func plugin(more string) string {
	return `{"name": "acme", "version": "1.0.0", "description": "D.", "author": {"name": "A"}` + more + `}`
}

// Why the check says otherwise than Claude Code's own validation, where that is
// so for more than one fixture.
const (
	notOpened   = "its validation does not open these files, and Claude Code leaves out what it cannot read of them"
	otherShapes = "it is read here, since files of that shape are in use, and a guard that is read is better than one that is not"
	unreachable = "nothing can be reached there, or not safely, which Claude Code finds out when it connects"
	noText      = "nobody sees what such a file says, or it is too large to be looked through"
	otherYAML   = "the readers of YAML differ: what is none, or is some, by the specification"
	openMending = "which quotes stood there, and which line ends, is not known any more once the text was mended"
)

// TestValidateAgrees wants check --format claude to refuse what Claude Code's own
// validation refuses and to take what that takes. Where they differ, the table
// says why. What it says of single files is in TestValidateAgreesOnFiles.
func TestValidateAgrees(t *testing.T) {
	const command = "commands/a.md"
	with := func(keys string, files ...string) []string {
		return append([]string{manifest, plugin(", " + keys), command, "x\n"}, files...)
	}
	beside := func(files ...string) []string {
		return append([]string{manifest, plugin(""), command, "x\n"}, files...)
	}
	named := func(name string) []string {
		return []string{manifest, `{"name": "` + name + `"}`, command, "x\n"}
	}
	guard := func(hook string) string { return `{"PreToolUse": [{"hooks": [` + hook + `]}]}` }
	hooks := func(events string) []string { return beside("hooks/hooks.json", `{"hooks": `+events+`}`) }
	server := func(keys string) []string { return beside(".mcp.json", `{"mcpServers": {"s": {`+keys+`}}}`) }
	setting := func(keys string) []string { return with(`"userConfig": {"K": {` + keys + `}}`) }
	lsp := func(keys string) []string { return with(`"lspServers": {"go": {` + keys + `}}`) }
	monitor := func(keys string) []string { return with(`"experimental": {"monitors": [{` + keys + `}]}`) }
	badName := "---\nname: 5\ndescription: d\n---\nx\n"

	claude, env := npmtest.Claude(t), npmtest.Env(t)
	turns := make(chan struct{}, 2) // each is a process that fills a core
	for _, c := range []struct {
		name    string
		files   []string
		refused bool   // by Claude Code
		differs string // why the check says otherwise; "" where it agrees
	}{
		{"a plugin without fault", beside("skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\nx\n"), false, ""},
		{"what is unusual and no fault", []string{
			manifest, `{"name": "My-claude/b@c:d", "category": "x", "homepage": "mailto:a@example.com", "repository": "a/b",
				"commands": {"b": {"content": "x"}}, "dependencies": ["a@b@^1", {"name": "c", "marketplace": "b", "odd": 1}]}`,
			".mcp.json", `{"s": {"command": "x"}}`,
			"hooks/hooks.json", `{"hooks": {"Invented": [{"hooks": [{"type": "command", "command": "x"}]}], "SessionStart": [{"hooks": [{"type": "nope", "command": "x"}]}]}}`,
		}, false, ""},
		{"what is not in the usual directories", []string{
			manifest, plugin(`, "commands": "./more.txt", "agents": ["./more/a.md"]`), "more.txt", "x\n", "more/a.md", badName,
		}, false, ""},

		{"no name", []string{manifest, `{"version": "1.0.0"}`, command, "x\n"}, true, ""},
		{"an empty name", named(""), true, ""},
		{"a name with a blank", named("two words"), true, ""},
		{"a name with a line end", named(`a\nb`), true, ""},
		{"a name of Anthropic's", named("Claude_x"), true, ""},
		{"a name of Anthropic's in other letters", named("сlаude-x"), true, ""},
		{"a name that puts official beside", named("un-official-claude"), true, ""},
		{"a name that begins with cc-plugin", named("cc-plugin-x"), true, ""},
		{"a name of Anthropic's in rare letters", named("ⲥlaude-x"), true, "only letters of alphabets that are in use are looked at"},
		{"a name that hides something", named(`a\udb40\udc41`), false, "a person does not see what it says"},

		{"an author that is text", []string{manifest, `{"name": "acme", "author": "me"}`, command, "x\n"}, true, ""},
		{"an author without a name", []string{manifest, `{"name": "acme", "author": {"email": "a@example.com"}}`, command, "x\n"}, true, ""},
		{"a schema that is a number", with(`"$schema": 5`), true, ""},
		{"a homepage that is no address", with(`"homepage": "not a url"`), true, ""},
		{"keywords that are numbers", with(`"keywords": [5]`), true, ""},
		{"a key twice", with(`"license": "MIT", "license": "MIT"`), false, "which of two values counts is left to nobody's guess; Claude Code takes the last"},
		{"an object that may hold anything", with(`"metadata": 5`), false, "the documentation has an object"},

		{"a path without ./", with(`"commands": "more"`, "more/a.md", "x\n"), true, ""},
		{"a path that is a dot", with(`"commands": "."`), true, ""},
		{"a path that is not there", with(`"commands": ["./gone.md"]`), true, ""},
		{"agents in a directory", with(`"agents": ["./agents"]`, "agents/a.md", "x\n"), true, ""},
		{"a skill by its file", with(`"skills": ["./more/a/SKILL.md"]`, "more/a/SKILL.md", "---\nname: a\ndescription: d\n---\nx\n"), true, ""},
		{"a command with neither text nor file", with(`"commands": {"b": {"description": "x"}}`), true, ""},
		{"a file in the usual directory, which is not read", with(`"agents": ["./more/a.md"]`, "more/a.md", "x\n", "agents/b.md", badName), true, "it is no part of the plugin, neither here nor there"},
		{"a broken marketplace beside", beside(".claude-plugin/marketplace.json", "{"), true, "a marketplace is no part of a plugin"},

		{"hooks that are none", with(`"hooks": true`), true, ""},
		{"a guard of an unknown type", hooks(guard(`{"type": "nope", "command": "x"}`)), true, ""},
		{"a guard of an unknown type in the manifest", with(`"hooks": ` + guard(`{"type": "nope", "command": "x"}`)), true, ""},
		{"a guard without a type in the manifest", with(`"hooks": ` + guard(`{"command": "x"}`)), true, ""},
		{"a guard with a time-out in words in the manifest", with(`"hooks": ` + guard(`{"type": "command", "command": "x", "timeout": "5"}`)), true, ""},
		{"hooks in a file that is no JSON by its name", with(`"hooks": "./more.txt"`, "more.txt", "{}"), true, ""},
		{"hooks without the object", beside("hooks/hooks.json", guard(`{"type": "command", "command": "x"}`)), true, otherShapes},
		{"a guard without its group", hooks(`{"PreToolUse": [{"type": "command", "command": "x"}]}`), true, otherShapes},
		{"a guard without a type in a file", hooks(guard(`{"command": "x"}`)), true, otherShapes},
		{"a guard without a command in a file", hooks(guard(`{"type": "command"}`)), true, "it would do nothing, so that nothing is lost; it is told as a warning"},
		{"a file of hooks that holds none", beside("hooks/hooks.json", "{}"), true, "what holds nothing loses nothing"},
		{"a guard that is no hook of an invented event", hooks(`{"Invented": 5}`), false, "what is not known may be a guard"},

		{"a server with an address and no type", server(`"url": "https://example.com"`), true, ""},
		{"a server with a time-out in words in the manifest", with(`"mcpServers": {"s": {"command": "x", "timeout": "5"}}`), true, ""},
		{"a server with a time-out in words in a file", server(`"command": "x", "timeout": "5"`), true, "what has no meaning here is not looked at in a file of servers"},
		{"servers in a file that is no JSON by its name", with(`"mcpServers": "./more"`, "more/a.json", "{}"), true, ""},
		{"servers under another key", beside(".mcp.json", `{"servers": {"s": {"command": "x"}}}`), true, otherShapes},
		{"servers behind a byte order mark", beside(".mcp.json", "\ufeff"+`{"mcpServers": {}}`), true, "the mark is skipped wherever it stands; Claude Code skips it in a manifest"},
		{"a server with an empty address", server(`"type": "http", "url": ""`), false, unreachable},
		{"a server without TLS", server(`"type": "http", "url": "http://example.com"`), false, unreachable},
		{"a server by a web socket", server(`"type": "ws", "url": "wss://example.com"`), false, unreachable},
		{"a server outside of the plugin", server(`"command": "../x"`), false, unreachable},
		{"servers in a bundle on the network", with(`"mcpServers": "https://example.com/a.mcpb"`), false, unreachable},

		{"an unknown key of a setting", setting(`"type": "string", "title": "T", "description": "D", "odd": 1`), true, ""},
		{"a setting without a title", setting(`"type": "string", "description": "D"`), true, ""},
		{"a setting of an unknown type", setting(`"type": "integer", "title": "T", "description": "D"`), true, ""},
		{"a setting with a dash in its name", with(`"userConfig": {"A-B": {"type": "string", "title": "T", "description": "D"}}`), true, ""},
		{"an unknown key of a language server", lsp(`"command": "gopls", "extensionToLanguage": {".go": "go"}, "odd": 1`), true, ""},
		{"a language server for an ending without its dot", lsp(`"command": "gopls", "extensionToLanguage": {"go": "go"}`), true, ""},
		{"a language server with blanks in its command", lsp(`"command": "gopls serve", "extensionToLanguage": {".go": "go"}`), true, ""},
		{"an unknown key of a channel", with(`"mcpServers": {"s": {"command": "x"}}, "channels": [{"server": "s", "odd": 1}]`), true, ""},
		{"a channel without a server", with(`"channels": [{}]`), true, ""},
		{"an unknown key of a monitor", monitor(`"name": "a", "command": "x", "description": "d", "odd": 1`), true, ""},
		{"a monitor without a description", monitor(`"name": "a", "command": "x"`), true, ""},
		{"a monitor at an unknown time", monitor(`"name": "a", "command": "x", "description": "d", "when": "sometimes"`), true, ""},
		{"monitors and themes where they were", with(`"monitors": 5, "themes": "./gone.json"`), true, ""},
		{"a dependency that is no name", with(`"dependencies": ["two words"]`), true, ""},
		{"a file of language servers without a command", beside(".lsp.json", `{"go": {}}`), false, notOpened},
		{"a file of monitors that is no JSON", beside("monitors/monitors.json", "{"), false, notOpened},
		{"a theme that is no JSON", beside("themes/a.json", "{"), false, notOpened},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			turns <- struct{}{}
			defer func() { <-turns }()
			dir := filepath.Join(golden.Dir(t, golden.Files(prefixed("acme/", c.files)...)), "acme")
			said, ok := run(t, claude, env, "plugin", "validate", dir)
			if ok == c.refused {
				t.Errorf("Claude Code: got taken %v, want refused to be %v\n%s", ok, c.refused, said)
			}
			l := judged(t, "claude", dir)
			if got := l.Failed(); (got == c.refused) != (c.differs == "") {
				t.Errorf("check --format claude: got refused %v and Claude Code %v, want them to differ only where it is said why (%q)\n%+v", got, c.refused, c.differs, l.Findings)
			}
		})
	}
}

// TestValidateAgreesOnFiles wants the same of each file of a plugin that holds
// all of these.
func TestValidateAgreesOnFiles(t *testing.T) {
	const named = "name: a\ndescription: d\n"
	files := []struct {
		name    string
		kind    string // the directory of its kind
		front   string // its front matter; what begins with = is the whole file
		refused bool   // by Claude Code
		differs string // why the check says otherwise; "" where it agrees
	}{
		{"as it should be", "skills", named, false, ""},
		{"no description", "skills", "name: a\n", false, ""},
		{"no description", "agents", "name: a\n", false, ""},
		{"an empty description", "agents", "name: a\ndescription:\n", false, ""},
		{"no front matter", "skills", "=x\n", false, ""},
		{"no front matter", "agents", "=x\n", false, ""},
		{"no front matter", "commands", "=x\n", false, ""},
		{"no text", "commands", "=", false, ""},
		{"no text", "output-styles", named + "---\n", false, ""},
		{"another name", "skills", "name: b\ndescription: d\n", false, ""},
		{"a key twice", "skills", named + "description: e\n", false, ""},
		{"a byte order mark", "skills", "=\ufeff---\n" + named + "---\nx\n", false, ""},
		{"a code fence", "skills", "=```\n---\n" + named + "---\nx\n```\n", false, ""},
		{"no end of the front matter", "agents", "=---\n" + named + "\n# T\nx\n", false, ""},
		{"nothing but front matter without an end", "agents", "=---\n" + named, false, ""},
		{"front matter that is a list", "skills", "- a\n", true, ""},
		{"front matter that is a list", "output-styles", "- a\n", false, ""},
		{"hooks of its own", "skills", named + "hooks: {PreToolUse: [{hooks: [{type: command, command: x}]}]}\n", false, ""},

		{"a name that is a number", "skills", "name: 5\ndescription: d\n", true, ""},
		{"a name that is a list", "agents", "name: [a]\ndescription: d\n", true, ""},
		{"a name that is null", "commands", "name: null\ndescription: d\n", false, ""},
		{"a name that is yes", "commands", "name: yes\ndescription: d\n", false, ""},
		{"a description that is a list", "skills", "description: [a, b]\n", true, ""},
		{"a description that is a list", "commands", "description: [a, b]\n", true, ""},
		{"a description that is a number", "commands", "description: 5\n", false, ""},
		{"tools that are an object", "skills", named + "allowed-tools: {a: b}\n", true, ""},
		{"tools that are an object", "agents", named + "allowed-tools: {a: b}\n", true, ""},
		{"tools that are numbers", "commands", named + "allowed-tools: [5]\n", true, ""},
		{"tools of an agent that are an object", "agents", named + "tools: {a: b}\n", false, ""},
		{"a shell that is none", "commands", named + "shell: zsh\n", true, ""},
		{"a shell in capitals", "skills", named + "shell: PowerShell\n", false, ""},
		{"a shell of an agent", "agents", named + "shell: zsh\n", false, ""},

		{"a colon in a value", "skills", "name: a\ndescription: d: e\n", false, ""},
		{"a colon in another", "commands", "description: d\nargument-hint: [a] | [b]\n", false, ""},
		{"a colon at the end", "agents", "name: a\ndescription: d:\n", true, ""},
		{"a colon below a key", "agents", named + "metadata:\n  a: b: c\n", true, ""},
		{"a colon beside a block of text", "agents", "name: a: b\ndescription: |\n  c\n  d\n", true, ""},
		{"text behind quotes", "agents", "name: a\ndescription: \"d\" e\n", true, ""},
		{"text with a bracket behind quotes", "agents", "name: a\ndescription: \"d\" [e]\n", false, ""},
		{"a quote that does not end", "agents", "name: a\ndescription: \"d\n", true, ""},
		{"a dialogue", "agents", "name: a\ndescription: When. Examples:\n\n<example>\nuser: \"x\"\n</example>\n", true, ""},
		{"a dialogue", "commands", "description: When. Examples:\n\n<example>\nuser: \"x\"\n</example>\n", true, ""},
		{"a dialogue of lines that look like keys", "agents", "name: a\ndescription: When: <example>\nuser: \"x\" [y]\nassistant: \"z\" <b>\n", false, ""},
		{"a list indented by a tab", "agents", named + "tools:\n\t- Read\n", false, ""},

		{"quotes in quotes", "agents", "name: a\ndescription: \"d \"e: f\" g\"\n", true, openMending},
		{"a colon before CRLF", "agents", "=---\r\nname: a\r\ndescription: d: e\r\n---\r\nx\r\n", true, openMending},
		{"an indented dialogue of lines that look like keys", "agents", "name: a\ndescription: d\n  user: e\n", true, openMending},
		{"a block indented by a tab", "agents", "name: a\ndescription: |\n\td\n", true, openMending},
		{"an unindented line in quotes", "agents", "name: a\ndescription: \"d\ne\"\n", true, otherYAML},
		{"a control character", "agents", "name: a\ndescription: \"d\x07\"\n", false, otherYAML},
		{"a key that is an object", "agents", named + "{a: b}: c\n", false, otherYAML},
		{"a file that is no text", "agents", "=---\n" + named + "---\n\xff\n", false, noText},
		{"a NUL", "commands", "=---\n" + named + "---\nx\x00\n", false, noText},
		{"hidden text", "skills", "=---\n" + named + "---\nx\u202ey\n", false, noText},
		{"a very large file", "skills", "=---\n" + named + "---\n" + strings.Repeat("x\n", 600_000), false, noText},
		{"deep nesting", "skills", named + "x: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n", false, noText},
	}
	at := func(i int) string {
		file := files[i].kind + "/f" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		if files[i].kind == "skills" {
			return file + "/SKILL.md"
		}
		return file + ".md"
	}
	tree := []string{manifest, plugin("")}
	for i, f := range files {
		text, whole := strings.CutPrefix(f.front, "=")
		if !whole {
			text = "---\n" + f.front + "---\nx\n"
		}
		tree = append(tree, at(i), text)
	}
	dir := filepath.Join(golden.Dir(t, golden.Files(prefixed("acme/", tree)...)), "acme")
	claude := refusedFiles(t, dir)
	l := judged(t, "claude", dir)
	for i, f := range files {
		t.Run(f.kind+": "+f.name, func(t *testing.T) {
			if got := claude[at(i)]; got != f.refused {
				t.Errorf("Claude Code: got refused %v, want %v", got, f.refused)
			}
			own := slices.DeleteFunc(slices.Clone(l.Findings), func(r host.FindingRow) bool { return r.Path != at(i) })
			got := slices.ContainsFunc(own, func(r host.FindingRow) bool { return r.Severity == ext.Error.String() })
			if (got == f.refused) != (f.differs == "") {
				t.Errorf("check --format claude: got refused %v and Claude Code %v, want them to differ only where it is said why (%q)\n%+v", got, f.refused, f.differs, own)
			}
		})
	}
}

// refusedFiles are the files of a plugin of which Claude Code's validation says
// that they are at fault.
func refusedFiles(t *testing.T, dir string) map[string]bool {
	t.Helper()
	said, _ := run(t, npmtest.Claude(t), npmtest.Env(t), "plugin", "validate", "--json", dir)
	var report struct {
		Contents []struct {
			File   string
			Errors []struct{ Message string }
		}
	}
	if err := json.Unmarshal(said, &report); err != nil || len(report.Contents) == 0 {
		t.Fatalf("claude plugin validate --json: got %v and\n%s", err, said)
	}
	refused := map[string]bool{}
	for _, c := range report.Contents {
		file, err := filepath.Rel(dir, c.File)
		if err != nil {
			t.Fatal(err)
		}
		refused[filepath.ToSlash(file)] = len(c.Errors) > 0
	}
	return refused
}

// run is what a client says, and whether it ends with 0.
func run(t *testing.T, client, env []string, args ...string) (said []byte, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, client[0], slices.Concat(client[1:], args)...)
	cmd.Env, cmd.Dir = env, t.TempDir() // which is no project
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said, err == nil
}

// judged is a look at a directory as a profile has it.
func judged(t *testing.T, profile, dir string) *host.Listing {
	t.Helper()
	p, _ := conform.Named(profile)
	l, err := catalog.Check(t.Context(), host.Inspection{Dirs: []string{dir}, Limits: ext.DefaultLimits, Profile: p})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// prefixed are files, as golden.Files takes them, below a directory.
func prefixed(dir string, files []string) []string {
	out := append([]string{}, files...)
	for i := 0; i < len(out); i += 2 {
		out[i] = strings.TrimSuffix(dir, "/") + "/" + out[i]
	}
	return out
}

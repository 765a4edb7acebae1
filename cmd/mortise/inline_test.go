//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inline is a text with everything that some client runs or fills in, each of which
// would leave a mark: plain, in a fence, escaped, and after a fence that does not
// end. Its place for arguments stands within a mark.
func inline(marker string) string {
	const ticks = "```"
	return strings.ReplaceAll("Now: !`touch MARK` and $(touch MARK) and `touch MARK`.\n\n"+ticks+"!\ntouch MARK\n"+ticks+"\n\n"+ticks+"sh\n!`touch MARK`\n"+ticks+
		"\n\n\\!`touch MARK` !{touch MARK} @{MARK} @MARK ${HOME} ${CLAUDE_PLUGIN_ROOT} <(touch MARK)\n\n!`echo $ARGUMENTS` $1 $(echo $2)\n\n"+ticks+"\n!`touch MARK`\n", "MARK", marker)
}

// TestField_PRO03_inline_commands_are_text looks at texts with inline commands in
// every way there is, adopts them, serves them and fills in their arguments: nothing
// of them is run, on no path, each path gives them as they are written, and what was
// typed is data, whatever it looks like.
func TestField_PRO03_inline_commands_are_text(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "[plugins.acme]\npath = \"./acme\"\n[plugins.gem]\npath = \"./gem\"\n"})
	marker := filepath.Join(p.dir, "ran")
	text := inline(marker)
	described := "---\ndescription: D !`touch " + marker + "`\n---\n" + text
	toml := strings.NewReplacer("$ARGUMENTS", "{{args}}").Replace(text)
	p.write(map[string]string{
		".mortise/skills/s/SKILL.md": "---\nname: s\n" + strings.TrimPrefix(described, "---\n"), ".mortise/commands/c.md": described, ".mortise/agents/a.md": described,
		".mortise/rules/r.md": described, ".mortise/prompts/p.md": text,
		"acme/.claude-plugin/plugin.json": `{"name": "acme"}`, "acme/skills/s/SKILL.md": "---\nname: s\n" + strings.TrimPrefix(described, "---\n"), "acme/commands/c.md": described,
		"gem/gemini-extension.json": `{"name": "gem", "version": "1.0.0"}`, "gem/commands/c.toml": "description = \"D\"\nprompt = '''\n" + toml + "'''\n",
	})
	unrun := func(when string) {
		t.Helper()
		if _, err := os.Lstat(marker); err == nil {
			t.Fatalf("%s ran an inline command: its mark is there", when)
		}
	}
	for _, args := range [][]string{
		{"check"}, {"check", "--recursive", "--fresh", "."}, {"list", "--verbose"}, {"explain", "owner:c"}, {"explain", "acme:s"}, {"session"},
		{"trust", "--diff"}, {"trust", "--yes"}, {"list"}, {"session", "--text"}, {"session", "--prompt"}, {"session", "--json"},
	} {
		p.run(args...) // some of them find something, which is no matter here
		unrun("mortise " + strings.Join(args, " "))
	}
	if got := document[struct {
		Text string `json:"text"`
	}](t, p.must("session", "--json")).Text; !strings.Contains(got, strings.TrimSpace(text)) {
		t.Errorf("session: got the text %q, want %q in it as it is written", got, text)
	}

	s := p.serve()
	c := connect(t, s.url, nil)
	for _, uri := range []string{"skill://owner/s/SKILL.md", "skill://acme/s/SKILL.md", "agent://owner/a", "rule://owner/r"} {
		got, err := c.ReadResource(c.Context, &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(got.Contents) != 1 || strings.TrimSpace(got.Contents[0].Text) != strings.TrimSpace(text) {
			t.Errorf("%s: got %+v, %v, want %q", uri, got, err, text)
		}
	}
	for _, typed := range []string{"", "x", "`touch " + marker + "`", "$(touch " + marker + ") two", "a`; touch " + marker + "; `", "!`touch " + marker + "`", "$ARGUMENTS $1 {{args}} \\1 ${1}"} {
		words := append(strings.Fields(typed), "", "")
		filled := strings.NewReplacer("$ARGUMENTS", typed, "$1", words[0], "$2", words[1]).Replace(text)
		for name, want := range map[string]string{"owner_c": filled, "acme_c": filled, "gem_c": strings.ReplaceAll(toml, "{{args}}", typed)} {
			got, err := c.GetPrompt(c.Context, &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"arguments": typed}})
			if err != nil || len(got.Messages) != 1 {
				t.Fatalf("%s with %q: got %+v, %v, want one message", name, typed, got, err)
			}
			said, ok := got.Messages[0].Content.(*mcp.TextContent)
			if !ok || strings.TrimSpace(said.Text) != strings.TrimSpace(want) {
				t.Errorf("%s with %q: got %q, want %q", name, typed, said.Text, want)
			}
		}
	}
	s.ends(t, syscall.SIGINT)
	unrun("serving")
}

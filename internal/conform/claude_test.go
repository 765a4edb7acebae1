package conform_test

import (
	"strings"
	"testing"
)

// TestClaudeName wants names that pass for one of Anthropic's own to be refused,
// as Claude Code's own validation refuses them, and no others.
func TestClaudeName(t *testing.T) {
	for want, names := range map[string]string{
		"new client-plugin-name": "claude CLAUDE claude- -claude c-laude claude-x claude_x claude.x claude+x claude--x claude–x claude日本 日本-claude " +
			"anthropic anthropics anthropic-x anthropics-x claudecode claude-code claudemods claude-mods cc-plugin-x ccplugin-x CC.Plugin.x " +
			"official-claude officialclaude un-official-claude claude-official x-claudeofficial anthropic_official o-f-f-i-c-i-a-l-claude " +
			"сlaude-x clаude claudе-x αnthropic-x clàude-x ｃｌａｕｄｅ-x ℂlaude ⅽlaude-x ᴄʟᴀᴜᴅᴇ-x сс-рluɡin-x",
		"": "claudex my-claude x-claude-y xclaude-y claude1 claudecodex my-claudecode anthropicx cc-plugin cc-plugin- cc-plugins cc-plugins-x ccpluginx " +
			"official official-x-claude my-claude-x-official official-my-claude c1aude cl4ude-x my-clаude a/b@c:d Acme é 日本",
	} {
		for name := range strings.FieldsSeq(names) {
			if got := judged(t, "claude", "x/"+manifest, `{"name":"`+name+`"}`, "x/commands/a.md", "x\n"); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
	for _, name := range []string{"", " ", "two words", `a\tb`, `a\nb`, `a\u0007b`, `a\u0085b`} {
		if got := judged(t, "claude", "x/"+manifest, `{"name":"`+name+`"}`, "x/commands/a.md", "x\n"); got != "new client-plugin-name" {
			t.Errorf("%q: got %q, want the name to be refused", name, got)
		}
	}
}

// TestFaultsAreFew wants a manifest with very many faults to be told in a few
// findings, and the last to say how many more there are.
func TestFaultsAreFew(t *testing.T) {
	got := judged(t, "claude", claude(`"keywords":[`+strings.Repeat("5,", 10_000)+`5]`)...)
	if want := strings.Repeat("new client-manifest, ", 50) + "new client-manifest"; got != want {
		t.Errorf("10,001 faults: got %d findings, want 51", strings.Count(got, ",")+1)
	}
}

// TestAddress wants what is no address for a homepage to be refused, as Claude
// Code's own validation refuses it, and no other.
func TestAddress(t *testing.T) {
	for want, addresses := range map[string][]string{
		"new client-manifest": {"", "x", "not a url", "x.y", "//x.y", "https://", "https://a b", "git@github.com:a/b.git", "a/b", "#readme", "http://[::1", "1:x", "https://ex ample.com"},
		"": {"http://x", "https://x.y/z", "HTTPS://X", " https://x.y ", "http:///x", "http:x", `http:\\\\x`, "https://x/a b", "https://x/%zz", "https://x?y z",
			"https://user:p@x", "http://[::1]:80/", "ftp://x", "mailto:a@b", "javascript:alert(1)", "file:///x", "git+https://x/y", "ssh://git@x/y", "a:b", "data:,x"},
	} {
		for _, address := range addresses {
			if got := judged(t, "claude", claude(`"homepage":"`+address+`"`)...); got != want {
				t.Errorf("%q: got %q, want %q", address, got, want)
			}
		}
	}
}

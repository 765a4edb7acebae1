package session_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/session"
)

func TestSizeOf(t *testing.T) {
	for _, c := range []struct {
		texts []string
		want  session.Size
	}{
		{nil, session.Size{}},
		{[]string{""}, session.Size{}},
		{[]string{"abcd"}, session.Size{Characters: 4, Tokens: 1}},
		{[]string{"extension"}, session.Size{Characters: 9, Tokens: 1}},
		{[]string{"extensions"}, session.Size{Characters: 10, Tokens: 2}},
		{[]string{"one two  three\n"}, session.Size{Characters: 15, Tokens: 5}},
		{[]string{"1234"}, session.Size{Characters: 4, Tokens: 2}},
		{[]string{"{}[]"}, session.Size{Characters: 4, Tokens: 2}},
		{[]string{"字字", "a"}, session.Size{Characters: 3, Tokens: 3}},
		{[]string{"что"}, session.Size{Characters: 3, Tokens: 2}},
		{[]string{"🚀"}, session.Size{Characters: 1, Tokens: 2}},
		{[]string{"\xff\xfe"}, session.Size{Characters: 2, Tokens: 1}},
	} {
		if got := session.SizeOf(c.texts...); got != c.want {
			t.Errorf("SizeOf(%q): got %+v, want %+v", c.texts, got, c.want)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		a, b := rapid.String().Draw(r, "a"), rapid.String().Draw(r, "b")
		if session.SizeOf(a, b) != session.SizeOf(b, a) || session.SizeOf(a).Add(session.SizeOf(b)) != session.SizeOf(a, b) {
			r.Fatalf("SizeOf(%q, %q): want the sum, in any order", a, b)
		}
	})
}

// TestTokensKnown wants the estimate near what two published tokenizers count:
// o200k_base, and the one that Anthropic published for Claude 2.
func TestTokensKnown(t *testing.T) {
	for _, c := range []struct {
		name           string
		text           string
		openai, claude int
	}{
		{"a line of a catalogue", "acme:release-notes: Writes release notes from merged pull requests. Use when the user asks what changed since the last version, or wants a summary of a milestone.", 35, 35},
		{"a tool", `{"name":"timetable__next_departure","description":"Say when the next train leaves.","inputSchema":{"type":"object","properties":{"station":{"type":"string","description":"Where it leaves from."},"after":{"type":"string","format":"date-time"}},"required":["station"]}}`, 59, 61},
		{"code", "func main() {\n\tfor i := range 10 {\n\t\tfmt.Println(\"line\", i)\n\t}\n\tif err := run(ctx, os.Args[1:]); err != nil {\n\t\tos.Exit(1)\n\t}\n}\n", 46, 60},
		{"a list", "# Steps\n\n1. Read the log since the last tag: `git log --oneline v1.2.0..HEAD`.\n2. Group by area.\n3. Leave out what no user sees.\n\n- Breaking changes first.\n- Then features, then fixes.\n", 55, 63},
		{"Chinese", "从已合并的请求中撰写发布说明。当用户询问自上一版本以来发生了什么变化时使用。", 27, 34},
		{"Japanese", "マージされたプルリクエストからリリースノートを書きます。前のバージョンから何が変わったかを聞かれたときに使います。", 43, 50},
		{"German", "Schreibt Versionshinweise aus zusammengeführten Änderungen. Für Fragen danach, was sich seit der letzten Veröffentlichung geändert hat, größere Übersichten eingeschlossen.", 30, 57},
		{"Russian", "Пишет примечания к выпуску по принятым изменениям. Используйте, когда спрашивают, что изменилось с прошлой версии.", 31, 62},
	} {
		got, least, most := session.Tokens(c.text), min(c.openai, c.claude)*4/5, max(c.openai, c.claude)*5/4
		if got < least || got > most {
			t.Errorf("%s: got %d tokens, want %d to %d: the tokenizers count %d and %d", c.name, got, least, most, c.openai, c.claude)
		}
	}
}

// BenchmarkTokens is the estimate for a text of usual length.
func BenchmarkTokens(b *testing.B) {
	text := strings.Repeat("Use this when the user asks for a summary of `git log` (v1.2.0).\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		session.Tokens(text)
	}
}

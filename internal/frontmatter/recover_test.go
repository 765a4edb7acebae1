package frontmatter

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

// spell is a Doc in a form that tests can write: 'text', [items], {k@line: v}.
// Text is in quotes; a number, a boolean and nothing are not.
func spell(d *ext.Doc) string {
	var parts []string
	switch d.Kind {
	case ext.List:
		for i := range d.List {
			parts = append(parts, spell(&d.List[i]))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ext.Map:
		for i := range d.Map {
			parts = append(parts, fmt.Sprintf("%s@%d: %s", d.Map[i].Key, d.Map[i].Line, spell(&d.Map[i].Value)))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case ext.String:
		return fmt.Sprintf("'%s'", strings.ReplaceAll(d.Text, "\n", "↵"))
	}
	return d.Text
}

func TestMend(t *testing.T) {
	for _, c := range []struct{ name, front, want, findings string }{
		{"colon", "name: a\ndescription: Runs. Flags: --all", "{name@2: 'a', description@3: 'Runs. Flags: --all'}", "requoted@3"},
		{"colon at the end", "a: Examples are:\nb: c", "{a@2: 'Examples are:', b@3: 'c'}", "requoted@2"},
		{"colon with comment", "a: b: c # d", "{a@2: 'b: c # d'}", "requoted@2"},
		{"colon and a quote", "a: it's: b", "{a@2: 'it's: b'}", "requoted@2"},
		{"brackets and bar", "argument-hint: [a] | [b]\nn: 1.10", "{argument-hint@2: '[a] | [b]', n@3: 1.10}", "requoted@2"},
		{"brackets twice", "argument-hint: [a] [b]", "{argument-hint@2: '[a] [b]'}", "requoted@2"},
		{"bracket without an end", "a: [b\nc: d", "{a@2: '[b', c@3: 'd'}", "requoted@2"},
		{"braces", "name: {{name}}\nb: x", "{name@2: '{{name}}', b@3: 'x'}", "requoted@2"},
		{"braces and text", "name: {{name}}-x", "{name@2: '{{name}}-x'}", "requoted@2"},
		{"star", "tools: *", "{tools@2: '*'}", "requoted@2"},
		{"stars", "a: **b** c", "{a@2: '**b** c'}", "requoted@2"},
		{"at sign", "author: @me", "{author@2: '@me'}", "requoted@2"},
		{"per cent", "a: %b", "{a@2: '%b'}", "requoted@2"},
		{"backquote", "a: `b` c", "{a@2: '`b` c'}", "requoted@2"},
		{"greater than", "a: > b c", "{a@2: '> b c'}", "requoted@2"},
		{"bar", "a: | b\nc: d", "{a@2: '| b', c@3: 'd'}", "requoted@2"},
		{"comma", "a: , b", "{a@2: ', b'}", "requoted@2"},
		{"dash", "allowed-tools: - Read\nb: c", "{allowed-tools@2: 'Read', b@3: 'c'}", "requoted@2"},
		{"dashes below", "allowed-tools: - Read\n  - Bash(git: *)\n- Write\nb: c", "{allowed-tools@2: ['Read', 'Bash(git: *)', 'Write'], b@5: 'c'}", "lines@2"},
		{"quotes in quotes", `a: "say "hi" now"`, `{a@2: 'say "hi" now'}`, "requoted@2"},
		{"apostrophe in quotes", `a: 'it's'`, "{a@2: 'it's'}", "requoted@2"},
		{"quote without an end", "a: \"b c\nd: e", "{a@2: 'b c', d@3: 'e'}", "requoted@2"},
		{"quotes with text behind", `a: "b" and "c`, `{a@2: '"b" and "c'}`, "requoted@2"},
		{"tab for the value", "a:\tb: c", "{a@2: 'b: c'}", "requoted@2"},
		{"two", "a: b: c\nd: ok\ne: @f", "{a@2: 'b: c', d@3: 'ok', e@4: '@f'}", "requoted@2 requoted@4"},
		{"words keep their spelling", "a: b: c\nname: yes\nv: 1.0\nd: 2024-01-01\nt: 1:30", "{a@2: 'b: c', name@3: 'yes', v@4: 1.0, d@5: '2024-01-01', t@6: '1:30'}", "requoted@2"},
		{"deeper", "metadata:\n  hint: [a] | [b]\n  list:\n    - x: y: z\n    - @w\n    - ok\nb: c",
			"{metadata@2: {hint@3: '[a] | [b]', list@4: [{x@5: 'y: z'}, '@w', 'ok']}, b@8: 'c'}", "requoted@3 requoted@5 requoted@6"},
		{"block of text is left alone", "m:\n  d: |\n    user: a: b\n\n    @x\n  e: @f", "{m@2: {d@3: 'user: a: b↵↵@x↵', e@7: '@f'}}", "requoted@7"},
		{"comments and blanks", "# x: [\n\na: b: c\n\n# y\nd: e\n", "{a@4: 'b: c', d@7: 'e'}", "requoted@4"},
		{"what is right beside it", "a: b: c\nl:\n- x\n- y\nf: >-\n  g\n  h\ni: \"j\\tk\" # l", "{a@2: 'b: c', l@3: ['x', 'y'], f@6: 'g h', i@9: 'j\tk'}", "requoted@2"},
		{"other keys", "a: b: c\n\"d e\": f\ng h: i", "{a@2: 'b: c', d e@3: 'f', g h@4: 'i'}", "requoted@2"},
		{"other keys beside it", "z: @\na: b\n\"d e\": f\ng h: i", "{z@2: '@', a@3: 'b', d e@4: 'f', g h@5: 'i'}", "requoted@2"},

		{"repeated", "a: 1\nb: x\na: 2", "{a@2: 1, b@3: 'x'}", "duplicate@4"},
		{"repeated below", "m:\n  os: a\n  os: b\nn: c", "{m@2: {os@3: 'a'}, n@5: 'c'}", "duplicate@4"},
		{"repeated and a colon", "a: 1\nb: x: y\na: 2\nm: {k: 1, k: 2}", "{a@2: 1, b@3: 'x: y', m@5: {k@5: 1}}", "requoted@3 duplicate@4 duplicate@5"},
		{"tabs", "m:\n\ta: b\n\tc: d\n", "{m@2: {a@3: 'b', c@4: 'd'}}", "tabs@3"},
		{"tabs and blanks", "m:\n    a:\n\t\tb: c\n    d: e", "{m@2: {a@3: {b@4: 'c'}, d@5: 'e'}}", "tabs@4"},
		{"tabs and a colon", "m:\n\ta: b: c\n", "{m@2: {a@3: 'b: c'}}", "tabs@3 requoted@3"},
		{"fence", "```yaml\na: b\nc: d: e\n```", "{a@3: 'b', c@4: 'd: e'}", "fenced@2 requoted@4"},
		{"tildes", "\n~~~\na: b\n~~~\n", "{a@4: 'b'}", "fenced@3"},

		{"folded over lines", "a: b: c\n  d\n\n  e", "{a@2: 'b: c↵d↵↵e'}", "lines@2"},
		{"text in the first column", "description: Does this.\n\nAnd that.\nauthor: me", "{description@2: 'Does this.↵↵And that.', author@5: 'me'}", "lines@2"},
		{"block that falls back", "a: |\n  b\nc d\ne: f", "{a@2: 'b↵c d', e@5: 'f'}", "lines@2"},
		{"block that falls back, indented", "a: >-\n  b\n    c\nd e\nf: g", "{a@2: 'b↵    c↵d e', f@6: 'g'}", "lines@2"},
		{"quotes over lines", "a: \"b \"c\"\nd e\"\nf: g", "{a@2: 'b \"c\"↵d e', f@4: 'g'}", "lines@2"},
		{"value below", "a:\n  b: c: d\n e\nf: g", "{a@2: 'b: c: d↵e', f@5: 'g'}", "lines@2"},
		{"dialogue in markup", "d: Use it. Examples:\n<example>\nContext: x\nuser: \"y\"\n</example>\ncolor: red",
			"{d@2: 'Use it. Examples:↵<example>↵Context: x↵user: \"y\"↵</example>', color@7: 'red'}", "lines@2"},
		{"markup opened on the line of the key", "d: Use it. \\n<example>\\nContext: x\nuser: \"y\"\nname: z\n</example>\\n\nmodel: a",
			"{d@2: 'Use it. \\n<example>\\nContext: x↵user: \"y\"↵name: z↵</example>\\n', model@6: 'a'}", "lines@2"},
		{"markup that is not closed", "d: see: x\n<example>\ntools: Read", "{d@2: 'see: x↵<example>', tools@4: 'Read'}", "lines@2"},
		{"dialogue without markup", "d: Use it. Examples:\nuser: \"a\"\nassistant: \"b\"\n\nuser: \"c\"\nassistant: \"d\"\ncolor: red",
			"{d@2: 'Use it. Examples:↵user: \"a\"↵assistant: \"b\"↵↵user: \"c\"↵assistant: \"d\"', color@8: 'red'}", "lines@2"},
		{"repeated and at fault", "m:\n" + strings.Repeat(" a: @\n", 3) + "b: c", "{m@2: {a@3: '@'}, b@6: 'c'}", "requoted@3 requoted@4 requoted@5 duplicate@4 duplicate@5"},
		{"too many values of one key", "a:\n" + strings.Repeat(" b: @\n", 60) + "c: d", "{a@2: '" + strings.Repeat("b: @↵", 59) + "b: @', c@63: 'd'}", "lines@2"},
		{"labels with capitals", "d: x\ny z\nContext: w\ncolor: red", "{d@2: 'x↵y z↵Context: w', color@5: 'red'}", "lines@2"},
		{"capitals throughout", "Name: a\nDescription: b: c\nd: e", "{Name@2: 'a', Description@3: 'b: c', d@4: 'e'}", "requoted@3"},

		{"dashes on one line", "allowed-tools: - Read - 'Write' - Bash(git:*)\nb: c", "{allowed-tools@2: ['Read', 'Write', 'Bash(git:*)'], b@3: 'c'}", "requoted@2"},
		{"a dash within a sentence", "d: - Reads files - and writes\nb: c", "{d@2: 'Reads files - and writes', b@3: 'c'}", "requoted@2"},
		{"a capital key among small ones", "name: a\nd: b: c\nLicense: MIT\nmodel: e", "{name@2: 'a', d@3: 'b: c', License@4: 'MIT', model@5: 'e'}", "requoted@3"},
		{"a capital key with a list", "d: b: c\nTools:\n- Read\nmodel: e", "{d@2: 'b: c', Tools@3: ['Read'], model@5: 'e'}", "requoted@2"},
		{"a capital label below a blank line", "d: b: c\n\nExamples:\n- Context: x\n  user: y\nmodel: e", "{d@2: 'b: c↵↵Examples:↵- Context: x↵  user: y', model@7: 'e'}", "lines@2"},
		{"a capital label above text", "d: b\nExamples:\nuser says x\nmodel: e", "{d@2: 'b↵Examples:↵user says x', model@5: 'e'}", "lines@2"},
		{"quotes over lines that look like keys", "d: \"multi\nline: x\nend\"\nh: [a] | [b]\nm: y", "{d@2: 'multi line: x end', h@5: '[a] | [b]', m@6: 'y'}", "requoted@5"},
		{"single quotes over lines", "d: 'it''s\nline: x\nend' # c\nh: @b", "{d@2: 'it's line: x end', h@5: '@b'}", "requoted@5"},
		{"quotes over lines with an escape that is none", "d: \"\\d\nline: x\nend\"\nm: y", "{d@2: '\\d↵line: x↵end', m@5: 'y'}", "lines@2"},
		{"quotes over lines that do not pair", "d: \"say \"x\nline: y\nm: z", "{d@2: '\"say \"x', line@3: 'y', m@4: 'z'}", "requoted@2"},
		{"a quoted key", "\"description\": Use: this\n'm x': @y", "{description@2: 'Use: this', m x@3: '@y'}", "requoted@2 requoted@3"},
		{"a quoted key in running text", "d: shows\n{\n\"name\": @x\n}\nm: z", "{d@2: 'shows↵{↵\"name\": @x↵}', m@6: 'z'}", "lines@2"},
		{"keys of other scripts", "描述: x: y\nd: z\nÉtat: @w", "{描述@2: 'x: y', d@3: 'z', État@4: '@w'}", "requoted@2 requoted@4"},
		{"an emoji for a key", "🚀: x: y\nd: z", "{🚀@2: 'x: y', d@3: 'z'}", "requoted@2"},
		{"a key of other scripts below", "m:\n  作者: a: b", "{m@2: {作者@3: 'a: b'}}", "requoted@3"},
		{"a key of several words", "allowed tools: Read: x\nd: y", "{allowed tools@2: 'Read: x', d@3: 'y'}", "requoted@2"},
		{"a key of several words below others", "name: x\nallowed tools: Read: x\nd: y", "{name@2: 'x', allowed tools@3: 'Read: x', d@4: 'y'}", "requoted@3"},
		{"a sentence with a colon", "d: Reviews.\nUse it for: audits: all\nm: y", "{d@2: 'Reviews.↵Use it for: audits: all', m@4: 'y'}", "lines@2"},

		{"text before the first key", "x\n\na: b: c", "{}", "unread@4"},
		{"item before the first key", "- x\na: b: c", "{}", "unread@3"},
		{"control character", "a: b: c\nd: \x1b", "{}", "unread@3"},
		{"too many are repeated", strings.Repeat("a: b\n", 60), "{}", "unread@3"},
		{"too much is at fault", strings.Repeat("a: b: c\n", 60), "{}", "unread@2"},
		{"hooks among what cannot be read", "x\n\na: b: c\nhooks:\n  PreToolUse: []", "", "yaml-syntax@4"},
		{"anchors that are hostile", "a: &a [x,x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d]", "", "yaml-alias-limit@2"},
		{"nested too deeply", "a: b: c\nd: " + strings.Repeat("[", 70), "", "nesting-limit@3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := []byte("---\n" + c.front + "\n---\nbody")
			d := Read(here, in)
			sound(t, d, in)
			again(t, here, d, in)
			got := ""
			if d.Front.Kind == ext.Map {
				got = spell(&d.Front)
			}
			found := strings.ReplaceAll(codes(d.Findings), "frontmatter-", "")
			if d.Front.Kind == ext.Null && len(d.Findings) > 0 {
				found, _, _ = strings.Cut(found, " ")
			}
			if got != c.want || found != c.findings {
				t.Errorf("Read(%q):\ngot  %s, %v\nwant %s, %s", c.front, got, d.Findings, c.want, c.findings)
			}
			if d.Body != "body" || d.BodyLine != 4+strings.Count(c.front, "\n") {
				t.Errorf("got body %q from line %d", d.Body, d.BodyLine)
			}
		})
	}
}

func TestMendAround(t *testing.T) {
	for _, c := range []struct {
		name, in, want, body string
		bodyLine             int
		findings             string
	}{
		{"file in a fence", "```markdown\n---\na: b\n---\n# T\n\nx\n```\n", "{a@3: 'b'}", "# T\n\nx\n", 5, "fenced@1"},
		{"file in a fence without words", "```\n\n---\na: b\n---\nx\n```", "{a@4: 'b'}", "x\n", 6, "fenced@1"},
		{"file in tildes", "~~~ md\n---\na: b: c\n---\nx\n~~~\n", "{a@3: 'b: c'}", "x\n", 5, "fenced@1 requoted@3"},
		{"file in a fence, with fences in it", "````md\n---\na: b\n---\n```go\nx\n```\ny\n````\n", "{a@3: 'b'}", "```go\nx\n```\ny\n", 5, "fenced@1"},
		{"front matter in a fence", "```yaml\n---\na: b\n---\n```\n\n# T\n", "{a@3: 'b'}", "\n# T\n", 6, "fenced@1"},
		{"front matter in a fence, and a blank line", "```yaml\n---\na: b\n---\n\n```\nx", "{a@3: 'b'}", "x", 7, "fenced@1"},
		{"fence that is not closed", "```\n---\na: b\n---\nx\n```go\ny\n```\n", "{a@3: 'b'}", "x\n```go\ny\n```\n", 5, "fenced@1"},
		{"fence with code", "```yaml\na: b\n```\n", "", "```yaml\na: b\n```\n", 1, ""},
		{"fence with a line ---", "```\n---\nx\n", "", "```\n---\nx\n", 1, ""},
		{"code in backquotes", "``` x ```\n---\na: b\n---\n", "", "``` x ```\n---\na: b\n---\n", 1, ""},
		{"BOM and CRLF in a fence", "\ufeff```\r\n---\r\na: b\r\n---\r\nx\r\n```\r\n", "{a@3: 'b'}", "x\n", 5, "bom@1 fenced@1"},

		{"ends at a blank line", "---\na: b\nc: d\n\nSome text.\n", "{a@2: 'b', c@3: 'd'}", "\nSome text.\n", 4, "unended@4"},
		{"ends at a heading", "---\na: b\nl:\n- x\n- y\n# T\nx", "{a@2: 'b', l@3: ['x', 'y']}", "# T\nx", 6, "unended@6"},
		{"ends at a longer line", "---\na: b\n\nc: d\n-----\nx", "{a@2: 'b', c@4: 'd'}", "x", 6, "unended@5"},
		{"ends at an indented line", "---\na: b: c\n  ---\nx", "{a@2: 'b: c'}", "x", 4, "unended@3 requoted@2"},
		{"keys below a blank line", "---\na: b\n\nc: d\n\nx y\n", "{a@2: 'b', c@4: 'd'}", "\nx y\n", 5, "unended@5"},
		{"blank line, then nothing", "---\na: b\n\n", "{a@2: 'b'}", "\n", 3, "unended@3"},
		{"below blank lines", "\n \n---\na: b\nc: d: e\n---\nx", "{a@4: 'b', c@5: 'd: e'}", "x", 7, "late@3 requoted@5"},
		{"below a comment", "<!-- © me -->\n<!--\nb: c\n-->\n\n---\na: b\n---\nx", "{a@7: 'b'}", "x", 9, "late@6"},
		{"behind a blank", " ---\na: b\n---\nx", "{a@2: 'b'}", "x", 4, "late@1"},
		{"indented throughout", "  ---\n  a: b\n  l:\n    - c\n  ---\nx", "{a@2: 'b', l@3: ['c']}", "x", 6, "late@1"},
		{"behind four dashes", "----\na: b\n----\nx", "{a@2: 'b'}", "x", 4, "late@1"},
		{"below a blank line, with blanks behind the dashes", "\n---  \na: b\n---\t\nx", "{a@3: 'b'}", "x", 5, "late@2 blanks@2 blanks@4"},
		{"BOM, CRLF and a blank line", "\ufeff\r\n---\r\na: b\r\n---\r\nx", "{a@3: 'b'}", "x", 5, "bom@1 late@2"},
		{"lists and comments", "\n---\n# c\nl:\n- a\n\n- b\n---\n", "{l@4: ['a', 'b']}", "", 9, "late@2"},
		{"fence below a blank line", "\n```md\n---\na: b\n---\nx\n```\n", "{a@4: 'b'}", "x\n", 6, "fenced@2"},
		{"a rule below a blank line", "\n---\nSome text.\n---\nx", "", "\n---\nSome text.\n---\nx", 1, ""},
		{"a rule above a note", "\n---\nNote: some text.\n---\nx", "", "\n---\nNote: some text.\n---\nx", 1, ""},
		{"a rule above keys and text", "\n---\na: b\nSome text.\n---\nx", "", "\n---\na: b\nSome text.\n---\nx", 1, ""},
		{"a rule above a list", "\n---\n- a: b\n---\nx", "", "\n---\n- a: b\n---\nx", 1, ""},
		{"keys between rules further down", "x\n\n---\na: b\n---\n", "", "x\n\n---\na: b\n---\n", 1, ""},
		{"a rule behind a comment", "<!-- c --> ---\na: b\n---\n", "", "<!-- c --> ---\na: b\n---\n", 1, ""},
		{"a comment that does not end", "<!--\n---\na: b\n---\n", "", "<!--\n---\na: b\n---\n", 1, ""},
		{"a long rule above text", "-----\nSome text.\n", "", "-----\nSome text.\n", 1, ""},
		{"no end", "\n---\na: b\n", "", "\n---\na: b\n", 1, ""},

		{"TOML", "+++\na = 'b'\n+++\nx", "", "+++\na = 'b'\n+++\nx", 1, "frontmatter-toml@1"},
		{"TOML below a comment", "<!-- c -->\n+++\n[a]\n+++\nx", "", "<!-- c -->\n+++\n[a]\n+++\nx", 1, "frontmatter-toml@2"},
		{"plus signs", "+++\nSome text.\n+++\n", "", "+++\nSome text.\n+++\n", 1, ""},
		{"plus signs without an end", "+++\na = 'b'\n", "", "+++\na = 'b'\n", 1, ""},

		{"just stops", "---\na: b\nc: d\n", "", "---\na: b\nc: d\n", 1, "frontmatter-unclosed@1"},
		{"a rule, then text", "---\nSome text.\n\nx\n", "", "---\nSome text.\n\nx\n", 1, "frontmatter-unclosed@1"},
		{"a rule, then a note", "---\nNote: some text.\n\nx\n", "", "---\nNote: some text.\n\nx\n", 1, "frontmatter-unclosed@1"},
		{"a rule, then a blank line", "---\n\na: b\n\n", "", "---\n\na: b\n\n", 1, "frontmatter-unclosed@1"},
		{"text below the keys", "---\na: b\nSome text.\n\nx\n", "", "---\na: b\nSome text.\n\nx\n", 1, "frontmatter-unclosed@1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Read(here, []byte(c.in))
			sound(t, d, []byte(c.in))
			again(t, here, d, []byte(c.in))
			got := ""
			if d.Front.Kind == ext.Map {
				got = spell(&d.Front)
			}
			found := codes(d.Findings)
			if d.Front.Kind == ext.Map {
				found = strings.ReplaceAll(found, "frontmatter-", "")
			}
			if got != c.want || d.Body != c.body || d.BodyLine != c.bodyLine || found != c.findings {
				t.Errorf("Read(%q):\ngot  %s, body %q from %d, %v\nwant %s, body %q from %d, %s", c.in,
					got, d.Body, d.BodyLine, d.Findings, c.want, c.body, c.bodyLine, c.findings)
			}
		})
	}
}

// TestMendAdvice wants every recovery to say what was found and what to write.
func TestMendAdvice(t *testing.T) {
	for _, c := range []struct{ name, in, message, fix string }{
		{"colon", "---\ndescription: Runs. Flags: --all\n---\n", `the value of "description" holds a colon followed by a space and was taken as text: "Runs. Flags: --all"`,
			`Write "description: 'Runs. Flags: --all'".`},
		{"long", "---\na: b: " + strings.Repeat("c", 200) + "\n---\n", `the value of "a" holds a colon followed by a space and was taken as text: "b: ` + strings.Repeat("c", 76) + `…"`, Requoted.Fix},
		{"sign", "---\nh: [a] | [it's]\n---\n", `the value of "h" begins with "[", which has a meaning in YAML, and was taken as text: "[a] | [it's]"`, `Write "h: '[a] | [it''s]'".`},
		{"dash", "---\nt: - Read\n---\n", `the value of "t" begins with a dash, as an item of a list on a line of its own does, and was taken as text: "Read"`, `Write "t: 'Read'".`},
		{"item", "---\nl:\n  - @a\n---\n", `an item of "l" begins with "@", which has a meaning in YAML, and was taken as text: "@a"`, `Write "- '@a'".`},
		{"quotes", "---\na: \"b\"c\"\n---\n", `the value of "a" has quotes that do not pair and was taken as text: "b\"c"`, `Write "a: 'b\"c'".`},
		{"lines", "---\nd: a: b\n  c\nm: x\n---\n", `the value of "d" is no YAML, and all up to key "m" on line 4 was taken as its text: "a: b"`, `Write "d: |", and the text on the lines below it, indented by two spaces.`},
		{"last lines", "---\nd: a\nb c\n---\n", `the value of "d" is no YAML, and all up to the end was taken as its text: "a"`, `Write "d: |", and the text on the lines below it, indented by two spaces.`},
		{"duplicate", "---\na: 1\na: 2\n---\n", `key "a" is here and on line 2`, "Keep one of the two; the one on line 2 counts now."},
		{"tabs", "---\na:\n\tb: c\n---\n", `a tab indents this line below "a"; it was read as 2 blanks`, Tabs.Fix},
		{"fence", "```md\n---\na: b\n---\nx\n```\n", "\"```md\" opens a code fence around the front matter, which was read without it", "Remove line 1 and line 6, which open and close the code fence."},
		{"open fence", "```md\n---\na: b\n---\nx\n", "\"```md\" opens a code fence around the front matter, which was read without it", "Remove line 1, which opens the code fence."},
		{"inner fence", "---\n```\na: b\n```\n---\nx\n", "\"```\" opens a code fence within the front matter, which was read without it", "Remove line 2 and line 4, which open and close the code fence."},
		{"unended", "---\na: b\n\nx\n", "no line --- ends the front matter; it was taken to end above this line", "Write a line --- above line 3."},
		{"blank lines", "\n\n---\na: b\n---\nx\n", "the front matter begins here, below blank lines", "Write exactly --- on line 1, and the front matter below it."},
		{"comment", "<!-- c -->\n ----\na: b\n---\n", `the front matter begins here, below a comment, which was left out of the text and behind blanks and with "----" for ---`, "Write exactly --- on line 1, and the front matter below it."},
		{"TOML", "+++\na = 1\n+++\n", "the front matter that begins here is TOML; it was not read, and left in the text", TOML.Fix},
		{"blanks", "---\t\na: b\n---\n", "blanks follow the dashes; the line was read without them", Blanks.Fix},
		{"line ends", "---\ra: b\r---\r", "a carriage return alone ends this line; it was read as the end of a line", LineEnds.Fix},
		{"dashes", "---\nt: - Read - Write\n---\n", `the value of "t" begins with a dash, as an item of a list on a line of its own does, and was taken as a list of 2: "Read, Write"`, `Write "t: ['Read', 'Write']".`},
		{"quoted key", "---\n\"d e\": f: g\n---\n", `the value of "d e" holds a colon followed by a space and was taken as text: "f: g"`, `Write "\"d e\": 'f: g'".`},
		{"lines of a quoted key", "---\n\"d\": a: b\n  c\n---\n", `the value of "d" is no YAML, and all up to the end was taken as its text: "a: b"`, `Write "\"d\": |", and the text on the lines below it, indented by two spaces.`},
		{"unread", "---\nx\na: b\n---\n", `the front matter cannot be read, and nothing of it counts: mapping values are not allowed in this context: "a: b"`, Unread.Fix},
		{"almost ended", "---\na: b\n----\nx\n", `no line --- ends the front matter; "----" was taken for it`, `Write exactly --- at the beginning of line 3, which holds "----".`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Read(here, []byte(c.in))
			if len(d.Findings) != 1 || d.Findings[0].Message != c.message || d.Findings[0].Fix() != c.fix {
				t.Errorf("Read(%q): got %v, fix %q; want %q, fix %q", c.in, d.Findings, d.Findings[0].Fix(), c.message, c.fix)
			}
		})
	}
}

// TestMendLosesNothing writes front matter as people who do not know YAML do,
// and wants every key that was meant, on its line, and all of the text.
func TestMendLosesNothing(t *testing.T) {
	word := rapid.SampledFrom([]string{"Use", "it", "when:", "note:", "it's", "\"quoted\"", "[a]", "{{x}}", "@me", "`code`", "- b", "50%", "<b>", "|", ">", "部署", "user:", "Context:", "a:b", "😀"})
	sentence := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(word, 1, 7).Draw(t, "words"), " ") })
	turn := rapid.Custom(func(t *rapid.T) string {
		return "<example>\nContext: " + sentence.Draw(t, "context") + "\nuser: \"" + sentence.Draw(t, "user") + "\"\nassistant: " + sentence.Draw(t, "assistant") + "\n</example>"
	})
	prose := rapid.OneOf(turn, turn, sentence.Filter(func(s string) bool { // that YAML takes for neither a key nor an item
		return !strings.Contains(s+" ", ": ") && !strings.HasPrefix(s, "-")
	}), rapid.Just(""))
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.Permutation([]string{"name", "description", "color", "tools", "allowed-tools"}).Draw(t, "names")
		front, want := "", ""
		line := frontLine
		for _, name := range names[:rapid.IntRange(1, len(names)).Draw(t, "keys")] {
			value := name + ": " + sentence.Draw(t, "value")
			if more := rapid.SliceOfN(prose, 0, 3).Draw(t, "more"); len(more) > 0 && front != "" {
				value += "\n" + strings.Join(more, "\n")
			}
			front += value + "\n"
			want += fmt.Sprintf("%s@%d ", name, line)
			line += 1 + strings.Count(value, "\n")
		}
		in := []byte("---\n" + front + "---\n")
		d := Read(here, in)
		got := ""
		for _, p := range d.Front.Map {
			got += fmt.Sprintf("%s@%d ", p.Key, p.Line)
		}
		if got != want {
			t.Fatalf("Read(%q): got keys %s, want %s; %v", in, got, want, d.Findings)
		}
		again(t, here, d, in)
		whole(t, d, in)
	})
}

// BenchmarkMend reads what takes the longest to mend.
func BenchmarkMend(b *testing.B) {
	fill := func(s string) string { return strings.Repeat(s, (MaxFront-100)/len(s)) }
	for _, c := range []struct{ name, front string }{
		{"dialogue", "name: a\ndescription: Use: it\n" + strings.Repeat("<example>\nContext: x\nuser: \"y\"\n</example>\n", 4) + "color: red\n"},
		{"keys", fill("a: b: c\n")},
		{"parts", "z: @\n" + fill("a: b\n  @c\n")},
		{"tags", "a: b: c\n" + fill("<a>")},
		{"open tags", "a: b: c\n" + fill("<a\n")},
		{"capitals", "\n\nA: b: c\n" + fill("\nB: c: d")},
		{"lines", "a: b: c\n" + fill("\n")},
		{"items", "a:\n" + fill(" - b: c: d\n")},
		{"tabs", "a:\n" + fill("\tb: c: d\n")},
		{"fences", fill("```\n")},
		{"quotes", "a: " + fill("\"b: ")},
		{"open quotes", "z: @\n" + fill("a: \"b\nc: 'd\n")},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := []byte("---\n" + c.front + "\n---\n")
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				Read(here, in)
			}
		})
	}
}

package catalog_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface/agent"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/skill"
)

// oddFile rebuilds one of the odd files that people have (testdata/oddfiles),
// and says what the whole program lists of it: every extension, entry and
// finding. What an archive cannot hold legibly, such as a byte order mark, the
// edits put into the files they name.
func oddFile(t *testing.T, number string, edits ...edit) {
	t.Helper()
	golden.Run(t, "testdata/oddfiles/"+number+"-*.txtar", []string{"listing"}, func(t *testing.T, in []txtar.File) []string {
		dir := golden.Dir(t, edited(t, in, edits))
		return []string{listed(looked(t, filepath.Join(dir, in[0].Name[:strings.IndexByte(in[0].Name, '/')])))}
	})
}

// looked is what the program lists of a directory and all below it.
func looked(t *testing.T, dir string) *host.Listing {
	t.Helper()
	l, err := catalog.Check(context.Background(), host.Inspection{Dirs: []string{dir}, Recursive: true, Limits: ext.DefaultLimits})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// oddValues are the entries that an agent would be given of an odd file, were
// everything in use and granted.
func oddValues(t *testing.T, number string, edits ...edit) *compose.Composition {
	t.Helper()
	names, err := filepath.Glob("testdata/oddfiles/" + number + "-*.txtar")
	if err != nil || len(names) != 1 {
		t.Fatalf("archives of odd file %s: got %q, %v, want one", number, names, err)
	}
	a, err := txtar.ParseFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	spinetest.Take(&a.Files, "listing")
	c, _ := spinetest.Compose(t, golden.Dir(t, edited(t, a.Files, edits)), nil, spinetest.Used(), spinetest.Options{})
	return c
}

// edit changes the content of one file.
type edit struct {
	file string
	to   func(data []byte) []byte
}

func edited(t *testing.T, in []txtar.File, edits []edit) []txtar.File {
	t.Helper()
	for _, e := range edits {
		i := slices.IndexFunc(in, func(f txtar.File) bool { return f.Name == e.file })
		if i < 0 {
			t.Fatalf("the archive holds no %s", e.file)
		}
		data := e.to(slices.Clone(in[i].Data))
		if bytes.Equal(data, in[i].Data) {
			t.Fatalf("%s: got it as it was, want it edited", e.file)
		}
		in[i].Data = data
	}
	return in
}

// replacing puts other text in the place of what the archive holds.
func replacing(file, old, with string) edit {
	return edit{file, func(data []byte) []byte { return bytes.ReplaceAll(data, []byte(old), []byte(with)) }}
}

// marked puts a byte order mark before a file.
func marked(file string) edit {
	return edit{file, func(data []byte) []byte { return append([]byte("\ufeff"), data...) }}
}

// grown repeats the last line of a file.
func grown(file string, times int) edit {
	return edit{file, func(data []byte) []byte {
		last := data[bytes.LastIndexByte(data[:len(data)-1], '\n')+1:]
		return append(data, bytes.Repeat(last, times)...)
	}}
}

// listed shows a listing: a line for each extension, below it each of its
// entries and of its findings.
func listed(l *host.Listing) string {
	var b strings.Builder
	for _, x := range l.Extensions {
		fmt.Fprintf(&b, "%s: %s: %s", x.Name, x.Format, x.Status)
		if x.Incomplete > 0 {
			fmt.Fprintf(&b, ", %d of %d refused", x.Incomplete, x.Entries)
		}
		b.WriteByte('\n')
		for _, e := range l.Entries {
			if e.Root == x.Root {
				fmt.Fprintf(&b, "\t%s %s at %s:%d: %s: %s\n", e.Surface, ext.Quote(e.Name), e.Path, e.Line, e.Status, ext.Quote(ext.Shorten(e.Description, 120)))
			}
		}
		for _, f := range l.Findings {
			if f.Root == x.Root {
				fmt.Fprintf(&b, "\t- %s:%d: %s: %s (%s)\n", f.Path, f.Line, f.Severity, f.Message, f.Code)
			}
		}
	}
	return b.String()
}

// oddSkill is the skill of that name.
func oddSkill(t *testing.T, c *compose.Composition, name string) skill.Skill {
	t.Helper()
	for _, e := range compose.Of(c, skill.Surface) {
		if e.Name == name {
			return e.Value
		}
	}
	t.Fatalf("got no skill %q, want it in use", name)
	return skill.Skill{}
}

func TestOddFile_01_Front_matter_in_a_code_fence(t *testing.T) {
	oddFile(t, "01")
	c := oddValues(t, "01")
	for _, name := range []string{"whole", "front"} {
		if got := oddSkill(t, c, name); strings.TrimSpace(got.Body) != "# Adapting\n\nRead the files first." || !slices.Equal(got.AllowedTools, []string{"Read", "Write"}) {
			t.Errorf("%s: got the tools %q and the text %q, want Read and Write and the text without the fence", name, got.AllowedTools, got.Body)
		}
	}
}

func TestOddFile_02_List_item_on_the_line_of_its_key(t *testing.T) {
	oddFile(t, "02")
	c := oddValues(t, "02")
	for name, want := range map[string][]string{"overnight": {"Read"}, "several": {"Read", "Write"}} {
		if got := oddSkill(t, c, name).AllowedTools; !slices.Equal(got, want) {
			t.Errorf("%s: got the tools %q, want %q", name, got, want)
		}
	}
}

func TestOddFile_17_Page_named_skill(t *testing.T) { oddFile(t, "17") }

func TestOddFile_19_Name_that_begins_with_a_hyphen(t *testing.T) { oddFile(t, "19") }

func TestOddFile_21_Ending_in_capitals(t *testing.T) { oddFile(t, "21") }

func TestOddFile_22_Metadata_is_text(t *testing.T) {
	oddFile(t, "22")
	front := oddSkill(t, oddValues(t, "22"), "vault").Front
	if d := front.Get("metadata"); d == nil || d.Kind != ext.String || d.Text != `{"needs": {"bins": ["vault"]}}` {
		t.Errorf("metadata: got %+v, want it kept as it is written", d)
	}
}

func TestOddFile_23_Hint_that_is_no_YAML(t *testing.T) {
	oddFile(t, "23")
	commands := compose.Of(oddValues(t, "23"), command.Surface)
	if len(commands) != 1 {
		t.Fatalf("got %d commands, want one", len(commands))
	}
	got := commands[0].Value
	if got.ArgumentHint != "[--deep] | [--all]" || !slices.Equal(got.AllowedTools, []string{"Bash(df:*)", "Bash(npm cache clean:*)"}) {
		t.Errorf("got the hint %q and the tools %q, want both as they are written", got.ArgumentHint, got.AllowedTools)
	}
}

func TestOddFile_24_Lines_end_in_CRLF(t *testing.T) {
	crlf := replacing("acme/skills/design/SKILL.md", "\n", "\r\n")
	oddFile(t, "24", crlf)
	if got := oddSkill(t, oddValues(t, "24", crlf), "design").Body; got != "# Design\n\nLook first.\n" {
		t.Errorf("got the text %q, want it with line feeds", got)
	}
}

// oddAgents are the descriptions of the agents of an odd file, whole.
func oddAgents(t *testing.T, number string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for _, e := range compose.Of(oddValues(t, number), agent.Surface) {
		got[e.Name] = e.Value.Model + ": " + e.Description
	}
	return got
}

// holds checks that the agents are all there with all of what they say.
func holds(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: got\n%q\nwant\n%q", name, got[name], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d agents, want %d", len(got), len(want))
	}
}

func TestOddFile_25_Dialogue_on_the_line_of_a_description(t *testing.T) {
	oddFile(t, "25")
	holds(t, oddAgents(t, "25"), map[string]string{
		"reviewer":   `small: Use it after a change. Examples: user: "Is this right?" assistant: "I will look." <commentary>It asks for a review.</commentary>`,
		"simplifier": `: Use it to simplify. Context: the code works: now make it plain`,
	})
}

func TestOddFile_26_Dialogue_below_a_description(t *testing.T) {
	oddFile(t, "26")
	holds(t, oddAgents(t, "26"), map[string]string{
		"creator": "inherit: Use it when somebody asks for an agent. Examples:\n\n<example>\nContext: nothing is there yet\nuser: \"Make me an agent\"\nassistant: \"I will.\"\n</example>",
	})
}

func TestOddFile_27_Dialogue_with_escaped_lines(t *testing.T) {
	oddFile(t, "27")
	holds(t, oddAgents(t, "27"), map[string]string{
		"hunter": `inherit: Use it on error handling. <example>\nContext: a catch block\nUser: "Review it"\nAssistant: "I'll look: it's silent."\n</example>`,
	})
}

func TestOddFile_29_Slash_in_the_name_of_a_nested_skill(t *testing.T) { oddFile(t, "29") }

func TestOddFile_31_Blank_in_the_name_of_a_server(t *testing.T) { oddFile(t, "31") }

func TestOddFile_33_Hooks_that_are_programs(t *testing.T) {
	oddFile(t, "33", replacing("acme/hooks/hooks.json", "PROGRAM", strings.Repeat("const a = 1; ", 185)))
}

func TestOddFile_35_Colon_in_a_translation(t *testing.T) { oddFile(t, "35") }

func TestOddFile_36_Link_to_a_neighbour(t *testing.T) { oddFile(t, "36") }

func TestOddFile_37_Skill_of_3450_lines(t *testing.T) {
	long := grown("acme/skills/hydrogen/SKILL.md", 3443)
	oddFile(t, "37", long)
	if got := oddSkill(t, oddValues(t, "37", long), "hydrogen").Body; strings.Count(got, "\n") != 3446 || len(got) < 142_000 {
		t.Errorf("got %d lines and %d bytes, want all 3446 below the front matter", strings.Count(got, "\n"), len(got))
	}
}

func TestOddFile_38_Description_of_1434_characters(t *testing.T) {
	long := replacing("acme/skills/video/SKILL.md", "WORDS", strings.Repeat("Videos. ", 179)+"..")
	oddFile(t, "38", long)
	if got := compose.Of(oddValues(t, "38", long), skill.Surface); len(got) != 1 || len(got[0].Description) != 1434 {
		t.Errorf("got %+v, want one skill with all 1434 characters of its description", got)
	}
}

func TestOddFile_39_Skill_of_294_kilobytes(t *testing.T) {
	long := grown("acme/skills/quality/SKILL.md", 4400)
	oddFile(t, "39", long)
	if got := oddSkill(t, oddValues(t, "39", long), "quality").Body; len(got) < 294_000 {
		t.Errorf("got %d bytes, want all of it", len(got))
	}
}

func TestOddFile_43_Colon_in_a_description(t *testing.T) { oddFile(t, "43") }

func TestOddFile_44_Name_of_a_template(t *testing.T) {
	oddFile(t, "44")
	if got := oddSkill(t, oddValues(t, "44"), "hello").Label; got != "{{project_name}}" {
		t.Errorf("got the name %q, want the text that stands there", got)
	}
}

func TestOddFile_47_Byte_order_mark_and_a_second_copy(t *testing.T) {
	oddFile(t, "47", marked("acme/SKILL.md"), marked("acme/skills/falsegreen/SKILL.md"))
}

func TestOddFile_48_Name_is_yes(t *testing.T) {
	oddFile(t, "48")
	c := oddValues(t, "48")
	for dir, name := range map[string]string{"yes": "yes", "switch": "on", "release": "1.0", "today": "2026-11-30"} {
		if got := oddSkill(t, c, dir); got.Label != name {
			t.Errorf("%s: got the name %q, want %q", dir, got.Label, name)
		}
	}
}

func TestOddFile_49_Key_twice(t *testing.T) {
	oddFile(t, "49")
	front := oddSkill(t, oddValues(t, "49"), "planning").Front
	if got := front.Get("description"); got == nil || got.Text != "Plans with files." {
		t.Errorf("got %+v, want the first to count", got)
	}
}

func TestOddFile_50_NUL_byte(t *testing.T) {
	oddFile(t, "50", replacing("acme/skills/core/SKILL.md", "ZERO", "\x00"))
}

func TestOddFile_51_Byte_order_mark_and_underscores(t *testing.T) {
	oddFile(t, "51", marked("acme/skills/build_app/SKILL.md"))
}

func TestOddFile_52_Both_spellings(t *testing.T) {
	dir := golden.Dir(t, golden.Files("SKILL.md", ""))
	if _, err := os.Stat(filepath.Join(dir, "skill.md")); err == nil {
		t.Skip("the file system takes both spellings for one")
	}
	oddFile(t, "52")
	if got := oddSkill(t, oddValues(t, "52"), "benchmarks").Body; got != "The exact one.\n" {
		t.Errorf("got the text %q, want that of SKILL.md", got)
	}
}

func TestOddFile_53_Namespace_within_a_name(t *testing.T) { oddFile(t, "53") }

func TestOddFile_54_Description_of_1929_characters(t *testing.T) {
	long := replacing("acme/skills/lookup/SKILL.md", "WORDS", strings.Repeat("Databases. ", 175)+"....")
	oddFile(t, "54", long)
	if got := compose.Of(oddValues(t, "54", long), skill.Surface); len(got) != 1 || len(got[0].Description) != 1929 {
		t.Errorf("got %+v, want one skill with all 1929 characters of its description", got)
	}
}

func TestOddFile_55_Name_is_a_sentence(t *testing.T) {
	oddFile(t, "55")
	if got := oddSkill(t, oddValues(t, "55"), "markdown-0fbd21").Label; got != "把网页转换成文档。" {
		t.Errorf("got the name %q, want it as it is written", got)
	}
}

func TestOddFile_56_Nested_key_twice(t *testing.T) {
	oddFile(t, "56")
	front := oddSkill(t, oddValues(t, "56"), "ancestry").Front
	if got := front.Get("metadata").Get("os"); got == nil || got.Text != "linux" {
		t.Errorf("got %+v, want the first to count", got)
	}
}

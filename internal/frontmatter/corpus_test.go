package frontmatter

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// corpus is an unpacked directory of public plugin repositories: the one that
// MORTISE_CORPUS names, the one kept beside the build, or the archives beside
// this checkout. Without any of them the test is skipped, and says so.
func corpus(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("MORTISE_CORPUS"), "../../.cache/corpus"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir
		}
	}
	script, err := filepath.Abs("../../../shared/corpus/unpack.sh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("no corpus: set MORTISE_CORPUS to a directory of plugin repositories to run this test")
	}
	dir := t.TempDir()
	if out, err := exec.Command("bash", script, dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack the corpus: %v\n%s", err, out)
	}
	return dir
}

// kindOf says what a file of the corpus is; "" for what has no front matter by
// rights.
func kindOf(p string) string {
	base := path.Base(p)
	switch {
	case base == "SKILL.md":
		return "SKILL.md"
	case path.Ext(base) != ".md":
		return ""
	case strings.HasSuffix(base, ".agent.md") || strings.Contains(p, "/agents/"):
		return "agents"
	case strings.Contains(p, "/commands/"):
		return "commands"
	}
	return ""
}

// tally is what became of the files of one kind.
type tally struct {
	files, without, strict, mended, failed int
	steps                                  map[string]int // files by code
}

func (t *tally) add(d *Document) {
	t.files++
	switch {
	case d.Findings.Failed():
		t.failed++
	case d.Front.Kind == ext.Null:
		t.without++
	default:
		codes := map[string]bool{}
		for _, f := range d.Findings {
			if slices.Contains(Checks, f.Check) {
				codes[f.Check.Code] = true
			}
		}
		for code := range codes {
			t.steps[code]++
		}
		if len(codes) == 0 {
			t.strict++
		} else {
			t.mended++
		}
	}
}

func (t *tally) String() string {
	s := fmt.Sprintf("%4d files, %3d without front matter, %4d read strictly, %3d mended, %d failed", t.files, t.without, t.strict, t.mended, t.failed)
	for _, code := range slices.Sorted(maps.Keys(t.steps)) {
		s += fmt.Sprintf(", %s %d", code, t.steps[code])
	}
	return s
}

// TestCorpus reads every skill, agent and command that people publish: nearly
// all with front matter are read, none is dropped without a finding, and what
// is mended loses nothing and keeps its lines. MORTISE_SHOW prints what was
// mended in the files whose path holds its value.
func TestCorpus(t *testing.T) {
	dir := corpus(t)
	show := os.Getenv("MORTISE_SHOW")
	tallies := map[string]*tally{}
	fields, mended := map[string]bool{}, map[string]string{} // keys of the top level
	err := filepath.WalkDir(dir, func(p string, entry fs.DirEntry, err error) error {
		kind := kindOf(filepath.ToSlash(p))
		if err != nil || !entry.Type().IsRegular() || kind == "" {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		o := ext.Origin{Path: p}
		d := Read(o, data)
		if tallies[kind] == nil {
			tallies[kind] = &tally{steps: map[string]int{}}
		}
		tallies[kind].add(&d)
		begins := strings.HasPrefix(strings.TrimPrefix(string(data), "\ufeff"), fence+"\n")
		if d.Front.Kind != ext.Map && begins && len(d.Findings) == 0 {
			t.Errorf("%s begins with front matter; none was read, and nothing says why", p)
		}
		again(t, o, d, data)
		whole(t, d, data)
		for _, key := range d.Front.Keys() {
			if d.mended() {
				mended[key] = p
			} else {
				fields[key] = true
			}
		}
		if show != "" && strings.Contains(p, show) {
			t.Logf("%s\n%v\n%s", p, d.Findings, shown(d.Front, ""))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, p := range mended {
		if !fields[key] {
			t.Errorf("%s was mended to have a key %q, which no file has that is right", p, key)
		}
	}
	for kind, share := range map[string]float64{"SKILL.md": 1, "agents": .99, "commands": .99} {
		got := cmp.Or(tallies[kind], &tally{})
		t.Logf("%-9s %s", kind, got)
		with := got.files - got.without
		if read := got.strict + got.mended; with == 0 || float64(read) < share*float64(with) {
			t.Errorf("%s: %d of %d with front matter are read, want %.0f%%", kind, read, with, 100*share)
		}
	}
}

// shown is a Doc for the eye.
func shown(d ext.Doc, indent string) string {
	switch d.Kind {
	case ext.Map:
		s := ""
		for _, p := range d.Map {
			s += fmt.Sprintf("\n%s%d %s =", indent, p.Line, p.Key) + shown(p.Value, indent+"    ")
		}
		return s
	case ext.List:
		s := ""
		for _, item := range d.List {
			s += "\n" + indent + "-" + shown(item, indent+"    ")
		}
		return s
	}
	return fmt.Sprintf(" %s %q", d.Kind, d.Text)
}

// again wants reading a file again to give the same.
func again(t failer, o ext.Origin, d Document, in []byte) {
	if other := Read(o, in); !reflect.DeepEqual(d, other) {
		t.Fatalf("reading %q twice gives two documents:\n%+v\n%+v", in, d, other)
	}
}

// whole wants the keys of a document that was mended to stand on their lines,
// and nothing of its front matter to be lost but what its findings tell.
func whole(t failer, d Document, in []byte) {
	if !d.mended() || len(d.Front.Map) == 0 {
		return
	}
	text, _ := doc.Text(here, in)
	lines := strings.Split(string(doc.LineFeeds(text)), "\n")
	for _, p := range d.Front.Map {
		if line := lines[p.Line-1]; !strings.Contains(line, p.Key) {
			t.Fatalf("key %q is said to be on line %d, which is %q", p.Key, p.Line, line)
		}
	}
	if d.told(Duplicate) || d.told(Fenced) || d.told(Late) && strings.Contains(string(in), "<!--") {
		return
	}
	front := strings.Join(lines[:min(d.BodyLine-1, len(lines))], "\n")
	if want, got := substance(front), substance(content(&d.Front)); want != got {
		t.Fatalf("%s: the front matter holds\n%q\nand what was read holds\n%q", d.Front.File, want, got)
	}
}

func (d *Document) mended() bool {
	return slices.ContainsFunc(d.Findings, func(f ext.Finding) bool { return f.Check.Severity == ext.Warning })
}

func (d *Document) told(c *ext.Check) bool {
	return slices.ContainsFunc(d.Findings, func(f ext.Finding) bool { return f.Check == c })
}

// content is all keys and values in their order.
func content(d *ext.Doc) string {
	s := d.Text
	for i := range d.List {
		s += "\n" + content(&d.List[i])
	}
	for i := range d.Map {
		s += "\n" + d.Map[i].Key + " " + content(&d.Map[i].Value)
	}
	return s
}

// substance is s without blanks, quotes and the signs with which YAML sets off
// keys, values and items.
func substance(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("\"':,-|>+[]{}~", r) {
			return -1
		}
		return r
	}, s)
}

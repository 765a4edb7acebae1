package colony

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// five are the fields that must be there.
const five = `"tenant": "acme", "colony": "c1", "program": "p", "target_system": "t", "design_repo_url": "https://example.org/d.git"`

// with is a manifest of the five fields and more.
func with(more ...string) []byte {
	return []byte("{" + strings.Join(append([]string{five}, more...), ",\n") + "}")
}

func mustRead(t *testing.T, data []byte) *Manifest {
	t.Helper()
	m, err := Read(data)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	return m
}

// refused wants one fault of that reason at that line, with these words in it.
func refused(t *testing.T, data []byte, reason Reason, line int, words ...string) {
	t.Helper()
	_, err := Read(data)
	fault(t, err, reason, line, words...)
}

func fault(t *testing.T, err error, reason Reason, line int, words ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || len(e.Faults) != 1 {
		t.Fatalf("got %v, want an *Error of one fault, %s", err, reason)
	}
	f := e.Faults[0]
	if f.Reason != reason || f.Line != line || f.What == "" || f.Fix == "" {
		t.Errorf("got %+v, want the reason %s on line %d, with what it is and what to do", f, reason, line)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got %q, want %q in it", err, w)
		}
	}
}

// A file without a version is of version 1. The system before loads it as 2 although its
// own gate takes it for 1, so that it can never be migrated.
func TestColony_01_NoVersionIsOne(t *testing.T) {
	m := mustRead(t, with())
	if m.Version != 1 || m.Directories != nil {
		t.Errorf("got version %d and directories %v, want 1 and none", m.Version, m.Directories)
	}
	want := Default()
	want.Version, want.Tenant, want.Colony, want.Program, want.TargetSystem, want.DesignRepoURL = 1, "acme", "c1", "p", "t", "https://example.org/d.git"
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got %+v, want all else by default: %+v", m, want)
	}
}

func TestColony_02_VersionOne(t *testing.T) {
	if m := mustRead(t, with(`"schema_version": 1`)); m.Version != 1 || m.Directories != nil {
		t.Errorf("got version %d and directories %v, want 1 and none", m.Version, m.Directories)
	}
}

func TestColony_03_NewerIsRefused(t *testing.T) {
	refused(t, with(`"schema_version": 101`), Newer, 2, "newer")
	refused(t, with(`"schema_version": 99999999999999999999999`), Newer, 2, "newer")
	refused(t, with(`"schema_version": 3, "what": "is new"`), Newer, 2, "newer") // and nothing else is judged
}

func TestColony_04_UnknownKey(t *testing.T) {
	refused(t, with(`"topolgy": "external"`), UnknownKey, 2, "topolgy", "write topology")
}

func TestColony_05_UnknownSurface(t *testing.T) {
	refused(t, with(`"extensions": {"plugin": {"directory": "x"}}`), UnknownKey, 2, "plugin", "write plugins")
}

func TestColony_06_UnknownKeyOfASurface(t *testing.T) {
	refused(t, with(`"extensions": {"plugins": {"directory": "x"`, `"depth": 1}}`), UnknownKey, 3, "depth", "directory")
}

func TestColony_07_OverrideOfOne(t *testing.T) {
	m := mustRead(t, with(`"extensions": {"tools": {"directory": "vendor//tools/"}}`))
	for _, s := range Surfaces {
		want := ".colony/" + string(s)
		if s == Tools {
			want = "vendor/tools"
		}
		if got, err := m.Directory(s); err != nil || got != want {
			t.Errorf("Directory(%s): got %q, %v, want %q", s, got, err, want)
		}
	}
}

func TestColony_08_EmptyExtensions(t *testing.T) {
	for _, block := range []string{`"extensions": {}`, `"extensions": null`} {
		m := mustRead(t, with(block))
		for _, s := range Surfaces {
			if got, err := m.Directory(s); err != nil || got+"/" != s.Default() {
				t.Errorf("%s: Directory(%s): got %q, %v, want the default", block, s, got, err)
			}
		}
	}
	if len(Surfaces) != 6 {
		t.Errorf("got %d surfaces, want 6", len(Surfaces))
	}
}

func TestColony_09_SurfaceIsNoObject(t *testing.T) {
	for _, v := range []string{`null`, `"x"`, `[]`} {
		refused(t, with(`"extensions": {"agents": `+v+`}`), WrongType, 2, "extensions/agents", "an object")
	}
	refused(t, with(`"extensions": {"agents": {}}`), Absent, 2, "extensions/agents/directory", "missing")
	refused(t, with(`"extensions": {"agents": {"directory": null}}`), WrongType, 2, "extensions/agents/directory")
}

func TestColony_10_SeparateNeedsAnAddress(t *testing.T) {
	for _, l := range []string{`{"mode": "separate"}`, `{"mode": "separate", "separate_url": null}`, `{"mode": "separate", "separate_url": ""}`} {
		refused(t, with(`"lfs": `+l), Absent, 2, "separate_url")
	}
	m := mustRead(t, with(`"lfs": {"mode": "separate", "separate_url": "https://example.org/l"}`))
	if m.LFS.Mode != Separate || *m.LFS.SeparateURL != "https://example.org/l" {
		t.Errorf("got %+v", m.LFS)
	}
}

func TestColony_11_Topology(t *testing.T) {
	refused(t, with(`"topology": "cloud"`), WrongValue, 2, "cloud", "air_gapped")
	if m := mustRead(t, with(`"topology": "air_gapped"`)); m.Topology != AirGapped {
		t.Errorf("got %q", m.Topology)
	}
}

// Whatever is wrong with the file is one type of error, of one place.
func TestColony_12_NoManifest(t *testing.T) {
	_, err := Load(fstest.MapFS{})
	fault(t, err, Missing, 0, Path, "no manifest", "tenant")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want it to match fs.ErrNotExist", err)
	}
	for name, c := range map[string]struct {
		data   string
		reason Reason
		line   int
	}{
		"bad JSON": {"{\n\"tenant\": }", Syntax, 2}, "empty": {"", Syntax, 1}, "a comment": {"// x\n{}", Syntax, 1},
		"a list": {"[]", WrongType, 1}, "null": {"null", WrongType, 1}, "two values": {"{}\n{}", Syntax, 2},
		"not UTF-8": {"{\n\"a\": \"\xff\"}", Encoding, 2}, "a mark": {"\ufeff{}", Encoding, 1}, "UTF-16": {"\xff\xfe{\x00", Encoding, 1},
		"not a number": {`{"lfs": NaN}`, Syntax, 1}, "a key twice": {"{\"tenant\": \"a\",\n\"tenant\": \"b\"}", Duplicate, 2},
		"deep":  {strings.Repeat("[", 100) + strings.Repeat("]", 100), OutOfBounds, 1},
		"large": {"{}" + strings.Repeat(" ", MaxBytes), OutOfBounds, 0},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(fstest.MapFS{Path: &fstest.MapFile{Data: []byte(c.data)}})
			var e *Error
			if !errors.As(err, &e) || e.Faults[0].Reason != c.reason || e.Faults[0].Line != c.line {
				t.Errorf("got %#v, want the reason %s on line %d", err, c.reason, c.line)
			}
		})
	}
}

// What is not known in a nested part is kept, where the system before drops it in silence.
func TestColony_13_UnknownNestedKeys(t *testing.T) {
	m := mustRead(t, with(`"lfs": {"later": {"z": [1.50, "<"], "a": null}}`, `"webhook": {"x": true}`,
		`"imports_tooling_from": [{"name": "n", "url": "u", "y": 1e3}]`))
	again := mustRead(t, m.Encode())
	if !reflect.DeepEqual(m, again) {
		t.Errorf("got %+v, want %+v", again, m)
	}
	for _, want := range []string{"\"later\": {\n      \"a\": null,\n      \"z\": [\n        1.50,\n        \"<\"", `"x": true`, `"y": 1e3`} {
		if !strings.Contains(string(m.Encode()), want) {
			t.Errorf("got\n%s, want %q in it", m.Encode(), want)
		}
	}
}

func TestColony_14_WriteAndReadAgain(t *testing.T) {
	m := mustRead(t, with(`"schema_version": 2`, `"extensions": {"missions": {"directory": "m\u2028<&>é"}}`, `"protected_branches": []`,
		`"webhook": {"enabled": true, "endpoint": "https://example.org", "secret_ref": "s"}`, `"credentials_ref": "c"`))
	data := m.Encode()
	again := mustRead(t, data)
	m.lines, again.lines = nil, nil
	if !reflect.DeepEqual(m, again) {
		t.Errorf("got %+v, want %+v", again, m)
	}
	if !strings.HasSuffix(string(data), "\n}\n") || !strings.Contains(string(data), "\"directory\": \"m\u2028<&>é\"") {
		t.Errorf("got\n%s, want text as it is, and a line end at the end", data)
	}
	var keys []string
	for l := range strings.Lines(string(data)) {
		if strings.HasPrefix(l, `  "`) {
			keys = append(keys, strings.Split(l, `"`)[1])
		}
	}
	if !slices.IsSorted(keys) || len(keys) != 15 {
		t.Errorf("got %q, want all 15 keys, sorted, two blanks in", keys)
	}
}

func TestColony_15_ImportTwice(t *testing.T) {
	m := mustRead(t, with(`"imports_tooling_from": [{"name": "a", "url": "u"}]`))
	more := m.WithImports(Import{Name: "b", URL: "u", Ref: "main"}, Import{Name: "c", URL: "u", Ref: "tag:v1"}, Import{Name: "d", URL: "u", Ref: "tag:v1"})
	if len(m.Imports) != 1 || len(more.Imports) != 2 || more.Imports[0].Name != "a" || more.Imports[1].Name != "c" {
		t.Errorf("got %v and then %v, want what is there left alone, and one more", m.Imports, more.Imports)
	}
}

func TestColony_16_ProtectedByDefault(t *testing.T) {
	m := mustRead(t, with())
	for branch, want := range map[string]bool{"main": true, "Main": false, "": false, "feature/main": false, "main/x": false} {
		if got := m.Protected(branch); got != want {
			t.Errorf("Protected(%q): got %v, want %v", branch, got, want)
		}
	}
	if m := mustRead(t, with(`"protected_branches": []`)); m.Protected("main") {
		t.Error("main is protected by an empty list")
	}
	refused(t, with(`"protected_branches": "main"`), WrongType, 2, "a list")
	refused(t, with(`"protected_branches": [1]`), WrongType, 2, "a number")
}

func TestColony_17_Patterns(t *testing.T) {
	for _, c := range []struct {
		pattern, branch string
		want            bool
	}{
		{"release/*", "release/1.0", true}, {"release/*", "release/a/b", true}, {"release/*", "release/", true}, {"release/*", "releases/1", false},
		{"*", "any/thing", true}, {"**/x", "a/x", true}, {"**/x", "x", false}, {"*/x", "a/b/x", true},
		{"r?", "r1", true}, {"r?", "r", false}, {"r?", "ré", true},
		{"v[0-9]", "v1", true}, {"v[!0-9]", "v1", false}, {"v[!0-9]", "va", true}, {"v[^1]", "v^", true}, {"v[]]", "v]", true}, {"v[!]]", "v]", false},
		{"v[1", "v[1", true}, {"v[a-]", "v-", true}, {"v[z-a]", "vm", false}, {"[", "[", true}, {`a\*`, "a*", false}, {"", "x", false},
		{"*a*b", "xaxbxb", true}, {"*a*b", "xaxbx", false},
	} {
		if got := match(c.pattern, c.branch); got != c.want {
			t.Errorf("match(%q, %q): got %v, want %v", c.pattern, c.branch, got, c.want)
		}
	}
	long := strings.Repeat("a", 5000)
	if match(strings.Repeat("*a", 2000)+"b", long) {
		t.Error("a long pattern matches what it does not")
	}
}

// Versions of another type are told as what they are. The system before stops with a bare
// error of types, or takes true for 1.
func TestVersionsThatAreNone(t *testing.T) {
	for v, want := range map[string]Reason{
		`"2"`: WrongType, `true`: WrongType, `null`: WrongType, `[2]`: WrongType, `1.5`: WrongVersion, `2.0`: WrongVersion, `2e0`: WrongVersion, `0`: WrongVersion, `-1`: WrongVersion, `-0`: WrongVersion,
	} {
		refused(t, with(`"schema_version": `+v), want, 2, "version")
	}
}

// All that is wrong is told at once, each with its place.
func TestFaultsAreToldTogether(t *testing.T) {
	_, err := Read([]byte("{\"tenant\": 5,\n\"colony\": \"c\", \"program\": \"\",\n\"lfs\": null, \"webhook\": {\"enabled\": \"true\"},\n\"imports_tooling_from\": [{}, 1]}"))
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, f := range e.Faults {
		got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Reason, f.Field))
	}
	want := []string{"1 type /tenant", "1 absent /target_system", "1 absent /design_repo_url", "4 absent /imports_tooling_from/0/name",
		"4 absent /imports_tooling_from/0/url", "4 type /imports_tooling_from/1", "3 type /lfs", "3 type /webhook/enabled"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !strings.Contains(err.Error(), "and 3 more") {
		t.Errorf("got %q, want it to say how many more there are", err)
	}
}

func TestListsAreBounded(t *testing.T) {
	refused(t, with(`"protected_branches": [`+strings.Repeat(`"a",`, MaxItems)+`"a"]`), OutOfBounds, 2, "1001 items")
}

// A manifest is read through what nothing leads out of.
func TestLoadFromARoot(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "manifest.json")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, Dir), 0o777), os.WriteFile(outside, with(), 0o666), os.Symlink(outside, filepath.Join(dir, Path))); err != nil {
		t.Skip(err)
	}
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, err = Load(r)
	fault(t, err, Unreadable, 0, "leads outside")
	os.Remove(filepath.Join(dir, Path))
	os.WriteFile(filepath.Join(dir, Path), make([]byte, MaxBytes+1), 0o666)
	_, err = Load(r)
	fault(t, err, OutOfBounds, 0)
	os.Remove(filepath.Join(dir, Path))
	os.Mkdir(filepath.Join(dir, Path), 0o777)
	_, err = Load(r)
	fault(t, err, Unreadable, 0, "a directory")
}

func TestDirectory(t *testing.T) {
	for dir, want := range map[string]DirectoryReason{
		"": NoDirectory, ".": NoDirectory, "./": NoDirectory, "/": Absolute, "/etc": Absolute, "C:/x": Absolute, "c:x": Absolute, `\\host\x`: Absolute, "~/x": Absolute,
		"..": Upwards, "../x": Upwards, "a/../../x": Upwards, "a/../b": Upwards, `a\b`: Unportable, "a\x00b": Unportable, "a\nb": Unportable, "ab:c": Unportable, "a\u202eb": Unportable,
		".git": GitDir, "a/.GIT/hooks": GitDir, ".git. /x": GitDir,
		"a": "", "a/b c/": "", "./a": "", "…": "", "a..b": "", ".github": "",
	} {
		m := Default()
		m.Directories, m.lines = map[Surface]string{Agents: dir}, map[Surface]int{Agents: 7}
		_, err := m.Directory(Agents)
		var e *DirectoryError
		switch {
		case want == "" && err != nil:
			t.Errorf("Directory(%q): got %v", dir, err)
		case want == "":
		case !errors.As(err, &e) || e.Reason != want || e.Surface != Agents || e.Line != 7 || ext.KindOf(err) != ext.Refused:
			t.Errorf("Directory(%q): got %v, want a refusal: %s", dir, err, want)
		}
		if got, err := m.Directory(Tools); err != nil || got != ".colony/tools" {
			t.Errorf("beside %q: got %q, %v, want the others left alone", dir, got, err)
		}
	}
}

func TestParseSurface(t *testing.T) {
	if s, err := ParseSurface("missions"); err != nil || s != Missions {
		t.Errorf("got %q, %v", s, err)
	}
	for _, name := range []string{"", "Agents", "agent", "../x"} {
		if _, err := ParseSurface(name); ext.KindOf(err) != ext.Usage {
			t.Errorf("ParseSurface(%q): got %v, want an error of usage", name, err)
		}
	}
}

func TestIdentities(t *testing.T) {
	for _, c := range []struct {
		of          Principal
		name, email string
		wrong       string
	}{
		{of: Principal{Label: "user", Name: "A B", Email: "a@example.org"}, name: "A B", email: "a@example.org"},
		{of: Principal{Label: "user", Name: "A B Jr.", Email: "a@example.org"}, name: "A B Jr", email: "a@example.org"},
		{of: Principal{Label: "user", Name: "A"}, wrong: "missing"},
		{of: Principal{Colony: "c1"}, name: "colony:c1", email: "c1@agent.colony.local"},
		{of: Principal{Label: "colony", Colony: "c1", Domain: "d.org"}, name: "colony:c1", email: "c1@d.org"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: "ops", Role: "migrator"}, name: "agent:ops:migrator", email: "ops@c1.agent.colony.local"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: "ops"}, name: "agent:ops:agent", email: "ops@c1.agent.colony.local"},
		{of: Principal{Label: "agent", Colony: "c1"}, wrong: "agent has no name"},
		{of: Principal{Label: "agent", Agent: "ops"}, wrong: "colony has no name"},
		{of: Principal{Label: "bot", Colony: "c1"}, name: "bot:c1", email: "bot@c1.agent.colony.local"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: "a>\nb"}, wrong: "no address has"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: "ops", Role: "x\ny"}, wrong: "cannot stand"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: "ops", Role: "<root@x>"}, wrong: "cannot stand"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: ".ops"}, wrong: "takes away"},
		{of: Principal{Label: "agent", Colony: "c1", Agent: strings.Repeat("x", 300)}, wrong: "more than"},
	} {
		got, err := c.of.Identity()
		if got != (Identity{c.name, c.email}) || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%+v: got %+v, %v, want %q <%s> %s", c.of, got, err, c.name, c.email, c.wrong)
		}
	}
	if got := WithCoAuthor("x\n\n", &Identity{"A", "a@b"}); got != "x\n\nCo-Authored-By: A <a@b>\n" {
		t.Errorf("got %q", got)
	}
	if got := WithCoAuthor("x\n\n", nil); got != "x\n\n" {
		t.Errorf("got %q", got)
	}
}

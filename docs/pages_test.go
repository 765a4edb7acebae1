// Package docs_test holds the pages that name tests to the tests that there are.
package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is the names of all tests, by the packages that they are in: paths below
// the module, without internal/; "." is the root.
func source(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	test := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg := strings.TrimPrefix(filepath.ToSlash(rel), "internal/")
		for _, m := range test.FindAllStringSubmatch(string(text), -1) {
			out[pkg] = append(out[pkg], m[1])
		}
		return nil
	})
	if err != nil || len(out) < 20 {
		t.Fatalf("the tests of %d packages, %v", len(out), err)
	}
	return out
}

func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// named is a test that a page names: a name, or with … the beginning of one.
var named = regexp.MustCompile("`((?:Test|Fuzz|Benchmark|Example)[A-Za-z0-9_]+)(…?)`")

// within is where a page says that a test is: packages in brackets behind it, with
// nothing but further names between.
var within = regexp.MustCompile("^(?:(?:,| and| with the script) `[^`]*`)* \\((`[a-z0-9/]+`(?:, `[a-z0-9/]+`)*)\\)")

// is reports whether a test goes by a name that a page has.
func is(test, name string, more bool) bool {
	return test == name || more && strings.HasPrefix(test, name)
}

// missing says what of a line of a page is not so: a test that is nowhere, or not in
// a package that is named behind it. A package may be named by its end.
func missing(line string, tests map[string][]string) (out []string) {
	for _, m := range named.FindAllStringSubmatchIndex(line, -1) {
		name, more, packages := line[m[2]:m[3]], m[4] != m[5], []string{""}
		if in := within.FindStringSubmatch(line[m[1]:]); in != nil {
			packages = strings.Split(strings.ReplaceAll(in[1], "`", ""), ", ")
		}
		for _, in := range packages {
			if !has(tests, in, name, more) {
				out = append(out, strings.TrimSpace(name+" "+in))
			}
		}
	}
	return out
}

// has reports whether a package, "" for any, has a test.
func has(tests map[string][]string, want, name string, more bool) bool {
	for pkg, all := range tests {
		if want != "" && pkg != want && path.Base(pkg) != want {
			continue
		}
		if slices.ContainsFunc(all, func(test string) bool { return is(test, name, more) }) {
			return true
		}
	}
	return false
}

// TestPagesNameTestsThatAre wants every test that a page names as what holds a
// promise to be there, and in the package that it is said to be in.
func TestPagesNameTestsThatAre(t *testing.T) {
	tests := source(t)
	for _, name := range []string{"security.md", "laws.md", "field-cases.md", "hooks-parity.md", "monorepo-parity.md"} {
		count := 0
		for i, line := range strings.Split(page(t, name), "\n") {
			for _, what := range missing(line, tests) {
				t.Errorf("%s:%d: there is no test %s", name, i+1, what)
			}
			count += len(named.FindAllString(line, -1))
		}
		if count < 10 {
			t.Errorf("%s names %d tests, want more: is it read as it is written?", name, count)
		}
	}
}

// TestAttacksAreAllThere wants each attack to have its row, in order, with a measure
// and a test, and each test that is written for an attack to stand in its row.
func TestAttacksAreAllThere(t *testing.T) {
	const attacks = 31
	row := regexp.MustCompile(`^\| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	held := map[string]string{} // by the number of two digits
	for line := range strings.SplitSeq(page(t, "security.md"), "\n") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		number, err := strconv.Atoi(m[1])
		if want := len(held) + 1; err != nil || number != want {
			t.Errorf("got row %s, want %d: %s", m[1], want, line)
		}
		held[fmt.Sprintf("%02d", number)] = m[4]
		if !named.MatchString(m[4]) {
			t.Errorf("row %s names no test", m[1])
		}
		for _, name := range named.FindAllStringIndex(m[4], -1) {
			if !within.MatchString(m[4][name[1]:]) {
				t.Errorf("row %s: %s stands without its package", m[1], m[4][name[0]:name[1]])
			}
		}
	}
	if len(held) != attacks {
		t.Errorf("got %d rows, want %d", len(held), attacks)
	}
	attack := regexp.MustCompile(`^TestAttack_(\d\d)_\w+$`)
	for pkg, all := range source(t) {
		for _, test := range all {
			m := attack.FindStringSubmatch(test)
			switch {
			case m == nil && strings.HasPrefix(test, "TestAttack_"):
				t.Errorf("%s of %s is not called TestAttack_NN_what", test, pkg)
			case m != nil && !strings.Contains(held[m[1]], "`"+test+"`"):
				t.Errorf("%s of %s does not stand in row %s", test, pkg, m[1])
			}
		}
	}
}

// behaviours are what a page holds each behaviour of a reference by, in order: a test, when
// it comes, or why it is another here.
func behaviours(t *testing.T, name string, want int) (held []string) {
	t.Helper()
	row := regexp.MustCompile(`^\| (\d+) \| ([^|]+) \| ([^|]+) \|$`)
	for line := range strings.SplitSeq(page(t, name), "\n") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		held = append(held, m[3])
		if m[1] != strconv.Itoa(len(held)) {
			t.Fatalf("%s: got row %s, want %d", name, m[1], len(held))
		}
		if !named.MatchString(m[3]) && !strings.HasPrefix(m[3], "later: ") && !strings.HasPrefix(m[3], "other here: ") {
			t.Errorf("%s: row %s says %q, want a test, later, or other here", name, m[1], m[3])
		}
	}
	if len(held) != want {
		t.Fatalf("%s: got %d rows, want %d", name, len(held), want)
	}
	return held
}

// TestParityIsWhole wants each behaviour of the reference for hooks to have its row, and no
// test that is of another.
func TestParityIsWhole(t *testing.T) {
	parity := regexp.MustCompile(`TestParity(\d{3})_`)
	for i, held := range behaviours(t, "hooks-parity.md", 109) {
		for _, p := range parity.FindAllStringSubmatch(held, -1) {
			if p[1] != fmt.Sprintf("%03d", i+1) {
				t.Errorf("row %d names a test of behaviour %s", i+1, p[1])
			}
		}
	}
}

// TestMonorepoParityIsWhole wants each behaviour of the reference for design monorepos to
// have its row, with every test that has its number, and no other that has one.
func TestMonorepoParityIsWhole(t *testing.T) {
	numbers := regexp.MustCompile(`^TestColony_((?:\d+_)+)\w+$`)
	rows := behaviours(t, "monorepo-parity.md", 118)
	wanted := make([][]string, len(rows))
	for pkg, all := range source(t) {
		for _, test := range all {
			m := numbers.FindStringSubmatch(test)
			if m == nil {
				if strings.HasPrefix(test, "TestColony_") {
					t.Errorf("%s of %s is not called TestColony_NN_What", test, pkg)
				}
				continue
			}
			for n := range strings.SplitSeq(strings.TrimSuffix(m[1], "_"), "_") {
				number, err := strconv.Atoi(n)
				if err != nil || number < 1 || number > len(rows) {
					t.Errorf("%s of %s: there is no behaviour %s", test, pkg, n)
					continue
				}
				wanted[number-1] = append(wanted[number-1], test)
			}
		}
	}
	for i, held := range rows {
		for _, test := range wanted[i] {
			if !strings.Contains(held, "`"+test+"`") {
				t.Errorf("%s does not stand in row %d", test, i+1)
			}
		}
		for _, m := range named.FindAllStringSubmatch(held, -1) {
			if numbers.MatchString(m[1]) && !slices.Contains(wanted[i], m[1]) {
				t.Errorf("row %d names %s, which is of another behaviour", i+1, m[1])
			}
		}
	}
}

// TestPagesAreJudged wants what a page says amiss to be seen.
func TestPagesAreJudged(t *testing.T) {
	tests := map[string][]string{"a/b": {"TestOne", "TestTwo_more"}, ".": {"TestRoot"}}
	for line, want := range map[string]string{
		"`TestOne`, `TestTwo…` (`b`) and `TestRoot`": "", "`TestOne` with the script `x` (`a/b`)": "", "`TestTwo_more` (not `c`)": "", "`TestOne…` (`a/b`, and more)": "",
		"`TestTwo`": "TestTwo", "`TestOne` (`c`)": "TestOne c", "`TestOne` and `TestRoot` (`b`)": "TestRoot b", "`TestOne` (`b`, `c`)": "TestOne c", "`TestTh…` (`b`)": "TestTh b",
	} {
		if got := strings.Join(missing(line, tests), "; "); got != want {
			t.Errorf("%s: got %q missing, want %q", line, got, want)
		}
	}
}

package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "github.com/mortise-dev/mortise"

// ranks of packages, or of families of them ("surface/*"). A package imports
// lower ranks only, and siblings never import each other. The first rank has
// an order within: its packages are numbered in tens below 20.
var ranks = map[string]int{
	"ext":     0,
	"rpc":     1, // bytes of messages, for drivers and faces
	"pattern": 1,

	"surface": 10, "state": 10, "pysrc": 10, "pysrc/allow": 10, "pysrc/syntax": 9, "pysrc/grammar": 8, "doc": 10, "secret": 10, "audit": 10, "root": 10, "spelling": 10, "child": 10, "watch": 10, "unseen": 10, "ahead": 10, "file": 10, "dialect": 10, "loopback": 10,
	"frontmatter": 11, "config": 11, // above doc
	"colony/scribe": 13,                // above colony and git
	"source":        12,                // above frontmatter, root and surface
	"instance":      11, "prepare": 11, // above child
	"unpack":  11,                 // above root
	"colony":  11,                 // above doc, root and spelling
	"roster":  13,                 // above checkout, git, spelling and state
	"imports": 12,                 // above file
	"git":     12, "checkout": 12, // above child, file, loopback and unpack
	"colony/tools": 14, // above colony and git

	"surface/*": 20, "hook/*": 20, "source/*": 20, "source/bridge": 21, "driver/*": 20, "store/*": 20, "discover": 20, "market": 20, "sarif": 20,
	"admit": 30, "mend": 30, "builtin/*": 30,
	"compose": 40,
	"call":    50, "guard": 55, "author": 50, "scaffold": 50, "conform": 50, "copies": 50,
	"session": 60, "plan": 60,
	"substrate/*": 70,
	"host":        80,
	"catalog":     90, "face/*": 90,
	"corpus/tally": 95,  // above the catalogue, whose outcome it counts
	"monorepo":     100, // reads one from Go
	"":             100, "cmd/*": 100, "gen": 100, "corpus": 100, "bench": 100, "bench/*": 100, "bench/mcp/*": 100,
	"bench/mcp/rig": 99, // what the benches share
}

// suites are packages of tests alone. They may import what they hold to its
// contract; nothing but tests imports them.
var suites = map[string]bool{"surface/surfacetest": true, "source/sourcetest": true, "store/storetest": true, "hook/hooktest": true, "spinetest": true, "layers": true, "mcptest": true, "mcptest/mcptestserver": true, "npmtest": true}

// denied are imports that the ranks would allow, and why not.
var denied = []struct{ from, to, why string }{
	{"host", "hook/*", "the host knows no hook; consumers do"},
	{"host", "surface/*", "the host knows no surface; consumers do"},
	{"face/*", "admit", "faces show outcomes; they do not decide"},
	{"face/*", "discover", "faces show outcomes; they do not read"},
	{"face/*", "market", "faces go through the host"},
	{"face/*", "source", "faces go through the host"},
	{"face/*", "source/*", "faces go through the host"},
	{"face/*", "driver/*", "faces go through a session"},
	{"face/*", "store/*", "faces go through the host"},
	{"face/*", "substrate/*", "faces go through the host"},
}

// short is a package's path without the module and internal/.
func short(pkg string) (string, bool) {
	rest, ok := strings.CutPrefix(pkg, module)
	return strings.TrimPrefix(strings.TrimPrefix(rest, "/"), "internal/"), ok
}

func rank(pkg string) (int, bool) {
	if r, ok := ranks[pkg]; ok {
		return r, true
	}
	r, ok := ranks[path.Dir(pkg)+"/*"]
	return r, ok
}

// broken says what is wrong with one import, "" when nothing is.
func broken(from, to string) string {
	rf, ok := rank(from)
	if !ok {
		return from + " has no rank: add it to internal/layers and to ARCHITECTURE.md"
	}
	rt, ok := rank(to)
	switch {
	case suites[to]:
		return from + " imports " + to + ", which is for tests"
	case !ok:
		return to + " has no rank: add it to internal/layers and to ARCHITECTURE.md"
	case rt >= rf:
		return from + " imports " + to + ": a package imports lower ranks only"
	}
	for _, d := range denied {
		if matches(d.from, from) && matches(d.to, to) {
			return from + " imports " + to + ": " + d.why
		}
	}
	return ""
}

func matches(pattern, pkg string) bool {
	ok, _ := path.Match(pattern, pkg)
	return ok
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", module+"/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages++
		from, _ := short(p.ImportPath)
		if suites[from] {
			continue
		}
		for _, i := range p.Imports {
			if to, ours := short(i); ours {
				if what := broken(from, to); what != "" {
					t.Error(what)
				}
			}
		}
	}
	if packages < 20 {
		t.Errorf("go list named %d packages, want all of them", packages)
	}
}

// TestBrokenImportsAreTold holds the test above to its purpose: the imports
// that must not be are found, each with its reason.
func TestBrokenImportsAreTold(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"upwards", "ext", "surface", "lower ranks only"},
		{"sideways", "surface/skill", "surface/agent", "lower ranks only"},
		{"an earlier stage calls a later one", "discover", "admit", "lower ranks only"},
		{"the host knows a surface", "host", "surface/skill", "knows no surface"},
		{"a face decides", "face/cli", "admit", "do not decide"},
		{"a face reads", "face/cli", "source/dir", "through the host"},
		{"a suite outside tests", "host", "store/storetest", "for tests"},
		{"a package nobody ranked", "util", "ext", "no rank"},
		{"downwards", "compose", "admit", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := broken(c.from, c.to); got == "" != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%s imports %s: got %q, want %q in it", c.from, c.to, got, c.want)
			}
		})
	}
}

package monorepo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
)

// TestPython is what of Python becomes an entry, and what is told of the rest
// (behaviours 35 to 43).
func TestPython(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"35 a broken file beside a good one", []string{".colony/agents/a.py", agentBase + "class A(Agent): pass\n", ".colony/agents/b.py", "x = (\nclass"},
			"agentclasses/A.json=.colony/agents/a.py\nagentclasses/b.json=.colony/agents/b.py!python-unreadable"},
		{"36 a file that raises", []string{".colony/agents/a.py", agentBase + "class A(Agent): pass\nraise ValueError\n"}, "[class-unresolved .colony/agents/a.py]"},
		{"37 imported", []string{".colony/agents/a.py", agentBase + "x = 1\n"}, "monorepo monorepo project"},
		{"38 no text", []string{".colony/agents/bom.py", "\ufeff" + agentBase + "class A(Agent): pass\n", ".colony/agents/latin.py", "# -*- coding: latin-1 -*-\nx = '\xe9'\n", ".colony/agents/nul.py", "class A: pass\x00\n"},
			"agentclasses/bom.json=.colony/agents/bom.py!python-unreadable\nagentclasses/latin.json=.colony/agents/latin.py!python-unreadable\nagentclasses/nul.json=.colony/agents/nul.py!python-unreadable"},
		{"39 CRLF", []string{".colony/agents/a.py", strings.ReplaceAll(agentBase+"class A(Agent): pass\n", "\n", "\r\n")}, "agentclasses/A.json=.colony/agents/a.py"},
		{"40 a file that ends the program", []string{".colony/agents/a.py", "import sys\n" + agentBase + "class A(Agent): pass\nsys.exit()\n"}, "[python-not-allowed .colony/agents/a.py]\nagentclasses/A.json=.colony/agents/a.py"},
		{"41 two of three classes", []string{".colony/deployments/d.py", serving + "@serving.deployment\nclass A: pass\n@serving.deployment(name='x')\nclass B: pass\nclass C: pass\n"},
			"deployments/A.json=.colony/deployments/d.py deployments/B.json=.colony/deployments/d.py"},
		{"42 a function", []string{".colony/deployments/d.py", serving + "@serving.deployment\ndef f(): pass\nclass C: pass\n"}, "[python-remark .colony/deployments/d.py]"},
		{"43 a dataclass beside", []string{".colony/agents/a.py", "from dataclasses import dataclass\n" + agentBase + "@dataclass\nclass H:\n    x: int\nclass A(Agent): pass\n"}, "agentclasses/A.json=.colony/agents/a.py"},
		{"a base in a sibling", []string{".colony/agents/b.py", agentBase + "class B(Agent): pass\n", ".colony/agents/a.py", "from b import B\nclass A(B): pass\n"},
			"agentclasses/A.json=.colony/agents/a.py\nagentclasses/B.json=.colony/agents/b.py"},
		{"what may be one", []string{".colony/agents/a.py", agentBase + "def make(): pass\nclass A(make()): pass\nif make():\n    class M(Agent): pass\n"},
			"[class-unresolved .colony/agents/a.py]\nagentclasses/M.json=.colony/agents/a.py"},
		{"a file that is too large", []string{".colony/agents/a.py", "# " + strings.Repeat("x", 1<<20)}, "agentclasses/a.json=.colony/agents/a.py!limit-file-bytes"},
		{"one directory for two surfaces", []string{
			".colony/manifest.json", strings.Replace(whole, "}", `, "extensions": {"agents": {"directory": "py"}, "deployments": {"directory": "py"}}}`, 1),
			"py/a.py", agentBase + serving + "@serving.deployment\nclass A(Agent): pass\n",
		}, "agentclasses/A.json=py/a.py\ndeployments/A.json=py/a.py"},
		{"53 54 missions", []string{".colony/missions/__init__.py", factory, ".colony/missions/b.py", "mission_entry = 3\n", ".colony/missions/c.py", ""},
			"[mission-missing .colony/missions/c.py]\nmissions/__init__.json=.colony/missions/__init__.py\nmissions/b.json=.colony/missions/b.py!mission-form"},
		{"55 a factory that is no literal", []string{".colony/missions/a.py", "def mission_entry():\n    raise ValueError\n", ".colony/missions/b.py", "def mission_entry():\n    x = {}\n    return x\n"},
			"[mission-unresolved .colony/missions/a.py] [mission-unresolved .colony/missions/b.py]"},
		{"62 a coroutine", []string{".colony/missions/a.py", "async " + factory}, "missions/a.json=.colony/missions/a.py!mission-form"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tell(t, at(golden.Dir(t, golden.Files(c.files...)))); got != c.want {
				t.Errorf("Trees: got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// TestKnown wants a base and a decorator that the configuration names to count.
func TestKnown(t *testing.T) {
	s := at(golden.Dir(t, golden.Files(
		".colony/agents/a.py", "from acme.agents import Base\nclass A(Base): pass\n",
		".colony/deployments/d.py", "import acme\nfrom acme.serving import Service\n@acme.deploy(x=1)\nclass D: pass\nclass E(Service): pass\n",
	)))
	if got := tell(t, s); strings.Contains(got, ".json=") {
		t.Errorf("Trees: got %s, want nothing known", got)
	}
	s.Known = monorepo.Known{Agents: monorepo.Names("acme.agents.Base, acme.x.*"), Deployments: monorepo.Names("acme.serving.Service"), Decorators: []string{"acme.deploy"}, Allowed: monorepo.Names("acme.agents.*,acme.serving.Service acme.deploy")}
	want := "agentclasses/A.json=.colony/agents/a.py\ndeployments/D.json=.colony/deployments/d.py deployments/E.json=.colony/deployments/d.py"
	if got := tell(t, s); got != want {
		t.Errorf("Trees, with what is known: got\n%s\nwant\n%s", got, want)
	}
}

// digests are those of the documents of a source.
func digests(t *testing.T, s *monorepo.Source) map[string]ext.Digest {
	t.Helper()
	out := map[string]ext.Digest{}
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range tree.Places {
			if p.Doc != nil {
				out[p.Path] = p.Doc.Digest()
			}
		}
		tree.Close()
	}
	return out
}

// TestDigest wants an entry's digest to cover the bytes of the files that are its evidence,
// and of no others.
func TestDigest(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		".colony/agents/a.py", "from b import B\nclass A(B): pass\n", ".colony/agents/b.py", agentBase+"class B(Agent): pass\n", ".colony/agents/c.py", agentBase+"class C(Agent): pass\n",
	))
	was := digests(t, at(dir))
	name := filepath.Join(dir, ".colony/agents/b.py")
	if err := os.WriteFile(name, []byte(agentBase+"class B(Agent): x = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	now := digests(t, at(dir))
	for path, want := range map[string]bool{"agentclasses/A.json": true, "agentclasses/B.json": true, "agentclasses/C.json": false} {
		if changed := was[path] != now[path]; changed != want || was[path] == (ext.Digest{}) {
			t.Errorf("%s when b.py changed: got another digest %v, want %v", path, changed, want)
		}
	}
}

// TestMemory wants what is remembered to be used only while it holds, and to change nothing.
func TestMemory(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		".colony/agents/a.py", "from b import B\nclass A(B): pass\n", ".colony/agents/b.py", agentBase+"class B(Agent): pass\n", ".colony/missions/m.py", factory,
	))
	s := at(dir)
	s.Memory = new(monorepo.Memory)
	alike := func(when string) {
		t.Helper()
		for range 3 {
			if got, want := tell(t, s), tell(t, at(dir)); got != want {
				t.Errorf("%s, remembering: got\n%s\nwant\n%s", when, got, want)
			}
		}
	}
	alike("at first")
	for _, text := range []string{"class B: pass\n", agentBase + "class B(Agent): pass\nclass N(B): pass\n", "class (\n"} {
		if err := os.WriteFile(filepath.Join(dir, ".colony/agents/b.py"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		alike("with another b.py")
	}
	if err := os.Remove(filepath.Join(dir, ".colony/missions/m.py")); err != nil {
		t.Fatal(err)
	}
	alike("without the mission")
	s.Memory.Forget()
	alike("after it was forgotten")
	if s.Known.Agents = []string{"x.B"}; !slices.Equal(found(t, s), found(t, &monorepo.Source{Dir: dir, Shown: "x", Named: true, Env: env, Known: s.Known})) {
		t.Error("Trees with another index: got what was remembered for another")
	}
}

package monorepo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
)

// notAllowed are the findings about what is not on the list, each by its file and line.
func notAllowed(t *testing.T, s *monorepo.Source) (out []string) {
	t.Helper()
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range tree.Findings {
			if f.Check == allow.NotAllowed {
				out = append(out, strings.TrimPrefix(f.String(), "monorepo:"))
			}
		}
		tree.Close()
	}
	return out
}

// TestAllowed wants what Python uses and is not on the list told of the files that hold
// something, each once and not endlessly, and nothing of them refused.
func TestAllowed(t *testing.T) {
	const runs = "import os\nos.system('x')\n"
	for _, c := range []struct {
		name  string
		files []string
		want  []string // beginnings
	}{
		{"an agent", []string{".colony/agents/a.py", agentBase + "class A(Agent):\n    x = eval\n"}, []string{".colony/agents/a.py:3: warning:"}},
		{"what is on the list", []string{".colony/agents/a.py", agentBase + "import math\nclass A(Agent):\n    x = math.sin(1)\n"}, nil},
		{"a deployment", []string{".colony/deployments/a.py", serving + "import socket\n@serving.deployment\nclass A: pass\n"}, []string{".colony/deployments/a.py:2: warning:"}},
		{"a mission", []string{".colony/missions/a.py", "import socket\n" + factory}, []string{".colony/missions/a.py:1: warning:"}},
		{"a mission that is not told by reading", []string{".colony/missions/a.py", "import socket\ndef mission_entry():\n    return socket.x()\n"}, []string{".colony/missions/a.py:1: warning:"}},
		{"what may be an agent", []string{".colony/agents/a.py", agentBase + "def make(): return eval\nclass A(make()): pass\n"}, []string{".colony/agents/a.py:2: warning:"}},
		{"what an agent derives from", []string{".colony/agents/a.py", "from .b import B\nclass A(B): pass\n", ".colony/agents/b.py", agentBase + runs + "class B(Agent): pass\n"},
			[]string{".colony/agents/b.py:3: warning:"}},
		{"files that hold nothing", []string{".colony/agents/a.py", runs, ".colony/agents/b.py", runs + "class Agent: pass\n", ".colony/missions/c.py", runs}, nil},
		{"a file that is no Python", []string{".colony/agents/a.py", runs + "class ("}, nil},
		{"many in one file", []string{".colony/agents/a.py", agentBase + "class A(Agent): pass\n" + strings.Repeat("eval('x')\n", 500)},
			[]string{".colony/agents/a.py:3: warning:", ".colony/agents/a.py:4: warning:", ".colony/agents/a.py:5: warning:", ".colony/agents/a.py: warning: and 497 more of the kind"}},
		{"one directory for two surfaces", []string{
			".colony/manifest.json", strings.Replace(whole, "}", `, "extensions": {"agents": {"directory": "py"}, "deployments": {"directory": "py"}}}`, 1),
			"py/a.py", agentBase + serving + "@serving.deployment\nclass A(Agent):\n    x = eval\n",
		}, []string{"py/a.py:5: warning:"}},
		{"the class behind a tool", []string{
			".colony/tool-registry.json", `{"schema_version": 2, "tools": [
			  {"name": "a", "purpose": "x", "location": "subdir:.colony/tools", "capability": "c", "capability_fqn": "a.A"},
			  {"name": "b", "purpose": "x", "location": "subdir:src", "capability": "c", "capability_fqn": "b.B"}]}`,
			".colony/tools/a.py", "x = eval\nclass A: pass\n", ".colony/tools/unread.py", "x = eval\n", "src/b.py", "x = eval\nclass B: pass\n",
		}, []string{".colony/tools/a.py:1: warning:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := at(golden.Dir(t, golden.Files(c.files...)))
			s.Memory = new(monorepo.Memory)
			got := notAllowed(t, s)
			if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
				t.Errorf("what is not allowed: got %q, want %q", got, c.want)
			}
			if again := notAllowed(t, s); !slices.Equal(got, again) {
				t.Errorf("what is not allowed, again: got %q, want %q", again, got)
			}
		})
	}
}

// TestAllowedBesides wants what the configuration names to be allowed, and what is
// remembered to be of the names that it had then.
func TestAllowedBesides(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		".colony/agents/a.py", agentBase+"import acme.fea\nfrom acme.parts.bolts import Bolt\nclass A(Agent):\n    b = Bolt(acme.fea.solve(1))\n    c = open\n",
		".colony/tools/t.py", "from acme.fea import solve\nclass T: pass\n",
		".colony/tool-registry.json", `{"schema_version": 2, "tools": [{"name": "t", "purpose": "x", "location": "subdir:.colony/tools", "capability": "c", "capability_fqn": "t.T"}]}`,
	))
	s := at(dir)
	s.Memory = new(monorepo.Memory)
	if got := notAllowed(t, s); len(got) < 4 {
		t.Errorf("without names: got %q, want both modules and open told, and the tool", got)
	}
	s.Known.Allowed = monorepo.Names("acme.fea.solve, acme.parts.*")
	if got := notAllowed(t, s); len(got) != 1 || !strings.Contains(got[0], `"open"`) {
		t.Errorf("with the modules: got %q, want open alone", got)
	}
	s.Known.Allowed = append(s.Known.Allowed, "open")
	if got := notAllowed(t, s); len(got) != 0 {
		t.Errorf("with all: got %q, want nothing", got)
	}
	if err := os.WriteFile(filepath.Join(dir, ".colony/tools/t.py"), []byte("from acme.fea import mesh\nclass T: pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := notAllowed(t, s); len(got) != 1 || !strings.HasPrefix(got[0], ".colony/tools/t.py:1:") {
		t.Errorf("with another name in the tool: got %q, want that told", got)
	}
}

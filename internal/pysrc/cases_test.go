package pysrc

import (
	"context"
	"strings"
	"testing"
)

// The shorthands of the specification's table of cases.
var shorthands = strings.NewReplacer(
	"A*", "from polymathera.colony.agents.base import Agent",
	"S*", "from polymathera.colony.distributed.ray_utils import serving",
	"BASE", "polymathera.colony.agents.base",
	"SERVING", "polymathera.colony.distributed.ray_utils.serving",
)

// found is what a set lists, one class a word: the name, the kind's first letter where it
// is a deployment, and the certainty where it is not certain.
func found(s *Set, file string, kind Kind) string {
	var words []string
	for _, c := range s.Classes {
		if c.Kind == kind && c.File == file {
			word := c.Name
			if c.Certainty != Certain {
				word += "?" + c.Certainty.String()
			}
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

func readAll(t *testing.T, files ...File) *Set {
	t.Helper()
	_, set := readFiles(t, files, Options{All: true})
	return set
}

func readFiles(t *testing.T, files []File, o Options) ([]*Module, *Set) {
	t.Helper()
	modules, set, err := ReadSet(context.Background(), len(files), func(i int) (File, error) { return files[i], nil }, Reference(), o)
	if err != nil {
		t.Fatal(err)
	}
	return modules, set
}

// TestCases are the cases of the reference system's own behaviour, by their numbers. The
// reference runs each file; reading gives the same list, or says why it cannot know.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		number, source string
		agents         string
		deployments    string
		reason         string // of the first class
	}{
		{"01", "A*\nclass A(Agent): pass\n", "A", "", ""},
		{"02", "from BASE import Agent as Base\nclass A(Base): pass\n", "A", "", ""},
		{"03", "import BASE as b\nclass A(b.Agent): pass\n", "A", "", ""},
		{"04", "A*\nclass A(Agent): pass\nclass C(A): pass\n", "A C", "", ""},
		{"05", "A*\nBase = Agent\nclass A(Base): pass\n", "A", "", ""},
		{"06", "class Agent: pass\nclass A(Agent): pass\n", "", "", ""},
		{"07 local shadows import", "A*\nclass Agent: pass\nclass A(Agent): pass\n", "", "", ""},
		{"08", "A*\nclass A(Agent): pass\nAgent = object\nclass C(Agent): pass\n", "A", "", ""},
		{"09", "A*\nclass _P(Agent): pass\n", "_P", "", ""},
		{"10 nested", "A*\nclass O:\n class A(Agent): pass\n", "", "", ""},
		{"11", "try:\n from nope import Agent\nexcept ImportError:\n A*\nclass A(Agent): pass\n", "A?maybe", "A?unresolved", "try at line 1"},
		// The reference skips the file, which does not load. Nothing is listed, and the reason told.
		{"12", "if TYPE_CHECKING:\n A*\nclass A(Agent): pass\n", "A?unresolved", "A?unresolved", "bound only for type checking"},
		{"13", "A*\nif __name__ == \"__main__\":\n class A(Agent): pass\n", "", "", ""},
		// The reference lists A. Reading does not run f.
		{"14", "A*\ndef f():\n class A(Agent): pass\n return A\nX = f()\n", "A?unresolved", "", "value of a call of f"},
		{"16", "from polymathera.colony.agents.roles.knowledge_curator import KnowledgeCuratorAgent as K\nclass R(K): pass\n", "R", "", ""},
		{"17", "A*\nclass M: pass\nclass A(M, Agent): pass\n", "A", "", ""},
		{"18 last binding wins", "A*\nclass A(Agent): pass\nclass A: pass\n", "", "", ""},
		{"19", "S*\n@serving.deployment\nclass D: pass\n", "", "D", ""},
		{"20", "S*\n@serving.deployment(name=\"Svc\", autoscaling_config={\"min\": 1})\nclass D: pass\n", "", "D", ""},
		{"21", "from SERVING import deployment as dep\n@dep(name=\"x\")\nclass D: pass\n", "", "D", ""},
		{"22", "S*\ndep = serving.deployment(name=\"z\")\n@dep\nclass D: pass\n", "", "D", ""},
		{"23", "S*\n@serving.deployment()\nclass D: pass\nclass E(D): pass\n", "", "D E", ""},
		{"24", "def deployment(c): return c\n@deployment\nclass D: pass\n", "", "", ""},
		{"25", "from polymathera.colony.cluster.remote_deployment import RemoteLLMDeployment\nfrom polymathera.colony.cluster.registry import register_remote_llm_provider\n@register_remote_llm_provider(\"x\")\nclass Y(RemoteLLMDeployment): pass\n", "", "Y", ""},

		{"further: a lambda decorates", "S*\n@(lambda c: serving.deployment(c))\nclass D: pass\n", "", "D?unresolved", "lambda names a decorator"},
		{"further: a wrapper decorates", "S*\ndef w(c):\n return serving.deployment(c)\n@w\nclass D: pass\n", "", "D?unresolved", "w names a decorator"},
		{"further: applied", "S*\nclass D: pass\nDD = serving.deployment(name=\"q\")(D)\n", "", "D", ""},
		{"further: marker in the body", "class D:\n __deployment_config__ = None\n", "", "D", ""},
		{"further: marker annotated alone", "class D:\n __deployment_config__: dict\n", "", "", ""},
		{"further: marker set later", "class D: pass\nD.__deployment_config__ = None\n", "", "D", ""},
		// The reference lists nothing, since w replaces the class. Reading says that it might.
		{"further: replaced", "S*\ndef w(c):\n class X: pass\n return X\n@w\n@serving.deployment\nclass D: pass\n", "", "D?maybe", "might replace the class"},
		{"further: conditional base", "A*\nclass A(Agent if True else object): pass\n", "A", "", ""},
		{"further: getattr", "import BASE as b\nclass A(getattr(b, \"Agent\")): pass\n", "A?unresolved", "A?unresolved", "value of a call of getattr"},
		{"further: unpacked bases", "A*\nbases = [Agent]\nclass A(*bases): pass\n", "A?unresolved", "A?unresolved", "bases that are unpacked"},
		{"further: globals", "A*\nclass A(Agent): pass\nglobals()['Z'] = A\n", "A", "", ""},
		{"further: the class of a class", "A*\nclass M(type(Agent)): pass\n", "", "", ""},
		{"further: made by an unknown function", "A*\nfrom x import make\nclass B(make(Agent)): pass\n", "B?unresolved", "B?unresolved", "value of a call of make"},
		{"further: passed through", "A*\nfrom dataclasses import dataclass\nclass A(Agent): pass\nB = dataclass(A)\nclass C(B): pass\n", "A C", "", ""},
		{"further: bound to what an unknown function returns", "A*\nfrom x import make\nclass A(Agent): pass\nA = make(A)\n", "A", "A?unresolved", ""},
		{"further: names that are computed", "A*\nclass A(Agent): pass\nglobals()[x] = 1\n", "A?maybe", "", "line 3 may bind names"},
		{"further: made by type()", "A*\nX = type('Y', (Agent,), {})\n", "Y?unresolved", "", "made by a call of type"},
		{"further: several made by a function", "A*\ndef f():\n class A(Agent): pass\n class B(A): pass\n class C: pass\n return A, B\nX, Y = f()\n", "A?unresolved B?unresolved", "", "value of a call of f"},
		{"further: NFKC", "A*\nclass \ufb01(Agent): pass\n", "fi", "", ""},
		// Python 3.11 skips the file; we read the language as it is now.
		{"further: type statement", "A*\ntype X = int\nclass A(Agent): pass\n", "A", "", ""},
	} {
		t.Run(c.number, func(t *testing.T) {
			set := readAll(t, File{"x.py", []byte(shorthands.Replace(c.source))})
			if got := found(set, "x.py", Agent); got != c.agents {
				t.Errorf("agents: got %q, want %q\n%+v", got, c.agents, set.Classes)
			}
			if got := found(set, "x.py", Deployment); got != c.deployments {
				t.Errorf("deployments: got %q, want %q\n%+v", got, c.deployments, set.Classes)
			}
			if c.reason != "" && (len(set.Classes) == 0 || !strings.Contains(set.Classes[0].Reason, c.reason)) {
				t.Errorf("reason: got %+v, want %q in it", set.Classes, c.reason)
			}
			for _, c := range set.Classes {
				if c.Certainty != Certain && c.Reason == "" || len(c.Evidence) == 0 {
					t.Errorf("%s is %s without a reason or without evidence: %+v", c.Name, c.Certainty, c)
				}
			}
		})
	}
}

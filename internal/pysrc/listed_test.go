package pysrc

import (
	"fmt"
	"strings"
	"testing"
)

// told is all that is said of a class, one thing a line.
func told(c Class) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s at %s:%d:%d", c.Certainty, c.Kind, c.Name, c.File, c.Line, c.Column)
	if c.Bound != c.Name {
		fmt.Fprintf(&b, " as %s", c.Bound)
	}
	if c.Reason != "" {
		fmt.Fprintf(&b, ": %s", c.Reason)
	}
	for _, s := range c.Evidence {
		fmt.Fprintf(&b, "\n  %s:%d %s", s.File, s.Line, s.Why)
	}
	for _, s := range c.Notes {
		fmt.Fprintf(&b, "\n  note %s:%d %s", s.File, s.Line, s.Why)
	}
	for _, a := range c.Arguments {
		value := a.Reason
		if a.Value != nil {
			value = show(a.Value)
		}
		fmt.Fprintf(&b, "\n  %d %s = %s", a.Line, a.Name, value)
	}
	return b.String()
}

// TestWhatIsTold is what a person gets to read: the way from a class to what is known,
// line by line.
func TestWhatIsTold(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a chain", "A*\nBase = Agent\nclass A(Base): pass\nclass B(A): pass\n", `
certain agent A at x.py:3:1
  x.py:3 class A derives from Base
  x.py:1 polymathera.colony.agents.base.Agent is imported
  :0 polymathera.colony.agents.base.Agent is known: agent
certain agent B at x.py:4:1
  x.py:4 class B derives from A
  x.py:3 class A derives from Base
  x.py:1 polymathera.colony.agents.base.Agent is imported
  :0 polymathera.colony.agents.base.Agent is known: agent`},
		{"arguments", "S*\n@serving.deployment(name='Svc', num_replicas=2, ray_actor_options={'n': f()}, **more)\nclass D: pass\n", `
certain deployment D at x.py:3:1
  x.py:2 class D has the decorator serving.deployment(name='Svc', num_replicas=2, ray_actor_options={'n': f()}, **…
  x.py:2 called with arguments
  x.py:1 polymathera.colony.distributed.ray_utils.serving.deployment is imported
  :0 polymathera.colony.distributed.ray_utils.serving.deployment is known: it marks deployments
  note x.py:2 num_replicas is no argument of the decorator
  2 name = "Svc"
  2 num_replicas = 2
  2 ray_actor_options = not a literal: f()
  2 ** = arguments that are unpacked`},
		{"rebinding", "S*\nclass D: pass\nDD = serving.deployment(name='q')(D)\n", `
certain deployment D at x.py:2:1 as DD
  x.py:3 DD is serving.deployment(name='q'), called with the class D
  x.py:3 called with arguments
  x.py:1 polymathera.colony.distributed.ray_utils.serving.deployment is imported
  :0 polymathera.colony.distributed.ray_utils.serving.deployment is known: it marks deployments
  3 name = "q"`},
		{"a condition", "A*\nif x:\n  class A(Agent): pass\n", `
maybe agent A at x.py:3:3: it depends on the if at line 2
  x.py:3 class A derives from Agent
  x.py:1 polymathera.colony.agents.base.Agent is imported
  :0 polymathera.colony.agents.base.Agent is known: agent`},
		{"two of one name", "A*\nclass A(Agent): pass\nB = A\nclass A(Agent): pass\n", `
certain agent A at x.py:2:1 as B
  x.py:2 class A derives from Agent
  x.py:1 polymathera.colony.agents.base.Agent is imported
  :0 polymathera.colony.agents.base.Agent is known: agent
  note x.py:4 another class of this name is bound to A`},
		{"not known", "from x import Base\nclass A(Base): pass\n", `
unresolved agent A at x.py:2:1: x.Base is not known
  x.py:2 class A derives from Base
  x.py:1 x.Base is not known
unresolved deployment A at x.py:2:1: x.Base is not known
  x.py:2 class A derives from Base
  x.py:1 x.Base is not known`},
		{"known by its package", "from polymathera.colony.samples.code_analysis.intent.agents import IntentAgent\nclass A(IntentAgent): pass\n", `
maybe agent A at x.py:2:1: polymathera.colony.samples.code_analysis.intent.agents.IntentAgent is known only by the package that it is in
  x.py:2 class A derives from IntentAgent
  x.py:1 polymathera.colony.samples.code_analysis.intent.agents.IntentAgent is imported
  :0 polymathera.colony.samples.code_analysis.intent.agents.IntentAgent is known: agent`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, class := range readAll(t, file("x.py", c.source)).Classes {
				got = append(got, told(class))
			}
			if text := "\n" + strings.Join(got, "\n"); text != c.want {
				t.Errorf("got%s\nwant%s", text, c.want)
			}
		})
	}
}

// TestBindings are statements, and what they leave a name with.
func TestBindings(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"del", "A*\nclass A(Agent): pass\ndel A\n", ""},
		{"del of one of two names", "A*\nclass A(Agent): pass\nB = A\ndel A\n", "A"},
		{"renamed", "A*\nclass A(Agent): pass\nA.__name__ = 'B'\n", "B"},
		{"of another module", "A*\nclass A(Agent):\n  __module__ = 'x'\n", ""},
		{"of its own module", "A*\nclass A(Agent):\n  __module__ = __name__\n", "A"},
		{"else of TYPE_CHECKING", "import typing as t\nif not t.TYPE_CHECKING:\n  A*\nelse:\n  Agent = object\nclass A(Agent): pass\n", "A"},
		{"TYPE_CHECKING in an alias", "from typing import TYPE_CHECKING as T\nA*\nif T:\n  Agent = object\nclass A(Agent): pass\n", "A"},
		{"TYPE_CHECKING or", "A*\nif TYPE_CHECKING or x:\n  class A(Agent): pass\n", "A?maybe"},
		{"TYPE_CHECKING and", "A*\nif TYPE_CHECKING and x:\n  class A(Agent): pass\n", ""},
		{"if 0", "A*\nif 0:\n  Agent = object\nelif 1:\n  class A(Agent): pass\nelse:\n  class B(Agent): pass\n", "A"},
		{"the other way round", "A*\nif '__main__' != __name__:\n  class A(Agent): pass\n", "A"},
		{"both arms", "A*\nif x:\n  class A(Agent): pass\nelse:\n  class A(Agent): pass\n", "A?maybe"},
		{"an arm that raises", "try:\n  A*\nexcept ImportError:\n  raise\nclass A(Agent): pass\n", "A"},
		{"an arm that ends the file", "A*\nif x:\n  raise E\nclass A(Agent): pass\n", "A"},
		{"try and else and finally", "A*\ntry:\n  pass\nexcept E:\n  pass\nelse:\n  class A(Agent): pass\nfinally:\n  class B(Agent): pass\n", "A?maybe B"},
		{"the name of an exception", "A*\ntry:\n  pass\nexcept E as Agent:\n  pass\nclass A(Agent): pass\n", "A"},
		{"with", "A*\nwith x as y:\n  class A(Agent): pass\n", "A?maybe"},
		{"for", "A*\nfor Agent in x: pass\nclass A(Agent): pass\n", "A?maybe"},
		{"while", "A*\nwhile 0:\n  Agent = 1\nelse:\n  class A(Agent): pass\n", "A"},
		{"match", "A*\nmatch x:\n  case 1: class_ = 1\n  case Agent: pass\nclass A(Agent): pass\n", "A?maybe"},
		{"walrus", "A*\nprint(B := Agent)\nclass A(B): pass\n", "A"},
		{"walrus in the bases", "A*\nclass A(B := Agent): pass\nclass C(B): pass\n", "A C"},
		{"several at once", "A*\nB, C = Agent, object\nclass A(B): pass\nclass D(C): pass\n", "A"},
		{"unpacked", "A*\nB, *C = x\nclass A(B): pass\n", "A?unresolved"},
		{"augmented", "A*\nAgent += 1\nclass A(Agent): pass\n", "A?unresolved"},
		{"generic", "A*\nclass A[T](Agent[T]): pass\nclass B(A[int]): pass\n", "A B"},
		{"module alias, step by step", "import polymathera.colony as c\nb = c.agents.base\nclass A(b.Agent): pass\n", "A"},
		{"import of a module", "import polymathera.colony.agents.base\nclass A(polymathera.colony.agents.base.Agent): pass\n", "A"},
		{"boolean", "A*\nclass A(Agent or object): pass\n", "A?maybe"},
		{"a function may bind it", "A*\nclass A(Agent): pass\ndef f():\n  global A\n  A = 1\n", "A?maybe"},
		{"exec", "A*\nclass A(Agent): pass\nexec(x)\n", "A?maybe"},
		{"a later star", "A*\nclass A(Agent): pass\nfrom x import *\n", "A?maybe"},
		{"a later star of the standard library", "A*\nfrom typing import *\nclass A(Agent, Generic[T]): pass\n", "A"},
		{"a star of the base's module", "from BASE import *\nclass A(Agent): pass\n", "A?maybe"},
		{"cast", "A*\nfrom typing import cast\nclass A(cast(type, Agent)): pass\n", "A"},
		{"setattr", "A*\nclass A(Agent): pass\nsetattr(A, '__name__', 'B')\n", "B"},
		{"a nested class by another name", "A*\nclass O:\n  class A(Agent): pass\nX = O.A\n", "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := readAll(t, file("x.py", c.source))
			if got := found(set, "x.py", Agent); got != c.want {
				t.Errorf("got %q, want %q\n%+v", got, c.want, set.Classes)
			}
		})
	}
}

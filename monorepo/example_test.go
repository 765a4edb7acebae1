package monorepo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/monorepo"
)

// A working tree is read for the agents that its Python declares; nothing of it runs.
func Example() {
	dir, err := os.MkdirTemp("", "design")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	agents := filepath.Join(dir, ".colony", "agents")
	if err := os.MkdirAll(agents, 0o700); err != nil {
		panic(err)
	}
	python := "import sys\nfrom polymathera.colony.agents.base import Agent\n\nclass Solver(Agent):\n    pass\n\nsys.exit()\n"
	if err := os.WriteFile(filepath.Join(agents, "solver.py"), []byte(python), 0o600); err != nil {
		panic(err)
	}

	m, err := monorepo.Open(dir, monorepo.Options{})
	if err != nil {
		panic(err)
	}
	all, err := m.Discover(context.Background())
	if err != nil {
		panic(err)
	}
	for _, a := range all.Agents {
		fmt.Printf("%s is %s: %s:%d\n", a.Name, a.Value.Certainty, a.File, a.Line)
		for _, step := range a.Value.Evidence {
			fmt.Println(" ", step)
		}
	}
	fmt.Println("refused:", len(all.Refused), "unresolved:", len(all.Unresolved))
	// Output:
	// Solver is certain: .colony/agents/solver.py:4
	//   .colony/agents/solver.py:4: class Solver derives from Agent
	//   .colony/agents/solver.py:2: polymathera.colony.agents.base.Agent is imported
	//   polymathera.colony.agents.base.Agent is known: agent
	// refused: 0 unresolved: 0
}

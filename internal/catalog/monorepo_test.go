package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/internal/host"
)

const agentBase = "from polymathera.colony.agents.base import Agent\n"

// What is edited in a design monorepo is in use soon, wherever its manifest has it lie,
// and one that comes or goes is seen.
func TestMonorepoIsWatched(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/skills/s/SKILL.md": "---\nname: s\ndescription: One.\n---\nText.\n"})
	h := w.serve(t, adopt)
	has := func(qualified string) func() bool {
		return func() bool {
			return slices.ContainsFunc(h.Now().Listing().Entries, func(e host.EntryRow) bool { return e.Qualified == qualified && e.Status == "active" })
		}
	}
	w.write(t, map[string]string{".colony/agents/a.py": agentBase + "class A(Agent): pass\n"})
	await(t, h, "a monorepo that came", has("monorepo:A"))
	w.write(t, map[string]string{".colony/agents/a.py": agentBase + "class B(Agent): pass\n"})
	await(t, h, "a file that was edited in place", has("monorepo:B"))
	w.write(t, map[string]string{
		"vendor/agents/c.py":    agentBase + "class C(Agent): pass\n",
		".colony/manifest.json": `{"tenant": "t", "colony": "c", "program": "p", "target_system": "s", "design_repo_url": "u", "extensions": {"agents": {"directory": "vendor/agents"}}}`,
	})
	await(t, h, "a manifest that names another directory", has("monorepo:C"))
	w.write(t, map[string]string{"vendor/agents/c.py": agentBase + "class D(Agent): pass\n"})
	await(t, h, "a file there", has("monorepo:D"))
	if err := os.RemoveAll(filepath.Join(w.dir, ".colony")); err != nil {
		t.Fatal(err)
	}
	await(t, h, "a monorepo that went", func() bool { return !has("monorepo:D")() })
}

// What an agent is told of an adopted workspace has its monorepo in it.
func TestMonorepoIsToldOnceAdopted(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".colony/agents/a.py": agentBase + "class A(Agent): pass\n"})
	h := w.open(t, host.Changing)
	told := func() bool {
		g, err := h.Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(g.Told().Entries, func(e host.EntryRow) bool { return e.Qualified == "monorepo:A" })
	}
	if told() {
		t.Error("Told before the workspace was adopted: got monorepo:A, want nothing of it")
	}
	adopt(t, h)
	if !told() {
		t.Error("Told once it was adopted: got no monorepo:A, want it")
	}
}

package builtin_test

import (
	"os"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/builtin"
	"github.com/mortise-dev/mortise/internal/source/sourcetest"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

func TestSource(t *testing.T) {
	sourcetest.Run(t, sourcetest.Case{
		Open: func(path string) ext.Source {
			return &builtin.Source{
				Extension: ext.BuiltinName, Files: os.DirFS(path), Loose: bridge.Loose,
				Env: source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits},
			}
		},
		Files: golden.Files("skills/b/SKILL.md", "b", "skills/a/SKILL.md", "a", "tools/x.json", "{}", "hooks/before_tool_call/g.json", "{}"),
		Want: []string{"mortise builtin builtin skills/a/SKILL.md=skills/a/SKILL.md skills/b/SKILL.md=skills/b/SKILL.md " +
			"tools/x.json=tools/x.json hooks/before_tool_call/g.json=hooks/before_tool_call/g.json"},
	})
}

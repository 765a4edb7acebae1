// Package overlay holds the hook for compose files that change a worktree's stack.
package overlay

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// File is one compose file, stacked onto those before it.
type File struct {
	File string `json:"file,omitzero" doc:"The file: below the workspace, or ${PLUGIN_ROOT}/… of the extension's own. One of file and env at least."`
	// Env names a variable whose value, where it has one, is used instead of File.
	Env string `json:"env,omitzero" doc:"A variable with COMPOSE in its name whose value, where it has one, is the file instead."`
}

// Overlays are the compose files beyond the stack's own, in the order in which they are
// stacked.
var Overlays = surface.DefineHook(surface.HookDef[surface.Question, File]{
	Name:  "compose_overlays",
	Doc:   "Compose files that are stacked onto the workspace's own.",
	Needs: ext.Project, Merge: surface.Append,
	Valid: func(f *File) error {
		switch {
		case f.File == "" && f.Env == "":
			return fmt.Errorf("names no file")
		case f.Env != "" && (!surface.VariableName(f.Env) || !strings.Contains(f.Env, "COMPOSE")): // its value is shown
			return fmt.Errorf("names the variable %s, expected one with COMPOSE in its name, such as ACME_COMPOSE", ext.Quote(ext.Shorten(f.Env, 80)))
		}
		return nil
	},
})

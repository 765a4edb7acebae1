// Package asset holds the hook for files that containers of a worktree mount.
package asset

import (
	"fmt"
	"io/fs"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Asset is a file or directory of an extension that a container mounts. It is staged
// below Mortise's own directory, never in a checkout.
type Asset struct {
	From string `json:"from" doc:"The file or directory, below the extension's root."`
	To   string `json:"to" doc:"Where it is staged, below the worktree's own directory of staged files."`
}

// Staged are the assets of a mode.
var Staged = surface.DefineHook(surface.HookDef[surface.Question, Asset]{
	Name:  "stage_assets",
	Doc:   "Files of extensions that are staged for containers to mount.",
	Needs: ext.Project, Merge: surface.Overlay,
	Key: func(a Asset) string { return a.To },
	Valid: func(a *Asset) error {
		for _, p := range []string{a.From, a.To} {
			if !fs.ValidPath(p) || p == "." {
				return fmt.Errorf("has the path %s, expected one below the root, with slashes and without \"..\"", ext.Quote(ext.Shorten(p, 200)))
			}
		}
		return nil
	},
})

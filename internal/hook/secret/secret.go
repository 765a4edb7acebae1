// Package secret holds the hook for the secrets that a mode needs of its person.
package secret

import (
	"fmt"
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Secret is one secret that is wanted, never its value.
type Secret struct {
	Variable string `json:"variable" doc:"The variable that holds it."`
	Label    string `json:"label,omitzero" doc:"What people call it."`
	How      string `json:"how,omitzero" doc:"How to come by it: text that is shown and never run."`
	Pattern  string `json:"pattern,omitzero" doc:"What it looks like, as a glob: a value of another shape is not taken."`
	Base64   bool   `json:"base64,omitzero" doc:"It is kept in base64."`
}

// Wanted are the secrets of levels that are on.
var Wanted = surface.DefineHook(surface.HookDef[surface.Question, Secret]{
	Name:  "secrets",
	Doc:   "Secrets that levels which are on need of their person. Their values are never asked for here.",
	Needs: ext.Project, Merge: surface.Overlay,
	Key: func(s Secret) string { return s.Variable }, Valid: (*Secret).Check,
})

// Check is what is wrong with a secret; nil when nothing is.
func (s *Secret) Check() error {
	if !surface.VariableName(s.Variable) {
		return fmt.Errorf("has the variable %s, expected letters, digits and '_'", ext.Quote(ext.Shorten(s.Variable, 80)))
	}
	if _, err := path.Match(s.Pattern, ""); err != nil {
		return fmt.Errorf("is about %s, whose pattern %s is no glob", s.Variable, ext.Quote(ext.Shorten(s.Pattern, 80)))
	}
	return nil
}

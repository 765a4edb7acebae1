// Package probe holds the hook for checks that are made again and again while a level is
// on.
package probe

import (
	"fmt"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Probe is one check of whether a level can do what it says.
type Probe struct {
	Axis     string   `json:"axis" doc:"The axis whose level it is about."`
	Name     string   `json:"name" doc:"What it goes by; no other probe has it."`
	Command  []string `json:"command" doc:"The command: it ends with 0 where all is well, and its first line says what is not and what to do. Never a secret."`
	Interval int      `json:"interval_s,omitzero" doc:"Seconds between two of it: 120 (the default), 2 at least."`
}

// Probes are the probes of levels that are on.
var Probes = surface.DefineHook(surface.HookDef[surface.Question, Probe]{
	Name:  "capability_probes",
	Doc:   "Checks of whether levels that are on can do what they say.",
	Needs: ext.Project, Merge: surface.Exclusive,
	Key: func(p Probe) string { return p.Name },
	Valid: func(p *Probe) error {
		if p.Interval == 0 {
			p.Interval = 120
		}
		switch {
		case p.Axis == "" || p.Name == "":
			return fmt.Errorf("is about a probe without an axis or a name")
		case len(p.Command) == 0 || p.Command[0] == "":
			return fmt.Errorf("is about the probe %s, which has no command", ext.Quote(p.Name))
		case p.Interval < 2:
			return fmt.Errorf("is about the probe %s, which is made every %d seconds, 2 at least are needed", ext.Quote(p.Name), p.Interval)
		}
		return nil
	},
})

package host

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
)

// Place is where a host works: everything ambient, as values.
type Place struct {
	Workspace config.Workspace
	Paths     config.Paths
	Env       []string
}

// Configure reads the configuration of the place.
func (p Place) Configure() (*config.Config, ext.Findings, error) {
	return config.Load(config.Inputs{Workspace: p.Workspace, Env: p.Env, User: p.Paths.User, Managed: p.Paths.Managed})
}

// Inspection is a look at directories that need not be a workspace.
type Inspection struct {
	Dirs      []string // absolute
	Recursive bool     // find every extension root below each
	Whole     bool
	Limits    ext.Limits
	Progress  func(read int) // told how many extensions have been read; may be nil
	Index     string         // folder that remembers what was read; "" reads everything anew
}

package host

import (
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/prepare"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/roster"
)

// Place is where a host works: everything ambient, as values.
type Place struct {
	Workspace config.Workspace
	Paths     config.Paths
	Env       []string
}

// Purpose is what a host is opened for.
type Purpose uint8

const (
	// Looking writes nothing, not even the file that state is kept in.
	Looking Purpose = iota
	// Changing also changes the state.
	Changing
	// Serving also runs servers and watches what it reads.
	Serving
)

// Configure reads the configuration of the place, with the workspace's files as
// they were instead of as they are where these are given.
func (p Place) Configure(instead *config.Files) (*config.Config, ext.Findings, error) {
	return config.Load(config.Inputs{Workspace: p.Workspace.Again(), Env: p.Env, User: p.Paths.User, Managed: p.Paths.Managed, Instead: instead})
}

// Files are the files of the place that a host reads besides extensions.
func (p Place) Files() []string {
	files := []string{
		filepath.Join(p.Workspace.Dir, config.SharedFile), filepath.Join(p.Workspace.Dir, config.LocalFile), filepath.Join(p.Workspace.Dir, roster.LockFile),
	}
	for _, f := range []string{p.Paths.User, p.Paths.Managed} {
		if f != "" {
			files = append(files, f)
		}
	}
	return files
}

// PluginData is the one directory that a plugin may keep things in. It stays the
// same across updates and worktrees. own: the person's own configuration names
// the plugin, so that it is the same in every workspace.
func (p Place) PluginData(name ext.Name, own bool) string {
	dir := string(name)
	if !own {
		dir += "-" + ext.NewHash("plugin data").Text(p.Workspace.ID).Sum().Short()
	}
	return filepath.Join(p.Paths.Data, "plugin-data", dir)
}

// Prepared is where it is kept how the set-up steps of plugins ended.
func (p Place) Prepared() prepare.Store {
	return prepare.Store{Dir: filepath.Join(p.Paths.State, "setup")}
}

// CallLog is the directory of the log of calls.
func (p Place) CallLog() string { return filepath.Join(p.Paths.State, "audit") }

// ServerLog is the file that the log of a server is kept in.
func (p Place) ServerLog(qualified string) string {
	readable := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, ext.Shorten(qualified, 40))
	hash := ext.NewHash("server log").Text(p.Workspace.Dir, qualified).Sum().Short()
	return filepath.Join(p.Paths.State, "logs", readable+"-"+hash+".log")
}

// Inspection is a look at directories that need not be a workspace.
type Inspection struct {
	Dirs      []string // absolute
	Recursive bool     // find every extension root below each
	// Profile is what they are judged as; nil: as they are here.
	Profile  *conform.Profile
	Whole    bool
	Limits   ext.Limits
	Progress func(read int) // told how many extensions have been read; may be nil
	Index    string         // folder that remembers what was read; "" reads everything anew
	// Uncosted: nobody asks what entries take of an agent's context, so that it may
	// be zero.
	Uncosted bool
	// Changes are looked at as if they had been made; nil are none. They go with
	// no Index.
	Changes *root.Changes
}

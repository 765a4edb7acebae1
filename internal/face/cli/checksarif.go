package cli

import (
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/sarif"
)

const home = "https://github.com/mortise-dev/mortise"

// sarif is the SARIF log of a listing.
func (c *call) sarif(l *host.Listing, p host.Place, o checking) *sarif.Log {
	findings := make([]sarif.Finding, len(l.Findings))
	for i := range l.Findings {
		f := &l.Findings[i]
		file := l.File(f)
		if file == "" && f.Extension == "" && f.Path != "" { // the configuration's
			file = filepath.Join(p.Workspace.Dir, filepath.FromSlash(f.Path))
		}
		findings[i] = sarif.Finding{Code: f.Code, Severity: f.Severity, Message: safe(f.Message), Fix: safe(f.Fix), File: file, Line: f.Line, About: f.Extension}
	}
	tool := sarif.Tool{Name: "mortise", Version: c.Build.Version, URI: home, Help: home + "/blob/main/docs/checks.md"}
	return sarif.New(tool, c.Checks, c.base(p, o), findings)
}

// base is the directory that addresses are relative to: the workspace, where all
// that is checked lies in it, else the one directory that was named.
func (c *call) base(p host.Place, o checking) string {
	for _, dir := range o.dirs {
		abs, err := c.from(dir)
		if err != nil {
			return ""
		}
		if rel, err := filepath.Rel(p.Workspace.Dir, abs); err == nil && filepath.IsLocal(rel) {
			continue
		}
		if len(o.dirs) == 1 {
			return abs
		}
		return ""
	}
	return p.Workspace.Dir
}

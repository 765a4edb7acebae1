package cli

import (
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/sarif"
)

const home = "https://github.com/mortise-dev/mortise"

// variables is what the names of variables begin with that configure something:
// what is found about one is about no file.
const variables = "MORTISE_"

// sarif is the SARIF log of a listing.
func (c *call) sarif(l *host.Listing, p host.Place, o checking) *sarif.Log {
	findings := make([]sarif.Finding, len(l.Findings))
	led := leads{}
	for i := range l.Findings {
		f := &l.Findings[i]
		file := l.File(f)
		if file == "" && f.Extension == "" && f.Path != "" && !strings.HasPrefix(f.Path, variables) { // the configuration's
			file = filepath.Join(p.Workspace.Dir, filepath.FromSlash(f.Path))
		}
		findings[i] = sarif.Finding{Code: f.Code, Severity: f.Severity, Message: safe(f.Message), Fix: safe(f.Fix), File: led.file(file), Line: f.Line, About: f.Extension}
		if f.Code == host.OverBudget.Code {
			findings[i].Key = f.Code // its message counts tokens
		}
	}
	tool := sarif.Tool{Name: "mortise", Version: c.Build.Version, URI: home, Help: home + "/blob/main/docs/checks.md"}
	return sarif.New(tool, c.Checks, c.base(p, o, led), findings)
}

// base is the directory that addresses are relative to: the workspace, where all
// that is checked lies in it, else the one directory that was named.
func (c *call) base(p host.Place, o checking, led leads) string {
	for _, dir := range o.dirs {
		abs, err := c.from(dir)
		if err != nil {
			return ""
		}
		abs = led.dir(abs)
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

// leads are directories by the links that lead to them, so that a file has one
// address on whatever way it was come to. A workspace's own directory has none.
type leads map[string]string

// dir is where a directory really lies, or would lie if it were there.
func (l leads) dir(abs string) string {
	if at, known := l[abs]; known {
		return at
	}
	at, err := filepath.EvalSymlinks(abs)
	if up := filepath.Dir(abs); err != nil && up != abs {
		at = filepath.Join(l.dir(up), filepath.Base(abs))
	} else if err != nil {
		at = abs
	}
	l[abs] = at
	return at
}

// file is a file in the directory where that really lies. A file that is itself a
// link stays one, as it is in a repository; "" is none.
func (l leads) file(abs string) string {
	if abs == "" {
		return ""
	}
	return filepath.Join(l.dir(filepath.Dir(abs)), filepath.Base(abs))
}

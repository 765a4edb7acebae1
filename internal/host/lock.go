package host

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

// EditedCode is the code of the finding that the files of a plugin are not those that were
// fetched; UnmetCode that an extension lacks what it needs.
var (
	EditedCode = admit.Edited.Code
	UnmetCode  = admit.NeedUnmet.Code
)

var (
	// LockBroken is a lock file that cannot be read.
	LockBroken = &ext.Check{
		Code: "lock-broken", Severity: ext.Warning,
		Doc: "The lock file of the workspace cannot be read, so that it is not known what should be installed.",
		Fix: "Mend the file, or write it anew with mortise plugin lock.",
	}
	// LockDrift is a workspace in which something else is installed than its lock file says.
	LockDrift = &ext.Check{
		Code: "lock-drift", Severity: ext.Warning,
		Doc: "What is installed for the workspace is not what its lock file says.",
		Fix: "mortise plugin sync makes it match the file; mortise plugin lock writes what is installed into the file.",
	}
)

// unplaced tells of settings for plugins that are neither configured nor installed.
func (p *pass) unplaced() {
	in := roster.In(p.state.Roster, p.id())
	for _, x := range p.config.Unplaced() {
		if !slices.ContainsFunc(in, func(i state.Installed) bool { return i.Name == x.Name }) {
			p.findings.Add(config.PluginPath.At(x.Origin, "there are settings for plugin %s, which has no path and is not installed", x.Name))
		}
	}
}

// locked tells how what is installed differs from the workspace's lock file, if it has one.
func (p *pass) locked() {
	w := p.config.Workspace()
	at := ext.Origin{Trust: ext.Project, Path: roster.LockFile}
	all, err := roster.ReadLock(w.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		for line := range strings.Lines(err.Error()) {
			p.findings.Add(LockBroken.At(at, "%s", ext.Escape(strings.TrimSpace(line))))
		}
		return
	}
	for _, d := range roster.Drifts(all, p.state.Roster, w.ID) {
		at := at
		if d.Want != nil {
			at.Line = d.Want.Line
		}
		p.findings.Add(LockDrift.At(at, "%s", ext.Escape(d.String())))
	}
}

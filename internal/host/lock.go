package host

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/roster"
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
		if d.Want != nil {
			at.Line = d.Want.Line
		}
		p.findings.Add(LockDrift.At(at, "%s", ext.Escape(d.String())))
	}
}

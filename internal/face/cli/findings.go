package cli

import (
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// roots is where extensions lie, by name, with the workspace under "".
type roots map[string]string

func rootsOf(l *host.Listing, c *call) roots {
	r := roots{}
	for _, x := range l.Extensions {
		r[x.Name] = x.Root
	}
	if p, err := c.place(); err == nil {
		r[""] = p.Workspace.Dir
	}
	return r
}

// at is the place of a row as it is shown: "plugins/acme/plugin.json:3".
func (r roots) at(c *call, extension, root, path string, line int) string {
	if root == "" {
		root = r[extension]
	}
	shown := ext.Escape(path)
	switch {
	case filepath.IsAbs(filepath.FromSlash(path)):
		shown = c.shown(filepath.FromSlash(path))
	case root != "":
		shown = c.shown(filepath.Join(root, filepath.FromSlash(path)))
	case extension != "" && path != "":
		shown = ext.Escape(extension + ":" + path)
	case path == "":
		shown = ext.Escape(extension)
	}
	if line > 0 {
		shown += ":" + decimal(uint64(line))
	}
	return shown
}

// findings shows errors and warnings one by one, and notes when verbose. What
// is said about adoption stands at the head of the page.
func (p *page) findings(rows []host.FindingRow, r roots, verbose bool) {
	n := tally(rows)
	if n == (tallied{}) {
		return
	}
	p.gap()
	p.line("%s  %s", p.bold("Findings"), n.text(verbose))
	for _, f := range rows {
		if !aboutAdoption(f) && (verbose || f.Severity != ext.Info.String()) {
			p.finding(f, r)
		}
	}
}

func (p *page) finding(f host.FindingRow, r roots) {
	p.line("  %s  %s  %s", p.severity(f.Severity), p.bold(r.at(p.call, f.Extension, f.Root, f.Path, f.Line)), p.dim(f.Code))
	p.line("    %s", cut(f.Message, safe))
	if f.Severity != ext.Info.String() {
		p.line("    %s %s", p.dim("fix:"), cut(f.Fix, safe))
	}
}

// tallied counts findings by severity, those about adoption apart.
type tallied struct{ errors, warnings, notes int }

func tally(rows []host.FindingRow) tallied {
	var n tallied
	for _, f := range rows {
		switch {
		case aboutAdoption(f):
		case f.Severity == ext.Error.String():
			n.errors++
		case f.Severity == ext.Warning.String():
			n.warnings++
		default:
			n.notes++
		}
	}
	return n
}

func (n tallied) text(verbose bool) string {
	s := count(n.errors, "error") + ", " + count(n.warnings, "warning") + ", " + count(n.notes, "note")
	if n.notes > 0 && !verbose {
		s += " (--verbose shows notes)"
	}
	return s
}

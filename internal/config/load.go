package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// Inputs is everything that the configuration depends on.
type Inputs struct {
	Workspace Workspace
	Env       []string // KEY=VALUE; the last of several counts
	User      string   // the person's own file, absolute; "" is none
	Managed   string   // the machine's file, absolute; "" is none
	Instead   *Files   // the workspace's files as they were, instead of as they are; nil reads them
}

// Load reads every layer. A file that does not exist says nothing. Faults are
// findings, sorted by place; values that are in order take effect whatever
// else is not, so that there is always a configuration to list with. The error
// is for inputs that cannot be meant: a path that is not absolute.
func Load(in Inputs) (*Config, ext.Findings, error) {
	for _, p := range []string{in.Workspace.Dir, cmp.Or(in.User, in.Workspace.Dir), cmp.Or(in.Managed, in.Workspace.Dir)} {
		if !filepath.IsAbs(p) {
			return nil, nil, fmt.Errorf("load the configuration: %s is not an absolute path", ext.Quote(p))
		}
	}
	files := contents(in)
	c, findings := build(in, files)
	c.unanswered = unanswered(in.Workspace, files)
	return c, findings, nil
}

// unanswered is what was asked of the system for a configuration that it did not
// answer; nil when it answered everything.
func unanswered(w Workspace, files []content) error {
	if w.lost != nil {
		return w.lost
	}
	for _, f := range files {
		if root.Transient(f.fault) {
			return &unread{fmt.Sprintf("read %s: %s", ext.Quote(f.file), explain(f.fault)), f.fault}
		}
	}
	return nil
}

// unread is an error whose text is safe to print.
type unread struct {
	text string
	err  error
}

func (u *unread) Error() string { return u.text }
func (u *unread) Unwrap() error { return u.err }

// build is Load without the reading. The order of files means nothing.
func build(in Inputs, files []content) (*Config, ext.Findings) {
	var findings ext.Findings
	noteWorkspace(in.Workspace, &findings)
	said := []*reading{readEnv(in.Env, &findings)}
	for _, f := range files {
		said = append(said, readFile(f, &findings))
	}
	slices.SortStableFunc(said, func(a, b *reading) int { return cmp.Compare(b.layer, a.layer) })

	s := settling{layers: said, userFile: in.User, findings: &findings}
	c := &Config{workspace: in.Workspace, values: s.values()}
	for _, r := range said {
		if r.broken {
			c.broken = append(c.broken, r.layer)
		}
	}
	c.fill()
	c.mine = c.personal()
	c.Plugins = s.plugins(c)
	c.Markets = s.markets(c)
	c.Sources = s.sources(c)
	c.rows = s.rows()
	c.files = filesOf(files)
	c.digest = c.sum()
	findings.Sort()
	return c, findings
}

func noteWorkspace(w Workspace, findings *ext.Findings) {
	for _, stray := range w.Strays {
		below, err := filepath.Rel(w.Dir, stray)
		if err != nil {
			below = stray
		}
		o := ext.Origin{Trust: ext.Project, Path: filepath.ToSlash(below)}
		findings.Add(StrayLocal.At(o, "this file is not read; the workspace is %s", ext.Quote(w.Dir)))
	}
	if w.Fault != "" {
		findings.Add(Identity.At(ext.Origin{Trust: ext.Project, Path: ".git"}, "%s", w.Fault))
	}
}

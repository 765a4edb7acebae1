package cli

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

// mended is the JSON document of check --fix: what is left, and what was done.
type mended struct {
	*host.Listing
	Mended []host.Mended `json:"mended"`
}

// rounds is how often mending is followed by another look: what one fix brings
// to light another may mend.
const rounds = 5

// mend mends what was found and looks again. What is given back is what is left.
func (c *call) mend(ctx context.Context, p host.Place, cfg *config.Config, o checking, l *host.Listing) (*host.Listing, []host.Mended, error) {
	m, err := c.mending(ctx, p, cfg, o)
	if err != nil {
		return nil, nil, err
	}
	all := []host.Mended{}
	for range rounds {
		done := m.Run(l)
		all = append(all, done...)
		if m.Dry || !slices.ContainsFunc(done, func(d host.Mended) bool { return d.Fault == "" }) {
			break
		}
		if l, err = c.inspect(ctx, p, cfg, o); err != nil {
			return nil, nil, err
		}
	}
	return l, distinct(all), nil
}

// distinct leaves out files that could not be mended and were told before.
func distinct(all []host.Mended) []host.Mended {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(d host.Mended) bool {
		again := d.Fault != "" && seen[d.Path]
		seen[d.Path] = seen[d.Path] || d.Fault != ""
		return again
	})
}

// mending says whose files may be written: those that the person named, or the
// owner's of a workspace that they adopted, and never a plugin's.
func (c *call) mending(ctx context.Context, p host.Place, cfg *config.Config, o checking) (host.Mending, error) {
	m := host.Mending{Dry: o.dry, Not: map[string]ext.Name{}}
	add := func(cfg *config.Config) {
		for i := range cfg.Plugins {
			if x := &cfg.Plugins[i]; x.Dir != "" {
				m.Not[x.Dir] = x.Name
			}
		}
	}
	add(cfg)
	if len(o.dirs) == 0 {
		g, err := c.lookAt(ctx, p)
		if err != nil {
			return m, err
		}
		if !g.Adopted {
			return m, refuse("this workspace is not adopted, so nothing in it is written; mortise %strust adopts it, or name the directory that is yours: mortise check --fix DIR", c.nextFlag(p.Workspace.Dir))
		}
		m.Dirs = []string{cfg.OwnerDir()}
		return m, nil
	}
	for _, dir := range o.dirs {
		abs, err := c.from(dir)
		if err != nil {
			return m, err
		}
		m.Dirs = append(m.Dirs, abs)
		w, err := config.FindWorkspace(abs, "")
		if err != nil {
			return m, err
		}
		its := host.Place{Workspace: w, Paths: p.Paths, Env: p.Env}
		of, _, err := its.Configure(nil)
		if err != nil {
			return m, err
		}
		add(of)
	}
	return m, nil
}

// mended shows what was mended, or would be, and what could not be.
func (p *page) mended(done []host.Mended, dry bool) {
	if len(done) == 0 {
		return
	}
	word := "mended"
	if dry {
		word = "would be mended"
	}
	for _, d := range done {
		name := p.call.shown(d.Path)
		switch {
		case d.Fault != "":
			p.line("%s  %s: %s", p.bold(name), p.yellow("not mended"), cut(d.Fault, safe))
			continue
		case d.To != "":
			p.line("%s  %s, and renamed %s  %s", p.bold(name), p.green(word), p.bold(ext.Escape(filepath.Base(d.To))), p.dim(join(d.Codes)))
		default:
			p.line("%s  %s  %s", p.bold(name), p.green(word), p.dim(join(d.Codes)))
		}
		p.diff(d.Diff)
	}
}

// diff shows a unified diff without its heads, which the line above says.
func (p *page) diff(text string) {
	_, body, _ := strings.Cut(text, "\n@@")
	if body == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix("@@"+body, "\n"), "\n") {
		shown := ext.Escape(strings.TrimSuffix(line, "\r"))
		if strings.HasSuffix(line, "\r") {
			shown += p.dim(`\r`)
		}
		switch {
		case strings.HasPrefix(line, "+"):
			shown = p.green(shown)
		case strings.HasPrefix(line, "-"):
			shown = p.red(shown)
		}
		p.line("  %s", shown)
	}
}

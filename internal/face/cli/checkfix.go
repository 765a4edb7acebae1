package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/root"
)

// mended is the JSON document of check --fix: what is left, and what was done.
type mended struct {
	*host.Listing               // nil where what is left was not looked at
	Mended        []host.Mended `json:"mended"`
}

// mend mends what was found, or says what would be, and shows that and what is
// left.
func (c *call) mend(ctx context.Context, p host.Place, cfg *config.Config, o checking, l *host.Listing) error {
	m, err := c.mending(ctx, p, cfg, o)
	if err != nil {
		return err
	}
	l, err = m.Plan(l, func(as *root.Changes) (*host.Listing, error) {
		would := o
		would.as = as
		return c.inspect(ctx, p, cfg, would)
	})
	if err != nil {
		return err
	}
	done := m.Planned()
	planned := changed(done)
	if !o.dry && planned > 0 {
		if done, err = m.Write(ctx); err == nil {
			l, err = c.inspect(ctx, p, cfg, o)
		}
	}
	if err != nil { // what was done is told all the same
		return c.cutShort(cfg, done, planned, err)
	}
	if o.strict {
		l.Strict()
	}
	if c.json {
		err = c.document(mended{l, done})
	} else {
		page := c.page(cfg)
		page.mended(done, o.dry)
		page.check(l, rootsOf(l, c), o.verbose)
	}
	return cmp.Or(err, c.unwritten(done), answer(l))
}

// answer is that of a look.
func answer(l *host.Listing) error {
	if l.Failed() {
		return errNo
	}
	return nil
}

// unwritten is the error for files that could not be written; nil for none.
func (c *call) unwritten(done []host.Mended) error {
	n := 0
	for _, d := range done {
		if d.Failed {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return cmp.Or(c.flush(), fmt.Errorf("%s could not be written; what is said of each tells why", count(n, "file")))
}

// cutShort shows what was done until an error, and returns that.
func (c *call) cutShort(cfg *config.Config, done []host.Mended, planned int, because error) error {
	if c.json {
		if err := c.document(mended{nil, done}); err != nil {
			return err
		}
		return cmp.Or(c.flush(), because)
	}
	page := c.page(cfg)
	page.mended(done, false)
	page.gap()
	page.line("%d of %s mended; what is left was not looked at: run it again", changed(done), count(planned, "file"))
	return cmp.Or(c.flush(), because)
}

// changed is how many files were mended, or would be.
func changed(done []host.Mended) int {
	n := 0
	for _, d := range done {
		if d.Fault == "" {
			n++
		}
	}
	return n
}

// mending says whose files may be written: those that the person named, or the
// owner's of a workspace that they adopted.
func (c *call) mending(ctx context.Context, p host.Place, cfg *config.Config, o checking) (*host.Mending, error) {
	m := &host.Mending{Place: p}
	if len(o.dirs) == 0 {
		g, err := c.lookAt(ctx, p)
		if err != nil {
			return nil, err
		}
		if !g.Adopted {
			return nil, refuse("this workspace is not adopted, so nothing in it is written; mortise %strust adopts it, or name the directory that is yours: mortise check --fix DIR", c.nextFlag(p.Workspace.Dir))
		}
		m.Dirs = []string{cfg.OwnerDir()}
		return m, nil
	}
	for _, dir := range o.dirs {
		abs, err := c.from(dir)
		if err != nil {
			return nil, err
		}
		m.Dirs = append(m.Dirs, abs)
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

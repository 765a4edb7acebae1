package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// mostNeeds is how many plugins one may bring along.
const mostNeeds = 64

// withNeeds is a prepared plugin, and behind it what it needs and is not there, prepared
// once its person agreed to that; agreed: they have.
func (c *call) withNeeds(ctx context.Context, p host.Place, r *roster.Roster, first state.Installed, agreed bool) ([]state.Installed, error) {
	have, err := c.have(ctx, p, r)
	if err != nil {
		return nil, err
	}
	have[first.Name] = true
	all := []state.Installed{first}
	for level := all; len(level) > 0; {
		wishes, err := c.wishes(ctx, p, r, level, have)
		if err != nil {
			return nil, err
		}
		if len(all)+len(wishes) > mostNeeds {
			return nil, refuse("%s needs more than %d plugins", first.Name, mostNeeds)
		}
		if len(wishes) > 0 && !agreed {
			if err := c.agreeToNeeds(ctx, wishes); err != nil {
				return nil, err
			}
		}
		level = nil
		for n := range wishes {
			progress, clear := c.fetching()
			wishes[n].Progress = progress
			i, err := r.Prepare(ctx, wishes[n].Wish)
			clear()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", wishes[n].why, err)
			}
			level = append(level, i)
		}
		all = append(all, level...)
	}
	return all, nil
}

// have are the names that are in use in a place.
func (c *call) have(ctx context.Context, p host.Place, r *roster.Roster) (map[ext.Name]bool, error) {
	cfg, _, err := p.Configure(nil)
	if err != nil {
		return nil, err
	}
	s, err := r.Store.Load(ctx)
	if err != nil {
		return nil, err
	}
	have := map[ext.Name]bool{}
	for _, x := range cfg.Plugins {
		have[x.Name] = true
	}
	for _, i := range roster.In(s.Roster, p.Workspace.ID) {
		have[i.Name] = true
	}
	return have, nil
}

// needed is a plugin that another one needs.
type needed struct {
	roster.Wish
	why string // acme needs base
}

// wishes are what plugins need and is not there, with where it is got from. have is told
// of them.
func (c *call) wishes(ctx context.Context, p host.Place, r *roster.Roster, of []state.Installed, have map[ext.Name]bool) ([]needed, error) {
	var out []needed
	for n := range of {
		i := &of[n]
		for _, need := range c.Needs(ctx, roster.Dir(c.Checkouts(p), i)) {
			if have[need.Extension] {
				continue
			}
			why := fmt.Sprintf("%s needs %s", i.Name, need.Extension)
			o, err := offerOf(ctx, r, i, need)
			if err != nil {
				return nil, ext.AsRefused(fmt.Errorf("%s, which is not installed: %w", why, err))
			}
			have[need.Extension] = true
			out = append(out, needed{roster.Wish{Offer: o, As: string(need.Extension), Scope: i.Scope}, why})
		}
	}
	return out, nil
}

// offerOf is what is known of a plugin that another one needs: what the marketplace that
// it names says, else the one that offered the other, else any.
func offerOf(ctx context.Context, r *roster.Roster, of *state.Installed, need surface.Need) (roster.Offer, error) {
	name := string(need.Extension)
	if need.Market != "" {
		return r.Offers(ctx, name+"@"+need.Market)
	}
	if _, market, ok := strings.Cut(of.Market, "@"); ok {
		if o, err := r.Offers(ctx, name+"@"+market); err == nil {
			return o, nil
		}
	}
	return r.Offers(ctx, name)
}

// agreeToNeeds shows what would be installed as well, and has a person agree.
func (c *call) agreeToNeeds(ctx context.Context, wishes []needed) error {
	var says []string
	for _, w := range wishes {
		says = append(says, fmt.Sprintf("%s, which %s offers from %s", w.why, w.Market, ext.Quote(w.Source)))
	}
	if !c.Asked || c.json {
		return ext.AsRefused(errors.New(strings.Join(says, "; ") + "; give --with-dependencies to install that as well"))
	}
	for _, s := range says {
		c.page(nil).line("%s.", ext.Escape(s))
	}
	return c.agree(ctx, false, "Install that as well? [y/N] ")
}

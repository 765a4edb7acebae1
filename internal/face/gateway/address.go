package gateway

import (
	"cmp"
	"context"
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/session"
)

// at is what answers for an address: the resource that was listed there, or a
// template that it fits; nil when nothing does. A template of the owner's comes
// before what a plugin lists within it.
func (c *client) at(ctx context.Context, uri string) (*session.Offer, error) {
	v, err := c.view(ctx, resources)
	if err != nil {
		return nil, err
	}
	listed := v.Offers.Resource(uri)
	if v, err = c.view(ctx, templates); err != nil {
		return nil, err
	}
	fit := fitting(v.Templates, uri)
	if listed == nil || fit != nil && fit.Entry.Origin.Trust > listed.Entry.Origin.Trust {
		return fit, nil
	}
	return listed, nil
}

// template is the template that a client names as it was listed, or what answers for
// an address.
func (c *client) template(ctx context.Context, uri string) (*session.Offer, error) {
	v, err := c.view(ctx, templates)
	if err != nil {
		return nil, err
	}
	for i := range v.Templates {
		if v.Templates[i].Name == uri {
			return &v.Templates[i], nil
		}
	}
	return c.at(ctx, uri)
}

// fitting is the template that an address fits; nil without one. Of several it is
// the owner's before a plugin's, then the one that says the most of the address.
func fitting(templates []session.Offer, uri string) *session.Offer {
	var best *session.Offer
	for i := range templates {
		t := &templates[i]
		if fits(t.Name, uri) && (best == nil || cmp.Or(cmp.Compare(t.Entry.Origin.Trust, best.Entry.Origin.Trust), cmp.Compare(fixed(t.Name), fixed(best.Name))) > 0) {
			best = t
		}
	}
	return best
}

// fixed is how much of a template is text.
func fixed(template string) int { return len(expression.ReplaceAllString(template, "")) }

var expression = pattern.New(`\{[^{}]*\}`)

// fits reports whether an address could be made of a template (RFC 6570): the
// text between its expressions is there, in order. The server, which knows what
// the expressions mean, has the last word.
func fits(template, uri string) bool {
	fixed := expression.Split(template, -1)
	if len(fixed) == 1 {
		return template == uri
	}
	rest, ok := strings.CutPrefix(uri, fixed[0])
	last := fixed[len(fixed)-1]
	for _, part := range fixed[1 : len(fixed)-1] {
		at := strings.Index(rest, part)
		if !ok || at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return ok && strings.HasSuffix(rest, last)
}

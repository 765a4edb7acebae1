package mortise

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// prompting is a reading whose prompt hooks are asked. What of it is offered
// shrinks by those that fail.
type prompting struct {
	*reading
	parts []*part // a fragment each
}

// ask asks the prompt hooks of all plugins that are in use, at once, and takes what
// they say through the door that every fragment comes through.
func (p *prompting) ask(ctx context.Context, patience time.Duration, state LegacyState) {
	texts := make([]string, len(p.offered))
	errs := make([]error, len(p.offered))
	var all sync.WaitGroup
	for i, b := range p.offered {
		if hook, ok := b.plugin.(LegacyPrompter); ok {
			all.Go(func() {
				texts[i], errs[i] = within(ctx, patience, func(ctx context.Context) (string, error) { return hook.Prompt(ctx, state) })
			})
		}
	}
	all.Wait()
	var whole []*bridged
	for i, b := range p.offered {
		r, ok := p.take(b, texts[i], errs[i])
		if !ok {
			p.refuse(b, r)
			continue
		}
		whole = append(whole, b)
	}
	p.offered = whole
}

// take takes what a plugin says, or says why it cannot be taken.
func (p *prompting) take(b *bridged, text string, err error) (Refusal, bool) {
	r := Refusal{Extension: b.name, Cause: PromptRefused}
	switch {
	case err != nil:
		r.Reason = "its prompt hook failed: " + ext.Escape(ext.Shorten(err.Error(), 300))
		return r, false
	case strings.TrimSpace(text) == "":
		return r, true
	}
	c := Contribution{Fragments: []Fragment{{Name: "turn", Text: text}}}
	made, found := newPart(&c, b.part.name, ext.Plugin)
	if made != nil {
		a := assembly{parts: []*part{made}}
		if _, refused := a.compose(); refused == nil {
			p.parts = append(p.parts, made)
			return r, true
		}
		found = a.findings
	}
	said := faults(b.name, found)
	r.Reason, r.Fix = "what its prompt hook says cannot be taken: "+said.Reason, said.Fix
	return r, false
}

// text is what was taken, fenced, and what of it there is no room for.
func (p *prompting) text() (text string, left []Placed) {
	if len(p.parts) == 0 {
		return "", nil
	}
	a := assembly{parts: slices.Clone(p.parts)}
	c, refused := a.compose()
	if refused != nil {
		panic(refused) // each was taken alone, and fragments have nothing to disagree about
	}
	return c.session.Instructions(rand.Text()), leftOut(c.session)
}

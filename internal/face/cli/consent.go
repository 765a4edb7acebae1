package cli

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// answer asks a person once, after all that was shown so far was written, and is
// the first letter of the answer, in lower case; "" for none.
func (c *call) answer(ctx context.Context, question string) (string, error) {
	if err := c.flush(); err != nil {
		return "", err
	}
	fmt.Fprint(c.Err, question)
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() { // it ends with the program: nothing else reads from a terminal
		text, err := bufio.NewReader(c.In).ReadString('\n')
		lines <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return "", ctx.Err()
	case l := <-lines:
		text := strings.ToLower(strings.TrimSpace(l.text))
		if text == "" {
			return "", nil
		}
		return text[:1], nil
	}
}

// consent asks for the adoption of a workspace that is about to be served, where
// a person can be asked, or takes it from --trust. Where all is consented to already
// the workspace is not read a second time.
func (s *serving) consent(ctx context.Context) error {
	if s.host.Now().Consented() {
		return nil
	}
	shown, g, err := s.host.Propose(ctx)
	if err != nil || shown.Adopted || len(shown.Effects) == 0 {
		return err
	}
	if s.options.trust == "once" {
		if err := shown.Possible(); err != nil {
			return err
		}
		return s.adopt(ctx, s.host.AdoptOnce, shown)
	}
	possible := shown.Possible() == nil
	if !possible || !s.call.Asked || s.options.stdio || s.call.json || nothingToAdopt(g) {
		return nil
	}
	view := s.call.page(g.Config)
	view.proposal(shown, rootsOf(g.Listing(), s.call), false)
	answer, err := s.call.answer(ctx, "Adopt it? y: yes, o: once, for this process alone; anything else: serve without it [y/o/N] ")
	if err != nil {
		return err
	}
	switch answer {
	case "o":
		return s.adopt(ctx, s.host.AdoptOnce, shown)
	case "y":
		return s.adopt(ctx, s.host.Adopt, shown)
	}
	return nil
}

// adopt adopts what was shown, for good or for this process, and takes it in.
func (s *serving) adopt(ctx context.Context, adopt func(context.Context, string, *host.Proposal) error, shown *host.Proposal) error {
	if err := adopt(ctx, s.call.Person(), shown); err != nil {
		return err
	}
	g, err := s.host.Refresh(ctx)
	if err != nil {
		return err
	}
	rows, err := s.call.setUpShown(ctx, s.place, s.host, g, shown.Setups)
	for i := range rows {
		r := &rows[i]
		fmt.Fprintf(s.call.Err, "mortise: the set-up step %s is %s\n", ext.Escape(ext.Qualified(ext.Name(r.Plugin), r.Name)), ext.Escape(strings.TrimSpace(r.State+" "+r.Error)))
	}
	return err
}

// nothingToAdopt reports whether the workspace holds nothing that waits for an
// adoption or a grant.
func nothingToAdopt(g *host.Generation) bool {
	l := g.Listing()
	waits := slices.ContainsFunc(l.Entries, func(e host.EntryRow) bool { return e.Status == "pending" })
	return adoptionFinding(l) == "" && l.Pending == 0 && !waits
}

package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// approval asks for the approval of what servers that are about to run offered when
// they last ran, where a person can be asked. What comes to wait later is told of with
// the command that approves it.
func (s *serving) approval(ctx context.Context) error {
	if !s.call.Asked || s.options.stdio || s.call.json || s.host.Once() {
		return nil
	}
	g := s.host.Now()
	waiting := s.host.Awaiting(g)
	if len(waiting) == 0 {
		return nil
	}
	view := s.call.page(g.Config)
	view.awaiting(waiting, false)
	answer, err := s.call.answer(ctx, "Approve it? y: yes; anything else: serve without it [y/N] ")
	if err != nil || answer != "y" {
		return err
	}
	if err := s.host.Approve(ctx, s.call.Person(), waiting); err != nil {
		return err
	}
	_, err = s.host.Refresh(ctx)
	return err
}

// unapproved says of which servers something waits for approval, and what to do. How
// many of one wait is news when it is more than before.
func (n *news) unapproved(h *host.Host, flag string) []string {
	now, was := h.Now().Unapproved(), n.waits
	n.waits = now
	var lines []string
	for _, server := range slices.Sorted(maps.Keys(now)) {
		if now[server] <= was[server] {
			continue
		}
		fix := "mortise " + flag + "approve " + word(server)
		if h.Once() {
			fix = "the workspace is adopted for this process alone, so that nothing more can be approved"
		}
		lines = append(lines, ext.Escape(server)+" offers what nobody approved as it is, and it is not in use: "+count(now[server], "definition")+"; "+fix)
	}
	return lines
}

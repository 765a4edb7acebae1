package cli

import (
	"maps"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	running "github.com/mortise-dev/mortise/internal/call"
)

// news is what the person of a serving host was last told.
type news struct {
	states map[string]running.State // of servers
	failed bool                     // the last pass
	polled map[string]string        // places, and why
	waits  map[string]int           // for approval, by server
}

// servers says which came to another state. That one is being started again is
// no news: what comes of it is.
func (n *news) servers(all []running.Status) []string {
	if n.states == nil {
		n.states = map[string]running.State{}
	}
	var lines []string
	maps.DeleteFunc(n.states, func(name string, _ running.State) bool { // one that comes again is news
		return !slices.ContainsFunc(all, func(st running.Status) bool { return st.Name == name })
	})
	for _, st := range all {
		if st.State == running.Starting || n.states[st.Name] == st.State {
			continue
		}
		n.states[st.Name] = st.State
		text := ext.Escape(st.Name) + " is " + string(st.State)
		switch {
		case st.State == running.Ready:
			text += ", " + count(st.Tools, "tool")
		case st.Error != "":
			text += ": " + cut(st.Error, safe)
		}
		lines = append(lines, text)
	}
	return lines
}

// pass says that passes begin to fail, and that they do not any more.
func (n *news) pass(fault error) []string {
	was := n.failed
	n.failed = fault != nil
	switch {
	case n.failed == was:
		return nil
	case n.failed:
		return []string{bounded(fault.Error()) + "; it is tried again"}
	}
	return []string{"everything is in order again, and what changed is in use"}
}

// watched says that changes take a while to show where the system tells of none.
func (n *news) watched(polled map[string]string) []string {
	was := n.polled
	n.polled = polled
	var more []string
	for _, place := range slices.Sorted(maps.Keys(polled)) {
		if _, known := was[place]; !known {
			more = append(more, place)
		}
	}
	if len(more) == 0 {
		return nil
	}
	text := "changes in " + count(len(more), "place") + " take two seconds to show: in " + ext.Escape(more[0])
	if len(more) > 1 {
		text += " and others"
	}
	return []string{text + ", since " + bounded(polled[more[0]])}
}

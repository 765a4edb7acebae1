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
	fault  string                   // of the last pass
	polled int                      // places
}

// servers says which came to another state. That one is being started again is
// no news: what comes of it is.
func (n *news) servers(all []running.Status) []string {
	if n.states == nil {
		n.states = map[string]running.State{}
	}
	var lines []string
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
	text, was := "", n.fault
	if fault != nil {
		text = bounded(fault.Error())
	}
	n.fault = text
	switch {
	case text == was:
		return nil
	case text == "":
		return []string{"everything can be read again, and what changed is in use"}
	}
	return []string{text + "; what was read before stays in use, and it is tried again every two seconds"}
}

// watched says that changes take a while to show where the system tells of none.
func (n *news) watched(polled map[string]string) []string {
	was := n.polled
	if n.polled = len(polled); n.polled <= was {
		return nil
	}
	first := slices.Sorted(maps.Keys(polled))[0]
	text := "changes in " + count(len(polled), "place") + " take two seconds to show: in " + ext.Escape(first)
	if len(polled) > 1 {
		text += " and others"
	}
	return []string{text + ", since " + bounded(polled[first])}
}

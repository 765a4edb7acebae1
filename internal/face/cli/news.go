package cli

import (
	"github.com/mortise-dev/mortise/ext"
	running "github.com/mortise-dev/mortise/internal/call"
)

// news is the state that was last told of each server.
type news map[string]running.State

// of says which servers came to another state. That one is being started again
// is none: what comes of it is.
func (n news) of(all []running.Status) []string {
	var lines []string
	for _, st := range all {
		if st.State == running.Starting || n[st.Name] == st.State {
			continue
		}
		n[st.Name] = st.State
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

package dialect

import (
	"encoding/json"
	"slices"
	"strings"
)

// Reaches reports whether hooks of a client's event, with these matchers, may be
// about tools of servers, which our gateway offers too: not those that are for the
// clients' own tools alone.
func Reaches(client, name string, matchers []string) bool {
	ev, known := find(client, name)
	if !known || !ev.moment.tooled() {
		return false
	}
	e := Event{Client: Mortise, Moment: ev.moment, Tool: "server__tool", Served: Served{Server: "server", Tool: "tool"}}
	if !slices.Contains(e.Names(client), name) {
		return false
	}
	return len(matchers) == 0 || slices.ContainsFunc(matchers, func(m string) bool { return !own(m) })
}

// own reports whether a matcher is a list of nothing but clients' own tools.
func own(matcher string) bool {
	if !listed.MatchString(matcher) {
		return false
	}
	for item := range strings.FieldsFuncSeq(matcher, func(r rune) bool { return r == '|' || r == ',' || r == ' ' }) {
		if !ownTool(item) {
			return false
		}
	}
	return true
}

func ownTool(name string) bool {
	for _, client := range Clients() {
		for _, names := range tools[client] {
			if slices.Contains(names, name) {
				return true
			}
		}
	}
	return false
}

// Made is the input that an answer of a hook of a client's dialect makes of that of
// an event, in the words of the client that the event happened in; nil where it
// leaves it as it is.
func (e *Event) Made(client string, a Answer) (json.RawMessage, error) {
	if a.Input == nil {
		return nil, nil
	}
	told, _, err := e.respelt(client)
	if err != nil {
		return nil, err
	}
	made, err := a.Apply(told.encode())
	if err != nil {
		return nil, err
	}
	return e.Rewritten(client, made)
}

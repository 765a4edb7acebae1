package dialect

import "slices"

// Names are the events under which hooks of a client's dialect are asked about an
// event: those that say the same, in the client's order, but its own first. So
// Cursor need not be asked for the tools of one kind and for all of them, nor
// Copilot by both of its spellings. None: the dialect has no such event.
func (e *Event) Names(client string) []string {
	var out []string
	if e.Client == client && e.Name != "" {
		out = append(out, e.Name)
	}
	for _, ev := range events[client] {
		if ev.moment == e.Moment && e.Moment != Other && e.fits(client, ev.name) {
			out = append(out, ev.name)
		}
	}
	return unique(out)
}

// fits reports whether the tool of an event is one that an event of a client's is
// about. A tool of no known kind may be of any.
func (e *Event) fits(client, name string) bool {
	if client != Cursor || !e.Moment.tooled() {
		return true
	}
	k := e.kind()
	only, narrow := cursorKinds[name]
	if !narrow {
		return k != tab // which is no tool of the agent's
	}
	return slices.Contains(only, k) || k == unknown && e.could(only[0])
}

// could reports whether a tool that nobody here knows may be of a kind, by what
// it is called with.
func (e *Event) could(k kind) bool {
	in, err := members(e.Input)
	switch {
	case err != nil:
		return false
	case k == shell:
		return in.at("command") >= 0
	case k == read, k == write:
		return in.at("file_path") >= 0
	}
	return k == served
}

// cursorKinds are the kinds of tools that events of Cursor's are about which are
// not about every tool.
var cursorKinds = map[string][]kind{
	"beforeShellExecution": {shell}, "afterShellExecution": {shell},
	"beforeMCPExecution": {served}, "afterMCPExecution": {served},
	"beforeReadFile": {read}, "beforeTabFileRead": {tab},
	"afterFileEdit": {write, edit, patch}, "afterTabFileEdit": {tab},
}

// narrow reports whether an event of a client's is about tools of some kinds alone.
func narrow(client, name string) bool { return client == Cursor && cursorKinds[name] != nil }

package dialect

import (
	"slices"
	"sync"
)

// Delivers are the questions that a client puts with one of its events: of events
// that say the same in several clients they are the same. An event about a tool puts
// one for its moment, and one for each kind of tool that it may be about; one for
// tools of some kinds alone puts those of these kinds, and one about what an editor
// does by itself no other. An event that no other client has is a question of its own.
func Delivers(client, name string) []string {
	ev, known := find(client, name)
	switch {
	case !known || ev.moment == Other:
		return []string{ownQuestion(client, name)}
	case ev.late():
		return []string{question(ev.moment, late)}
	case !ev.moment.tooled():
		return []string{question(ev.moment, "")}
	case narrow(client, name):
		return narrowly(ev)
	}
	out := []string{question(ev.moment, "")}
	for k := shell; k <= lone; k++ {
		if len(tools[client][k]) > 0 && k != tab {
			out = append(out, question(ev.moment, word(client, k)))
		}
	}
	return append(out, question(ev.moment, word(client, served)), question(ev.moment, word(client, unknown)))
}

// Wants are the questions of which one must be put for a hook of a client's event to
// be asked, given its matchers: of an event about tools those of the kinds of tools
// that the matchers may mean, or the one for its moment where these are all kinds.
// There is always one.
func Wants(client, name string, matchers []string) []string {
	ev, known := find(client, name)
	switch {
	case !known || ev.moment == Other:
		return []string{ownQuestion(client, name)}
	case ev.late():
		return []string{question(ev.moment, ""), question(ev.moment, late)}
	case !ev.moment.tooled():
		return []string{question(ev.moment, "")}
	case narrow(client, name): // whose matchers mean other things than tools
		return narrowly(ev)[:1]
	case len(matchers) == 0:
		return []string{question(ev.moment, "")}
	}
	var out []string
	all := 0
	means := meaning(client, matchers)
	for _, s := range toolsOf()[client] {
		all++
		if slices.ContainsFunc(s.names, means) {
			out = append(out, question(ev.moment, s.word))
		}
	}
	if !slices.ContainsFunc(matchers, func(m string) bool { return !own(m) }) {
		if len(out) == 0 { // no tool is called so
			out = []string{question(ev.moment, "none")}
		}
		return out
	}
	if len(out) == all {
		return []string{question(ev.moment, "")}
	}
	return append(out, question(ev.moment, word(client, served)), question(ev.moment, word(client, unknown)))
}

// late is said of a question that is put when a denial comes too late, though one in
// time is possible at that moment elsewhere: it is none to a guard.
const late = "too late to deny it"

func (e event) late() bool {
	return !e.guards() && slices.ContainsFunc(Clients(), func(client string) bool {
		return slices.ContainsFunc(events[client], func(o event) bool { return o.moment == e.moment && o.guards() })
	})
}

// narrowly are the questions of an event of Cursor's for tools of some kinds.
func narrowly(ev event) []string {
	var out []string
	for _, k := range cursorKinds[ev.name] {
		out = append(out, question(ev.moment, word(Cursor, k)))
	}
	if out[0] != question(ev.moment, word(Cursor, tab)) {
		out = append(out, question(ev.moment, ""))
	}
	return out
}

// question is what is asked about tools of one kind, or of any, in words.
func question(m Moment, kind string) string {
	if kind != "" {
		kind = " (" + kind + ")"
	}
	return `"` + m.String() + kind + `" of a client`
}

func ownQuestion(client, name string) string { return `"` + name + `" of ` + client }

var kindWords = [...]string{
	unknown: "a tool that is not known here", served: "a tool of a server", shell: "shell", read: "reading files", write: "writing files",
	edit: "editing files", patch: "patches", tab: "completion in the editor", remove: "deleting files", list: "listing files", glob: "finding files",
	grep: "searching in files", fetch: "reading addresses", search: "searching the web", task: "starting agents", todo: "lists of tasks", ask: "asking the person",
}

// word is a kind of tools in words. Tools that have no like elsewhere are of a kind
// of their own in each client.
func word(client string, k kind) string {
	if k == lone {
		return "tools of " + client + " alone"
	}
	return kindWords[k]
}

// sort is one kind of tools, with all names by which hooks of a dialect know them.
type sort struct {
	word  string
	names []string
}

// toolsOf are the sorts of all tools that are known, for each dialect.
var toolsOf = sync.OnceValue(func() map[string][]sort {
	out := map[string][]sort{}
	for _, client := range Clients() {
		for k := shell; k <= lone; k++ {
			for _, of := range Clients() {
				for _, tool := range tools[of][k] {
					e := Event{Client: of, Moment: BeforeTool, Tool: tool}
					names, _ := e.ToolNames(client)
					out[client] = added(out[client], word(of, k), names)
				}
			}
		}
	}
	return out
})

func added(to []sort, word string, names []string) []sort {
	i := slices.IndexFunc(to, func(s sort) bool { return s.word == word })
	if i < 0 {
		i, to = len(to), append(to, sort{word: word})
	}
	to[i].names = unique(append(to[i].names, names...))
	return to
}

// meaning reports of names whether one of several matchers of a client's means them,
// as far as can be told.
func meaning(client string, matchers []string) func(name string) bool {
	var all []func(string) (bool, error)
	for _, m := range matchers {
		all = append(all, matching(client, m))
	}
	return func(name string) bool {
		return slices.ContainsFunc(all, func(means func(string) (bool, error)) bool {
			ok, _ := means(name)
			return ok
		})
	}
}

package tools

import (
	"cmp"
	"slices"
	"strings"
)

// Search is what is looked for.
type Search struct {
	Query string // "" finds nothing
	// Writable leaves out the tools of imported remotes, which nobody here can change.
	Writable bool
	Limit    int // 0: all of them
}

// Match is an entry that was found.
type Match struct {
	Entry
	At    int     // its position among those that were looked through
	Score float64 // up to 1
}

// least is the lowest score that is a match.
const least = 0.05

// In looks through entries: the better first, then by name, and the repository's own
// before those of remotes. An entry that does not say what it can do comes after all
// that do. total is how many there are without the limit.
func (s Search) In(entries []Entry) (found []Match, total int) {
	q := newQuery(s.Query)
	for i, e := range entries {
		if s.Writable && !e.Writable() {
			continue
		}
		if score := q.score(e.Capability, e.Name, e.Purpose, e.Description()); score >= least {
			found = append(found, Match{e, i, score})
		}
	}
	slices.SortStableFunc(found, func(a, b Match) int {
		return cmp.Or(
			last(a.Capability == "", b.Capability == ""),
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(a.Name, b.Name),
			last(!a.Writable(), !b.Writable()),
		)
	})
	if total = len(found); s.Limit > 0 && total > s.Limit {
		found = found[:s.Limit]
	}
	return found, total
}

func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Score says how well a query fits a tool: 1 for its capability, 0.85 where one begins
// with the other, else what they share of their words, which is at most 0.7. A tool
// without a capability is found by its words alone, and nothing by a blank query.
func Score(query, capability, name, purpose, description string) float64 {
	return newQuery(query).score(capability, name, purpose, description)
}

// query is a query that was taken apart.
type query struct {
	text  string
	words map[string]bool
}

func newQuery(text string) *query {
	text = strings.ToLower(strings.TrimSpace(text))
	return &query{text, words(text)}
}

func (q *query) score(capability, name, purpose, description string) float64 {
	if q.text == "" {
		return 0
	}
	if c := strings.ToLower(strings.TrimSpace(capability)); c != "" {
		if c == q.text {
			return 1
		}
		if strings.HasPrefix(c, q.text) || strings.HasPrefix(q.text, c) {
			return 0.85
		}
	}
	return min(q.overlap(words(capability, name, purpose, description)), 0.7)
}

// overlap is how many of the words of both are words of each.
func (q *query) overlap(of map[string]bool) float64 {
	both := 0
	for w := range q.words {
		if of[w] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(q.words)+len(of)-both)
}

// words are the runs of ASCII letters and digits, in lower case.
func words(texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, t := range texts {
		for _, w := range strings.FieldsFunc(strings.ToLower(t), func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < '0' || r > '9')
		}) {
			out[w] = true
		}
	}
	return out
}

// Imported are the entries of the catalogue of an imported remote, as this repository has
// them: none can be changed, and they lie where the remote keeps its tools.
func Imported(remote string, c *Catalogue) []Entry {
	out := slices.Clone(c.Entries)
	for i := range out {
		out[i].Remote = remote
		out[i].Location = RemoteLocation(remote, out[i].Key()).String()
	}
	return out
}

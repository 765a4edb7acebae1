package monorepo

import (
	"slices"
	"strconv"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc"
)

func itoa(n int) string { return strconv.Itoa(n) }

// writer writes documents about what lies in a file, from a line on.
type writer struct {
	file string
	line int
}

func (w writer) text(s string) ext.Doc {
	return ext.Doc{Kind: ext.String, Text: s, File: w.file, Line: w.line}
}

func (w writer) number(n int) ext.Doc {
	return ext.Doc{Kind: ext.Number, Text: itoa(n), File: w.file, Line: w.line}
}

func (w writer) object(pairs ...ext.Pair) ext.Doc {
	return ext.Doc{Kind: ext.Map, Map: pairs, File: w.file, Line: w.line}
}

func (w writer) list(items []ext.Doc) ext.Doc {
	return ext.Doc{Kind: ext.List, List: items, File: w.file, Line: w.line}
}

func (w writer) pair(key string, value ext.Doc) ext.Pair {
	return ext.Pair{Key: key, Line: w.line, Value: value}
}

// steps is evidence. A line is that of the file that the step names.
func (w writer) steps(steps []pysrc.Step) ext.Doc {
	items := make([]ext.Doc, len(steps))
	for i, s := range steps {
		var pairs []ext.Pair
		if s.File != "" {
			pairs = append(pairs, w.pair("file", w.text(s.File)), w.pair("line", w.number(s.Line)))
		}
		items[i] = w.object(append(pairs, w.pair("why", w.text(s.Why)))...)
	}
	return w.list(items)
}

// described is the document of a class. It holds the digests of the files that are its
// evidence, so that an entry differs from what it was when one of them does.
func described(c *pysrc.Class, m *pysrc.Module, files map[string]*pythonFile[*pysrc.Module]) ext.Doc {
	w := writer{c.File, c.Line}
	pairs := []ext.Pair{w.pair("class", w.text(c.Name)), w.pair("certainty", w.text(c.Certainty.String()))}
	if c.Reason != "" {
		pairs = append(pairs, w.pair("reason", w.text(c.Reason)))
	}
	if bases := basesOf(c, m); len(bases) > 0 {
		items := make([]ext.Doc, len(bases))
		for i, b := range bases {
			items[i] = writer{c.File, b.Line}.text(b.Text)
		}
		pairs = append(pairs, w.pair("bases", w.list(items)))
	}
	pairs = append(pairs, w.pair("evidence", w.steps(c.Evidence)))
	if len(c.Notes) > 0 {
		pairs = append(pairs, w.pair("notes", w.steps(c.Notes)))
	}
	if c.Kind == pysrc.Deployment && len(c.Arguments) > 0 {
		pairs = append(pairs, w.pair("arguments", arguments(c)))
	}
	evidence := []string{c.File}
	for _, s := range c.Evidence {
		if s.File != "" && !slices.Contains(evidence, s.File) {
			evidence = append(evidence, s.File)
		}
	}
	slices.Sort(evidence)
	sums := make([]ext.Pair, 0, len(evidence))
	for _, name := range evidence {
		if f := files[name]; f != nil {
			sums = append(sums, w.pair(name, w.text(f.sum.String())))
		}
	}
	return w.object(append(pairs, w.pair("sources", w.object(sums...)))...)
}

// basesOf are the bases of a class's statement; none where it has no statement.
func basesOf(c *pysrc.Class, m *pysrc.Module) []pysrc.Base {
	for i := range m.Classes {
		if s := &m.Classes[i]; s.Line == c.Line && s.Name == c.Name {
			return s.Bases
		}
	}
	return nil
}

func arguments(c *pysrc.Class) ext.Doc {
	items := make([]ext.Doc, len(c.Arguments))
	for i, a := range c.Arguments {
		w := writer{c.File, max(a.Line, c.Line)}
		pairs := []ext.Pair{w.pair("name", w.text(a.Name))}
		if a.Value != nil {
			pairs = append(pairs, w.pair("value", *a.Value))
		} else {
			pairs = append(pairs, w.pair("reason", w.text(a.Reason)))
		}
		items[i] = w.object(pairs...)
	}
	return writer{c.File, c.Line}.list(items)
}

// describedMission is the document of a mission.
func describedMission(f *pythonFile[*pysrc.Mission]) ext.Doc {
	w := writer{f.path, max(f.value.Line, 1)}
	return w.object(
		w.pair("mission", *f.value.Value),
		w.pair("evidence", w.steps([]pysrc.Step{{File: f.path, Line: w.line, Why: pysrc.Entry + " returns it"}})),
		w.pair("sources", w.object(w.pair(f.path, w.text(f.sum.String())))),
	)
}

package host

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// Lines are a definition as it is shown: one line for each value in it, where it
// stands and what it is, so that two definitions that differ have lines that do. What
// is foreign in them is escaped.
func Lines(definition []byte) []string {
	node, findings := doc.JSON(ext.Origin{}, definition)
	if findings.Failed() {
		return []string{strconv.Quote(string(definition))}
	}
	var w lines
	w.node("", &node)
	return w
}

// Difference is how a definition that waits differs from the one that was approved,
// as a unified diff of their lines; "" where that is not kept.
func (a *Awaiting) Difference() string {
	if a.Before == nil {
		return ""
	}
	text := func(definition []byte) []byte { return []byte(strings.Join(Lines(definition), "\n") + "\n") }
	return string(diff.Diff("approved", text(a.Before), "now", text(a.Now)))
}

// lines are the lines of a definition so far.
type lines []string

func (w *lines) add(at, value string) {
	if at == "" {
		*w = append(*w, value)
		return
	}
	*w = append(*w, at+": "+value)
}

func (w *lines) node(at string, d *ext.Doc) {
	switch {
	case d.Kind == ext.Map && len(d.Map) > 0:
		for i := range d.Map {
			w.node(below(at, d.Map[i].Key), &d.Map[i].Value)
		}
	case d.Kind == ext.List && len(d.List) > 0:
		for i := range d.List {
			w.node(element(at, d.List, i), &d.List[i])
		}
	case d.Kind == ext.Map:
		w.add(at, "{}")
	case d.Kind == ext.List:
		w.add(at, "[]")
	case d.Kind == ext.String:
		w.text(at, d.Text)
	case d.Kind == ext.Null:
		w.add(at, "null")
	default:
		w.add(at, d.Text)
	}
}

// text adds a string, each of its lines by itself. What follows the first line is
// marked: it is no other string.
func (w *lines) text(at, s string) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		if !more {
			w.add(at, strconv.Quote(line))
			return
		}
		w.add(at, strconv.Quote(line)+` \n`)
		at, s = strings.TrimSuffix(at, " +")+" +", rest
	}
}

// below is where a member of an object stands.
func below(at, key string) string {
	if !plainKey(key) {
		key = strconv.Quote(key)
	}
	if at == "" {
		return key
	}
	return at + "." + key
}

func plainKey(key string) bool {
	return key != "" && !strings.ContainsFunc(key, func(r rune) bool {
		return r != '_' && r != '-' && r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// element is where an element of a list stands. One of several values alone is told
// by its value, so that a further one does not move the others.
func element(at string, list []ext.Doc, i int) string {
	for j := range list {
		if list[j].Kind == ext.Map || list[j].Kind == ext.List {
			return fmt.Sprintf("%s[%s]", at, strconv.Itoa(i))
		}
	}
	return at + "[]"
}

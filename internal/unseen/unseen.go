// Package unseen finds in texts what a person does not see and an agent reads:
// characters that show nothing, and those that change the order in which others
// are shown.
package unseen

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/mortise-dev/mortise/ext"
)

// What there is to find.
var (
	// Hidden refuses what it is found in.
	Hidden = &ext.Check{
		Code: "text-hidden", Severity: ext.Error,
		Doc: "A document, a manifest, or an entry of a marketplace holds characters that a person does not see, or sees in another order than an agent reads them: Unicode tags, controls of the direction of text, or variation selectors after what takes none. What it declares is refused.",
		Fix: "Remove the characters that the message names. Where you did not write them, find out who did.",
	}
	// ZeroWidth is doubtful.
	ZeroWidth = &ext.Check{
		Code: "text-zero-width", Severity: ext.Warning,
		Doc: "A document, a manifest, or an entry of a marketplace holds characters that do not show, where no script, sign or emoji needs them: two words that look alike may differ by one.",
		Fix: "Remove the characters that the message names.",
	}
)

// InFile tells what does not show in a file that holds data and was read as d:
// at most one finding of each check. The bytes say exactly where it is, the
// strings what an escape sequence stands for. Nobody may write to data meanwhile.
func InFile(o ext.Origin, data []byte, d *ext.Doc) ext.Findings {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	text := unsafe.String(unsafe.SliceData(data), len(data)) // a copy would cost as much as the look
	seen := lookAt(text)
	t := tale{origin: o}
	t.add(&seen, text, func(at int) spot {
		line, column := position(text[:at])
		return spot{line, fmt.Sprintf("line %d, column %d", line, column)}
	})
	if strings.IndexByte(text, '\\') >= 0 {
		escaped := tale{origin: o}
		escaped.node(d, "")
		t.missing(&escaped)
	}
	return t.findings()
}

// InNode is InFile for a node alone: its keys and its strings.
func InNode(o ext.Origin, d *ext.Doc) ext.Findings {
	t := tale{origin: o}
	t.node(d, "")
	return t.findings()
}

// Besides is InNode without what the nodes of others tell: a text on the same
// line, in which the same characters do not show.
func Besides(o ext.Origin, d *ext.Doc, others []*ext.Doc) ext.Findings {
	t := tale{origin: o}
	if t.node(d, ""); t.refused.n+t.doubtful.n == 0 {
		return nil
	}
	elsewhere := tale{origin: o, lines: map[onLine]bool{}}
	for _, other := range others {
		elsewhere.node(other, "")
	}
	t = tale{origin: o, but: elsewhere.lines}
	t.node(d, "")
	return t.findings()
}

// Hides reports whether there is in a text what Hidden refuses.
func Hides(text string) bool {
	seen := lookAt(text)
	return seen.refused.n > 0
}

// Needed reports whether the character of s at byte at does not show and is yet
// one that a name may need: a joiner, or a selector of a sign's or an
// ideograph's look, where writing has it.
func Needed(s string, at int) bool {
	r, n := utf8.DecodeRuneInString(s[at:])
	i := find(r)
	if i < 0 {
		return false
	}
	switch inQuestion[i].kind {
	case joins, selects, supplies:
		return judge(s, at, r, n) == fine
	}
	return false
}

// spot is where something was seen: its line, and the whole in words.
type spot struct {
	line int
	at   string
}

// position is the line and the column at which what follows text begins, both
// from 1; columns count characters. Lines end with LF, CRLF or a lone CR.
func position(text string) (line, column int) {
	line = 1 + strings.Count(text, "\n") + strings.Count(text, "\r") - strings.Count(text, "\r\n")
	return line, 1 + utf8.RuneCountInString(text[strings.LastIndexAny(text, "\r\n")+1:])
}

// tale is what there is to say of one document: at most one finding of each
// check.
type tale struct {
	origin            ext.Origin
	refused, doubtful told
	lines             map[onLine]bool // what was seen; nil: not wanted
	but               map[onLine]bool // what is not told
}

// onLine is what does not show in a text that is on a line.
type onLine struct {
	line   int
	hidden string
}

type told struct {
	sighting
	where spot
	what  string // the first, in words
}

// add adds what was seen in one text.
func (t *tale) add(seen *sightings, text string, where func(at int) spot) {
	for _, x := range []struct {
		to   *told
		from *sighting
	}{{&t.refused, &seen.refused}, {&t.doubtful, &seen.doubtful}} {
		switch {
		case x.from.n == 0:
		case x.to.n == 0:
			x.to.sighting, x.to.where, x.to.what = *x.from, where(x.from.at), describe(text, x.from.at)
		default:
			x.to.n += x.from.n
			for _, r := range x.from.kinds {
				x.to.note(r)
			}
		}
	}
}

// missing takes from another tale what this one does not tell.
func (t *tale) missing(from *tale) {
	if t.refused.n == 0 {
		t.refused = from.refused
	}
	if t.doubtful.n == 0 {
		t.doubtful = from.doubtful
	}
}

// node adds the keys and texts of a node; name is the nearest key above it.
func (t *tale) node(d *ext.Doc, name string) {
	if d.Kind == ext.String {
		t.text(d.Text, d.Line, func() string {
			if name == "" {
				return "its text"
			}
			return "the value of " + ext.Quote(ext.Shorten(name, 60))
		})
	}
	for i := range d.List {
		t.node(&d.List[i], name)
	}
	for i := range d.Map {
		p := &d.Map[i]
		t.text(p.Key, p.Line, func() string { return "the key " + ext.Quote(ext.Shorten(p.Key, 60)) })
		t.node(&p.Value, p.Key)
	}
}

func (t *tale) text(s string, line int, what func() string) {
	seen := lookAt(s)
	if seen.refused.n+seen.doubtful.n == 0 {
		return
	}
	line = max(line, t.origin.Line, 1)
	here := onLine{line, hiddenOf(s)}
	if t.lines != nil {
		t.lines[here] = true
	}
	if t.but[here] {
		return
	}
	t.add(&seen, s, func(at int) spot {
		return spot{line, fmt.Sprintf("character %d of %s", 1+utf8.RuneCountInString(s[:at]), what())}
	})
}

func (t *tale) findings() ext.Findings {
	var out ext.Findings
	if t.refused.n > 0 {
		out.Add(t.refused.finding(t.origin, Hidden))
	}
	if t.doubtful.n > 0 {
		out.Add(t.doubtful.finding(t.origin, ZeroWidth))
	}
	return out
}

func (w *told) finding(o ext.Origin, c *ext.Check) ext.Finding {
	more := ""
	if w.n > 1 {
		more = fmt.Sprintf("; %d more", w.n-1)
	}
	if len(w.kinds) > 1 {
		points := make([]string, len(w.kinds))
		for i, r := range w.kinds {
			points[i] = fmt.Sprintf("%U", r)
		}
		more += ", in all " + strings.Join(points, ", ")
		if w.further {
			more += ", …"
		}
	}
	return c.At(o.At(o.Path, w.where.line), "%s: %s%s", w.where.at, w.what, more)
}

package discover

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Checks on text that a person does not see and an agent reads.
var (
	TextHidden = &ext.Check{
		Code: "text-hidden", Severity: ext.Error,
		Doc: "A document holds characters that a person does not see, or sees in another order than an agent reads them: Unicode tags, or controls of the direction of text. What it declares is refused.",
		Fix: "Remove the characters that the message names. Where you did not write them, find out who did.",
	}
	TextZeroWidth = &ext.Check{
		Code: "text-zero-width", Severity: ext.Warning,
		Doc: "A document holds characters without a width, where no script or emoji needs them: two words that look alike may differ by one.",
		Fix: "Remove the characters that the message names.",
	}
)

// spot is where something was seen: its line, and the whole in words.
type spot struct {
	line int
	at   string
}

// hidden tells of text that does not show in a file as read. Its bytes say
// exactly where it is; its strings say what an escape sequence stands for.
func hidden(o ext.Origin, c *source.Content) ext.Findings {
	if c.Lost || c.Findings.Failed() { // nothing of it is used
		return nil
	}
	data := bytes.TrimPrefix(c.Data, []byte("\ufeff"))
	text := unsafe.String(unsafe.SliceData(data), len(data)) // nobody writes to what was read
	seen := lookAt(text)
	t := tale{origin: o}
	t.add(&seen, text, func(at int) spot {
		line, column := position(text[:at])
		return spot{line, fmt.Sprintf("line %d, column %d", line, column)}
	})
	if strings.IndexByte(text, '\\') >= 0 {
		escaped := tale{origin: o}
		escaped.node(&c.Doc, "")
		t.missing(&escaped)
	}
	return t.findings()
}

// hiddenIn is hidden for a node that a format has read already.
func hiddenIn(o ext.Origin, d *ext.Doc) ext.Findings {
	t := tale{origin: o}
	t.node(d, "")
	return t.findings()
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
	t.add(&seen, s, func(at int) spot {
		return spot{line, fmt.Sprintf("character %d of %s", 1+utf8.RuneCountInString(s[:at]), what())}
	})
}

func (t *tale) findings() ext.Findings {
	var out ext.Findings
	if t.refused.n > 0 {
		out.Add(t.refused.finding(t.origin, TextHidden))
	}
	if t.doubtful.n > 0 {
		out.Add(t.doubtful.finding(t.origin, TextZeroWidth))
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

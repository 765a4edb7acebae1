package cli

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// promptDoc is the JSON document of session --prompt. The text of its lines, with
// line feeds between them, is its text.
type promptDoc struct {
	Adopted  bool           `json:"adopted"` // false: it is what adoption would give
	Digest   string         `json:"digest"`
	Boundary string         `json:"boundary"`
	Text     string         `json:"text"`
	Lines    []promptLine   `json:"lines"`
	LeftOut  []session.Item `json:"left_out"`
	Limits   promptLimits   `json:"limits"`
}

// promptLine is one line and where it comes from. A note, and the empty line
// between two parts, are of no file.
type promptLine struct {
	Text      string       `json:"text"`
	Kind      session.Kind `json:"kind"`
	Layer     string       `json:"layer"`               // whose it is; a fence is Mortise's
	Extension string       `json:"extension,omitempty"` // whose text it is or is around
	Qualified string       `json:"qualified,omitempty"` // the fragment, likewise
	Path      string       `json:"path,omitempty"`
	Line      int          `json:"line,omitempty"`
}

// promptLimits are how many characters of extensions there may be.
type promptLimits struct {
	Extension int `json:"extension"`
	Session   int `json:"session"`
}

// sessionPrompt shows the text that an agent begins with and where each line of
// it comes from.
func (c *call) sessionPrompt(g *host.Generation) error {
	s := g.Session(true)
	v := s.View()
	lines := s.Lines(v.Boundary)
	if c.json {
		d := promptDoc{
			Adopted: g.Adopted, Digest: v.Digest, Boundary: v.Boundary, Text: v.Text, Lines: make([]promptLine, len(lines)),
			LeftOut: v.LeftOut, Limits: promptLimits{session.ExtensionText, session.SessionText},
		}
		for i := range lines {
			d.Lines[i] = promptLineOf(&lines[i])
		}
		return c.document(d)
	}
	c.page(g.Config).lines(g, lines, v.LeftOut)
	return nil
}

func promptLineOf(l *session.Line) promptLine {
	out := promptLine{Text: l.Text, Kind: l.Kind, Layer: session.Mortise.String()}
	if f := l.Of; f != nil {
		out.Extension, out.Qualified = string(f.Extension), f.Qualified
		if l.Kind == session.Said {
			out.Layer, out.Path, out.Line = f.Layer.String(), f.Origin.Path, l.Line
		}
	}
	return out
}

// lines shows the lines of a text, each with its layer and its place in the
// margin.
func (p *page) lines(g *host.Generation, lines []session.Line, left []session.Item) {
	p.head(g)
	p.given(g)
	r := rootsOf(g.Listing(), p.call)
	if len(lines) > 0 {
		p.gap()
	}
	var t table
	for i := range lines {
		l := promptLineOf(&lines[i])
		whose, place := l.Layer, string(l.Kind)
		switch l.Kind {
		case session.Gap:
			whose, place = "", ""
		case session.Said:
			place = r.at(p.call, l.Extension, "", l.Path, l.Line)
		}
		t.row(cell{whose, p.dim}, cell{place, p.dim}, cell{p.dim("│") + after(" ", ext.EscapeText(l.Text)), nil})
	}
	t.full(p)
	p.leftOut(left, r)
}

// leftOut shows the fragments that there is no room for, and what took it.
func (p *page) leftOut(items []session.Item, r roots) {
	if len(items) == 0 {
		return
	}
	p.gap()
	p.line("%s", p.bold("Left out"))
	var t table
	for _, it := range items {
		t.row(cell{it.Layer, nil}, cell{it.Tier, nil}, cell{ext.Escape(it.Qualified), p.bold}, cell{sizes(it.Catalogue), nil},
			cell{lacking(it.LeftOut), nil}, cell{r.at(p.call, it.Extension, "", it.Path, it.Line), p.dim})
	}
	t.write(p)
}

// lacking says what room there is not.
func lacking(by session.Bound) string {
	if by == session.ByExtension {
		return "more than " + grouped(session.ExtensionText) + " of one extension"
	}
	return "more than " + grouped(session.SessionText) + " of all"
}

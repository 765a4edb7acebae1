package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
)

// Bounds of what a server may say of itself.
const (
	maxPages   = 1000
	maxEntries = 10_000
	maxBytes   = 8 << 20
)

// Description is what a server says of itself: one JSON document whose parts
// are the bytes that the server sent. It has the keys protocolVersion,
// capabilities, serverInfo, instructions, tools, prompts, resources,
// resourceTemplates, and notes, which is a list of what was odd, in our words;
// what is empty is left out.
type Description struct{ JSON json.RawMessage }

// counts is how many of what a server offers.
type counts struct{ tools, prompts, resources int }

// list is one list that a server may offer.
type list struct {
	key        string // in the result, and in the description
	method     string
	capability string
	named      string // the member that tells entries apart
}

// lists are asked for in this order.
func lists() []list {
	return []list{
		{"tools", "tools/list", "tools", "name"},
		{"prompts", "prompts/list", "prompts", "name"},
		{"resources", "resources/list", "resources", "uri"},
		{"resourceTemplates", "resources/templates/list", "resources", "uriTemplate"},
	}
}

// description grows while a server is asked.
type description struct {
	conn    *conn
	doc     []byte
	notes   []string
	entries int
	bytes   int
	counts  counts
	err     error // why its tools could not be listed
}

// describe asks a server for all that it declares to offer. A list that fails
// is a note. The error is the end of the connection or of ctx.
func describe(ctx context.Context, c *conn, h *hello) (*description, error) {
	d := &description{conn: c}
	for _, key := range []string{"protocolVersion", "capabilities", "serverInfo", "instructions"} {
		if raw := h.parts[key]; raw != nil {
			d.add(key, raw)
		}
	}
	for _, l := range lists() {
		if h.capabilities[l.capability] == nil {
			continue
		}
		items, err := d.drain(ctx, l)
		if err != nil && (ctx.Err() != nil || c.reason() != nil) {
			return nil, fmt.Errorf("ask it for %s: %w", l.key, err)
		}
		if err != nil {
			d.fault(l, err)
		}
		d.count(l, len(items))
		d.addList(l.key, items)
	}
	d.finish()
	return d, nil
}

func (d *description) fault(l list, err error) {
	var e *Error
	if errors.As(err, &e) && l.key != "tools" && e.code() == methodNotFound {
		d.note("it declares %s and has no %s", l.capability, l.method)
		return
	}
	d.note("%s failed: %v", l.method, err)
	if l.key == "tools" {
		d.err = fmt.Errorf("list its tools: %w", err)
	}
}

func (d *description) note(format string, args ...any) {
	d.notes = append(d.notes, d.conn.log.shown(fmt.Sprintf(format, args...)))
}

func (d *description) count(l list, n int) {
	switch l.key {
	case "tools":
		d.counts.tools = n
	case "prompts":
		d.counts.prompts = n
	default:
		d.counts.resources += n
	}
}

// drain follows a list to its end, or to a bound. What came before an error is
// kept.
func (d *description) drain(ctx context.Context, l list) ([][]byte, error) {
	var all [][]byte
	seen, cursors := map[string]bool{}, map[string]bool{}
	twice, nameless := 0, 0
	defer func() {
		if twice > 0 {
			d.note("%s: %d entries with a %s that was there already were dropped", l.method, twice, l.named)
		}
		if nameless > 0 {
			d.note("%s: %d entries without a %s were dropped", l.method, nameless, l.named)
		}
	}()
	params := []byte(`{}`)
	for page := 1; ; page++ {
		items, next, err := d.page(ctx, l, params)
		if err != nil {
			return all, err
		}
		for _, item := range items {
			name, ok := nameOf(item, l.named)
			switch {
			case !ok:
				nameless++
			case seen[name]:
				twice++
			case !d.room(item):
				d.note("%s: more than %d entries or %d MiB in all; what followed was left out", l.method, maxEntries, maxBytes>>20)
				return all, nil
			default:
				seen[name] = true
				all = append(all, item)
			}
		}
		cursor, more := text(next)
		switch {
		case !more:
			return all, nil
		case cursors[cursor]:
			d.note("%s: the cursor %s came twice; the list was read no further", l.method, ext.Quote(ext.Shorten(cursor, 80)))
			return all, nil
		case page == maxPages:
			d.note("%s: it has more than %d pages; what followed was left out", l.method, maxPages)
			return all, nil
		}
		cursors[cursor] = true
		params = fmt.Appendf(nil, `{"cursor":%s}`, next)
	}
}

// page asks for one page.
func (d *description) page(ctx context.Context, l list, params []byte) (items [][]byte, next []byte, err error) {
	raw, err := d.conn.ask(ctx, l.method, params, false)
	if err != nil {
		return nil, nil, err
	}
	parts, err := members(raw, l.key, "nextCursor")
	if err != nil || parts[l.key] == nil {
		return nil, nil, fmt.Errorf("the answer has no %s", l.key)
	}
	if items, err = elements(parts[l.key]); err != nil {
		return nil, nil, fmt.Errorf("%s in the answer is no list", l.key)
	}
	return items, parts["nextCursor"], nil
}

func nameOf(item []byte, member string) (string, bool) {
	parts, err := members(item, member)
	if err != nil {
		return "", false
	}
	return text(parts[member])
}

// room reports whether one entry more may be kept.
func (d *description) room(item []byte) bool {
	d.entries++
	d.bytes += len(item)
	return d.entries <= maxEntries && d.bytes <= maxBytes
}

func (d *description) add(key string, raw []byte) {
	if len(d.doc) == 0 {
		d.doc = append(d.doc, '{')
	} else {
		d.doc = append(d.doc, ',')
	}
	d.doc = append(append(append(d.doc, quoted(key)...), ':'), raw...)
}

func (d *description) addList(key string, items [][]byte) {
	if len(items) == 0 {
		return
	}
	raw := []byte{'['}
	for i, item := range items {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(raw, item...)
	}
	d.add(key, append(raw, ']'))
}

func (d *description) finish() {
	notes := make([][]byte, len(d.notes))
	for i, n := range d.notes {
		notes[i] = quoted(n)
	}
	d.addList("notes", notes)
	d.doc = append(d.doc, '}')
}

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Bounds of what a server may say of itself.
const (
	maxPages   = 1000
	maxEntries = 10_000
	maxBytes   = 8 << 20      // of what is kept
	maxRead    = 4 * maxBytes // of one list, with what is not kept
	maxCursor  = 64 << 10
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
	marks   marks // of tools that want arguments in headers
	ttl     time.Duration
}

// describe asks a server for all that it declares to offer. A list that fails
// is a note. The error is the end of the connection or of ctx.
func describe(ctx context.Context, c *conn, h *hello) (*description, error) {
	d := &description{conn: c, marks: marks{}, ttl: h.ttl}
	for _, key := range greeting() {
		if raw := h.parts[key]; raw != nil {
			d.bytes += len(raw)
			d.add(key, raw)
		}
	}
	for _, n := range h.notes {
		d.note("%s", n)
	}
	for _, l := range lists() {
		if !h.offers[l.capability] {
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
	c.marks.Store(&d.marks)
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
	in := intake{description: d, list: l, seen: map[string]bool{}, cursors: map[string]bool{}}
	defer in.told()
	params := []byte(`{}`)
	for {
		p, err := d.page(ctx, l, params)
		if err != nil || !in.take(p) {
			return in.all, err
		}
		params = fmt.Appendf(nil, `{"cursor":%s}`, p.next)
	}
}

// page is one page of a list: parts of the message that it came in, which is
// not kept.
type page struct {
	items [][]byte
	more  bool   // items were left
	next  []byte // the cursor, as sent
	size  int    // of the message
	ttl   time.Duration
}

// page asks for one page.
func (d *description) page(ctx context.Context, l list, params []byte) (page, error) {
	a := d.conn.answer(ctx, l.method, params, false)
	if a.err != nil {
		return page{}, a.err
	}
	parts, err := rpc.Members(a.result, l.key, "nextCursor", "ttlMs")
	if err != nil || parts[l.key] == nil {
		return page{}, fmt.Errorf("the answer has no %s", l.key)
	}
	items, err := rpc.Elements(parts[l.key], maxEntries)
	if err != nil && !errors.Is(err, rpc.ErrTooMany) {
		return page{}, fmt.Errorf("%s in the answer is no list", l.key)
	}
	return page{items: items, more: err != nil, next: parts["nextCursor"], size: a.size, ttl: duration(parts["ttlMs"])}, nil
}

// intake is one list while its pages come in.
type intake struct {
	*description
	list
	all      [][]byte
	seen     map[string]bool
	cursors  map[string]bool
	twice    int
	nameless int
	pages    int
	read     int // bytes
}

// take takes in a page. It reports whether another one is wanted; where a
// bound forbids that it says so.
func (in *intake) take(p page) bool {
	in.pages++
	in.read += p.size
	if p.ttl > 0 && (in.ttl == 0 || p.ttl < in.ttl) {
		in.ttl = p.ttl
	}
	if !in.keep(p.items) || p.more {
		in.note("%s: more than %d entries or %d MiB in all; what followed was left out", in.method, maxEntries, maxBytes>>20)
		return false
	}
	if len(p.next) > maxCursor {
		in.note("%s: a cursor is longer than %d KiB; the list was read no further", in.method, maxCursor>>10)
		return false
	}
	cursor, more := rpc.Text(p.next)
	switch {
	case !more:
		return false
	case in.cursors[cursor]:
		in.note("%s: the cursor %s came twice; the list was read no further", in.method, ext.Quote(ext.Shorten(cursor, 80)))
		return false
	case in.pages == maxPages:
		in.note("%s: it has more than %d pages; what followed was left out", in.method, maxPages)
		return false
	case in.read > maxRead:
		in.note("%s: its pages are more than %d MiB; what followed was left out", in.method, maxRead>>20)
		return false
	}
	in.cursors[cursor] = true
	return true
}

// keep copies the entries of a page. It reports false when there is no room
// for all of them.
func (in *intake) keep(items [][]byte) bool {
	for _, item := range items {
		name, ok := nameOf(item, in.named)
		switch {
		case !ok:
			in.nameless++
		case in.seen[name]:
			in.twice++
		case in.key == "tools" && !in.mark(name, item):
		case !in.room(item):
			return false
		default:
			in.seen[name] = true
			in.all = append(in.all, clone(item))
		}
	}
	return true
}

// mark remembers which arguments of a tool are said again in headers. It reports
// false for a tool that cannot be called for these over HTTP.
func (in *intake) mark(name string, tool []byte) bool {
	if !in.conn.modern.Load() || in.conn.wire.process() != nil || !mayMark(tool) {
		return true
	}
	all, err := marksOf(tool)
	if err != nil {
		in.note("%s: the tool %s was dropped: %v", in.method, ext.Quote(ext.Shorten(name, 80)), err)
		return false
	}
	if all != nil {
		in.marks[name] = all
	}
	return true
}

// told notes what was dropped.
func (in *intake) told() {
	if in.twice > 0 {
		in.note("%s: %d entries with a %s that was there already were dropped", in.method, in.twice, in.named)
	}
	if in.nameless > 0 {
		in.note("%s: %d entries without a %s were dropped", in.method, in.nameless, in.named)
	}
}

func nameOf(item []byte, member string) (string, bool) {
	parts, err := rpc.Members(item, member)
	if err != nil {
		return "", false
	}
	return rpc.Text(parts[member])
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
	d.doc = append(append(append(d.doc, rpc.Quote(key)...), ':'), raw...)
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
		notes[i] = rpc.Quote(n)
	}
	d.addList("notes", notes)
	d.doc = append(d.doc, '}')
}

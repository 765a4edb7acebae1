package tools

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// Catalogue is a tool catalogue as read. It is not changed; With makes another. The
// zero value is one without entries, as is one whose file is not there.
type Catalogue struct {
	Version  int          // of the file; 0 where there is none
	Entries  []Entry      // in the order of the file
	Refused  []Refused    // in the order of the file
	Findings ext.Findings // about the file as a whole, and about entries that are kept

	origin ext.Origin
	top    ext.Doc   // the file without its entries
	parts  []element // every element of "tools", in the order of the file
}

// Refused is an element of the list of tools that is no entry.
type Refused struct {
	Line     int
	Name     string // as far as it can be read; else ""
	Findings ext.Findings
}

// element is one element of the list of tools.
type element struct {
	raw   []byte
	line  int
	doc   ext.Doc // the zero Doc where it could not be read
	entry int     // which of the entries it is; -1 for none
}

// Broken is the error that a catalogue cannot be read at all.
type Broken struct{ Finding ext.Finding }

// Error says where and what.
func (b *Broken) Error() string {
	return "read the tool catalogue " + b.Finding.Origin.String() + ": " + b.Finding.Message
}

// Load reads the catalogue of the repository at the root of fsys. One that is not there
// is empty. What is wrong with the whole of it is a *Broken.
func Load(fsys fs.FS, o ext.Origin) (*Catalogue, error) {
	o = o.At(Path, 0)
	f, err := fsys.Open(Path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Catalogue{origin: o}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the tool catalogue: %w", err)
	}
	defer f.Close()
	data, err := readAtMost(f, MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("read the tool catalogue: %w", err)
	}
	return Read(o, data)
}

// Read reads a catalogue; o is the file, at its Path. Each entry is read for itself. What
// is wrong with the whole of it is a *Broken.
func Read(o ext.Origin, data []byte) (*Catalogue, error) {
	c := &Catalogue{origin: o}
	if len(data) > MaxBytes {
		return nil, broken(o, 0, "the file has more than %d bytes", MaxBytes)
	}
	body, found := doc.Text(o, data)
	if found.Failed() {
		return nil, failed(found)
	}
	from, to, err := c.split(body)
	if err != nil {
		return nil, err
	}
	top, faults := doc.JSON(o, without(body, from, to))
	if faults.Failed() {
		return nil, failed(faults)
	}
	c.Findings.Add(found...)
	c.top = top
	if err := c.head(from); err != nil {
		return nil, err
	}
	c.read()
	return c, nil
}

// split finds the elements of the list of tools, each for itself, and where the list
// lies in the file; from is -1 where there is none.
func (c *Catalogue) split(body []byte) (from, to int, err error) {
	s := splitting{dec: jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true)), body: body, line: 1}
	from, to, err = s.top()
	if err == nil {
		c.parts = s.parts
		return from, to, nil
	}
	if errors.Is(err, errMany) {
		return 0, 0, broken(c.origin, 0, "there are more than %d entries", MaxEntries)
	}
	// The reader says better what is wrong, and where.
	if d, found := doc.JSON(c.origin, body); found.Failed() {
		return 0, 0, failed(found)
	} else if d.Kind != ext.Map {
		return 0, 0, broken(c.origin, d.Line, "the file holds %s; an object was expected", d.Kind)
	}
	return 0, 0, broken(c.origin, 0, "%s", ext.Escape(err.Error()))
}

var (
	errMany   = errors.New("too many entries")
	errObject = errors.New("no object")
)

// splitting goes through a catalogue once.
type splitting struct {
	dec      *jsontext.Decoder
	body     []byte
	at, line int // body[at] is on this line
	parts    []element
}

// top goes through the keys of the file. Of two lists of tools the reader of the rest
// tells.
func (s *splitting) top() (from, to int, err error) {
	if s.dec.PeekKind() != jsontext.KindBeginObject {
		return -1, 0, errObject
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return -1, 0, err
	}
	from = -1
	for s.dec.PeekKind() != jsontext.KindEndObject {
		name, err := s.dec.ReadToken()
		if err != nil {
			return -1, 0, err
		}
		if name.String() != "tools" || from >= 0 || s.dec.PeekKind() != jsontext.KindBeginArray {
			if err := s.dec.SkipValue(); err != nil {
				return -1, 0, err
			}
			continue
		}
		if from, to, err = s.list(); err != nil {
			return -1, 0, err
		}
	}
	return from, to, nil
}

// list takes the elements of the list apart. from and to are within its brackets.
func (s *splitting) list() (from, to int, err error) {
	if _, err = s.dec.ReadToken(); err != nil {
		return -1, 0, err
	}
	from = int(s.dec.InputOffset())
	for s.dec.PeekKind() != jsontext.KindEndArray {
		raw, err := s.dec.ReadValue()
		if err != nil {
			return -1, 0, err
		}
		if len(s.parts) == MaxEntries {
			return -1, 0, errMany
		}
		end := int(s.dec.InputOffset())
		start := end - len(raw)
		s.line += breaks(s.body[s.at:start])
		s.at = start
		s.parts = append(s.parts, element{raw: s.body[start:end:end], line: s.line, entry: -1})
	}
	if _, err = s.dec.ReadToken(); err != nil {
		return -1, 0, err
	}
	return from, int(s.dec.InputOffset()) - 1, nil
}

// breaks counts line ends: LF, CRLF and lone CR.
func breaks(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if cr := bytes.Count(data, []byte("\r")); cr > 0 {
		n += cr - bytes.Count(data, []byte("\r\n"))
	}
	return n
}

// without is body with blanks for a part of it, but for its line ends.
func without(body []byte, from, to int) []byte {
	if from < 0 {
		return body
	}
	out := bytes.Clone(body)
	for i, c := range out[from:to] {
		if c != '\n' && c != '\r' {
			out[from+i] = ' '
		}
	}
	return out
}

// head reads what is about the file as a whole.
func (c *Catalogue) head(from int) error {
	c.Version = 1
	if v := c.top.Get("schema_version"); v != nil {
		n, ok := whole(v)
		if !ok {
			return broken(c.origin, v.Line, "\"schema_version\" is %s; a whole number was expected", shown(v))
		}
		if n > Version {
			return broken(c.origin, v.Line, "\"schema_version\" is %d, which is newer than this program knows; it reads up to %d", n, Version)
		}
		c.Version = n
	}
	tools := c.top.Get("tools")
	switch {
	case tools == nil:
		return nil // as one without entries
	case from < 0:
		return broken(c.origin, tools.Line, "\"tools\" is %s; a list was expected", tools.Kind)
	}
	return nil
}

// whole is the number that d is, where it is a whole one.
func whole(d *ext.Doc) (int, bool) {
	if d.Kind != ext.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(d.Text, 64)
	if err != nil || f != float64(int(f)) || f < -1e9 || f > 1e9 {
		return 0, false
	}
	return int(f), true
}

// shown is a node in a message.
func shown(d *ext.Doc) string {
	if d.Kind == ext.Number {
		return ext.Escape(ext.Shorten(d.Text, 40))
	}
	return d.Kind.String()
}

func broken(o ext.Origin, line int, format string, args ...any) error {
	return &Broken{File.At(o.At(o.Path, line), format, args...)}
}

// failed is the first error among findings.
func failed(found ext.Findings) error {
	for _, f := range found {
		if f.Check.Severity >= ext.Error {
			return &Broken{f}
		}
	}
	panic("tools: nothing failed")
}

// retired are the fields of version 1 that are no more.
var retired = []string{"version", "license", "container_image", "headless"}

// read reads the elements.
func (c *Catalogue) read() {
	read := make([]Entry, len(c.parts))
	found := make([]ext.Findings, len(c.parts))
	last := map[Key]int{} // which element counts: the latest, as for names
	var r doc.JSONReader
	old := 0 // entries with retired fields
	for i := range c.parts {
		var stripped int
		read[i], found[i], stripped = c.element(&r, &c.parts[i])
		old += stripped
		if !found[i].Failed() {
			last[read[i].Key()] = i
		}
	}
	for i := range c.parts {
		p, e := &c.parts[i], &read[i]
		if at, ok := last[e.Key()]; ok && at != i && !found[i].Failed() {
			found[i].Add(Twice.At(c.origin.At(c.origin.Path, p.line), "%s is here and on line %d, which counts since it is later", quoted(e.Key().String()), c.parts[at].line))
		}
		if found[i].Failed() {
			c.Refused = append(c.Refused, Refused{p.line, e.Name, found[i]})
			continue
		}
		p.entry = len(c.Entries)
		c.Entries = append(c.Entries, *e)
	}
	if old > 0 {
		c.Findings.Add(Retired.At(c.origin, "of %d entries the fields that version 2 has no more are not read: %s", old, strings.Join(retired, ", ")))
	}
	c.clashes()
}

// element reads one element, and is 1 where retired fields were left out.
func (c *Catalogue) element(r *doc.JSONReader, p *element) (e Entry, found ext.Findings, stripped int) {
	d, found := r.Read(c.origin, p.raw, string(p.raw))
	shift(&d, p.line-1)
	for i := range found {
		found[i].Origin.Line += p.line - 1
	}
	if found.Failed() {
		return e, found, 0
	}
	p.doc = d
	if c.Version < Version {
		stripped = strip(&p.doc)
	}
	e, more := Decode(c.origin, p.doc)
	return e, append(found, more...), stripped
}

// clashes tells of names that several entries have.
func (c *Catalogue) clashes() {
	first := map[string]*Entry{}
	for i := range c.Entries {
		e := &c.Entries[i]
		f := first[e.Name]
		if f == nil {
			first[e.Name] = e
			continue
		}
		c.Findings.Add(Clash.At(c.origin.At(c.origin.Path, e.Line), "%s is here for %s, and on line %d for %s",
			quoted(e.Name), quoted(e.Purpose), f.Line, quoted(f.Purpose)))
	}
}

// Empty tells of a directory of tools that holds something, such as the files of names,
// where the catalogue has nothing. Files whose names begin with a dot do not count.
func (c *Catalogue) Empty(dir string, names []string) ext.Findings {
	if len(c.parts) > 0 {
		return nil
	}
	for _, name := range names {
		if !strings.HasPrefix(name, ".") {
			return ext.Findings{Unlisted.At(c.origin, "%s holds %s, and the catalogue has no entries", quoted(dir), quoted(name))}
		}
	}
	return nil
}

// strip takes retired fields away, and is 1 where there were any.
func strip(d *ext.Doc) int {
	kept := d.Map[:0:0]
	for _, p := range d.Map {
		if !isRetired(p.Key) {
			kept = append(kept, p)
		}
	}
	if len(kept) == len(d.Map) {
		return 0
	}
	d.Map, d.Raw = kept, nil
	return 1
}

func isRetired(key string) bool {
	for _, r := range retired {
		if r == key {
			return true
		}
	}
	return false
}

// shift moves a node and all below it down by so many lines.
func shift(d *ext.Doc, by int) {
	if by == 0 {
		return
	}
	d.Line += by
	for i := range d.List {
		shift(&d.List[i], by)
	}
	for i := range d.Map {
		d.Map[i].Line += by
		shift(&d.Map[i].Value, by)
	}
}

package host

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// An index file is a magic word, the key it is kept under, a table of strings,
// numbers that refer to it, and a checksum over all of that. One list of
// fields serves writing and reading, so that they cannot disagree.

const magic = "mortise index 4\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// code goes over the fields of a part, writing or reading each.
type code struct {
	reading bool
	bad     bool
	buf     []byte            // numbers: written so far, or left to read
	known   map[string]uint64 // writing: positions in the table
	table   []string
}

func encodePart(p *part, key ext.Digest) []byte {
	c := &code{known: map[string]uint64{}}
	c.part(p)
	out := append([]byte(magic), key[:]...)
	out = binary.AppendUvarint(out, uint64(len(c.table)))
	for _, s := range c.table {
		out = binary.AppendUvarint(out, uint64(len(s)))
	}
	for _, s := range c.table {
		out = append(out, s...)
	}
	out = append(out, c.buf...)
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// decodePart reads what encodePart wrote. ok is false for anything else.
func decodePart(data []byte, key ext.Digest, p *part) (stamps []root.Stamp, ok bool) {
	head := len(magic) + len(key)
	if len(data) < head+4 || string(data[:len(magic)]) != magic || [32]byte(data[len(magic):head]) != key {
		return nil, false
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		return nil, false
	}
	c := &code{reading: true, buf: body[head:]}
	if !c.strings() {
		return nil, false
	}
	c.part(p)
	return p.stamps, !c.bad && len(c.buf) == 0
}

// strings reads the table: all lengths, then all text.
func (c *code) strings() bool {
	n := c.number(0)
	if c.bad || n > uint64(len(c.buf)) {
		return false
	}
	lengths := make([]uint64, n)
	total := uint64(0)
	for i := range lengths {
		lengths[i] = c.number(0)
		total += lengths[i]
		if c.bad || lengths[i] > uint64(len(c.buf)) {
			return false
		}
	}
	if total > uint64(len(c.buf)) {
		return false
	}
	text := string(c.buf[:total])
	c.buf = c.buf[total:]
	c.table = make([]string, n)
	for i, l := range lengths {
		c.table[i], text = text[:l], text[l:]
	}
	return true
}

func (c *code) number(v uint64) uint64 {
	if !c.reading {
		c.buf = binary.AppendUvarint(c.buf, v)
		return v
	}
	v, n := binary.Uvarint(c.buf)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.buf = c.buf[n:]
	return v
}

func (c *code) text(s *string) {
	if c.reading {
		if i := c.number(0); i < uint64(len(c.table)) {
			*s = c.table[i]
		} else {
			c.bad = true
		}
		return
	}
	i, ok := c.known[*s]
	if !ok {
		i = uint64(len(c.table))
		c.known[*s] = i
		c.table = append(c.table, *s)
	}
	c.number(i)
}

func (c *code) int(n *int) {
	v := int64(c.number(uint64(int64(*n)<<1 ^ int64(*n)>>63)))
	*n = int(int64(uint64(v)>>1) ^ -(v & 1))
}

func (c *code) flag(b *bool) {
	v := uint64(0)
	if *b {
		v = 1
	}
	*b = c.number(v) == 1
}

// size is the length of a list; least is the fewest bytes that one element
// takes, so that a length which cannot be true makes no room.
func (c *code) size(n, least int) int {
	v := c.number(uint64(n))
	if c.reading && v > uint64(len(c.buf)/least) {
		c.bad = true
		return 0
	}
	return int(v)
}

func list[T any](c *code, items *[]T, least int, each func(*T)) {
	n := c.size(len(*items), least)
	if c.reading {
		*items = make([]T, n)
	}
	for i := range *items {
		if each(&(*items)[i]); c.bad {
			return
		}
	}
}

func (c *code) part(p *part) {
	c.text(&p.Digest)
	c.flag(&p.costed)
	for _, n := range []*int{&p.Found, &p.Admitted, &p.Refused, &p.Disabled, &p.Pending, &p.UnknownFormat} {
		c.int(n)
	}
	list(c, &p.Extensions, 10, c.extension)
	list(c, &p.Entries, 10, c.entry)
	list(c, &p.Findings, 10, c.finding)
	list(c, &p.stamps, 8, c.stamp)
}

func (c *code) extension(r *ExtensionRow) {
	for _, s := range []*string{&r.Name, &r.Format, &r.Source, &r.Trust, &r.Root, &r.Digest, &r.Status} {
		c.text(s)
	}
	c.int(&r.Entries)
	c.int(&r.Incomplete)
	c.flag(&r.Quarantined)
}

func (c *code) entry(r *EntryRow) {
	for _, s := range []*string{&r.Surface, &r.Name, &r.Qualified, &r.Extension, &r.Path, &r.Status, &r.ShadowedBy, &r.Description, &r.Root} {
		c.text(s)
	}
	for _, n := range []*int{&r.Line, &r.Cost.Catalogue.Characters, &r.Cost.Catalogue.Tokens, &r.Cost.Body.Characters, &r.Cost.Body.Tokens} {
		c.int(n)
	}
}

func (c *code) finding(r *FindingRow) {
	for _, s := range []*string{&r.Severity, &r.Code, &r.Message, &r.Extension, &r.Path, &r.Fix, &r.Root, &r.Field, &r.Want} {
		c.text(s)
	}
	c.int(&r.Line)
}

func (c *code) stamp(s *root.Stamp) {
	c.text(&s.Path)
	s.Kind = root.Kind(c.number(uint64(s.Kind)))
	s.Dev, s.Ino = c.number(s.Dev), c.number(s.Ino)
	s.Size, s.Mtime, s.Ctime = int64(c.number(uint64(s.Size))), int64(c.number(uint64(s.Mtime))), int64(c.number(uint64(s.Ctime)))
	c.flag(&s.Coarse)
}

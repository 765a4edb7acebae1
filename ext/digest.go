package ext

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
)

// Digest is a SHA-256. The zero value is "none".
type Digest [sha256.Size]byte

var (
	_ encoding.TextMarshaler   = Digest{}
	_ encoding.TextUnmarshaler = (*Digest)(nil)
)

// Sum is the digest of data.
func Sum(data []byte) Digest { return sha256.Sum256(data) }

// String is "sha256:" and 64 hexadecimal digits, or "" for the zero value.
func (d Digest) String() string {
	if d == (Digest{}) {
		return ""
	}
	return "sha256:" + hex.EncodeToString(d[:])
}

// Short is the first twelve hexadecimal digits, for people.
func (d Digest) Short() string { return hex.EncodeToString(d[:6]) }

// MarshalText is String.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what String writes.
func (d *Digest) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*d = Digest{}
		return nil
	}
	text, ok := strings.CutPrefix(string(b), "sha256:")
	if !ok || len(text) != 2*len(d) {
		return fmt.Errorf("%s is not sha256: and %d hexadecimal digits", Quote(Shorten(string(b), 80)), 2*len(d))
	}
	_, err := hex.Decode(d[:], []byte(text))
	return err
}

// Hash makes a digest of a sequence of fields. Text and bytes are preceded by
// their length, digests have one length, and numbers end by themselves, so that
// two different sequences of the same kinds of fields never hash alike: who
// hashes a list hashes its length first. Make one with NewHash.
type Hash struct {
	h   hash.Hash
	buf []byte
}

// NewHash begins a digest. The label says what is hashed, so that digests of
// different things never agree by accident.
func NewHash(label string) *Hash {
	h := &Hash{h: sha256.New()}
	return h.Text(label)
}

// Text adds text fields.
func (h *Hash) Text(fields ...string) *Hash {
	for _, f := range fields {
		h.buf = binary.AppendUvarint(h.buf, uint64(len(f)))
		for ; len(f) > chunk; f = f[chunk:] { // a long text is not held twice
			h.buf = append(h.buf, f[:chunk]...)
			h.flush(0)
		}
		h.buf = append(h.buf, f...)
		h.flush(512)
	}
	return h
}

// chunk is how much of a text is added at a time.
const chunk = 16 << 10

// Bytes adds one field.
func (h *Hash) Bytes(f []byte) *Hash {
	h.buf = binary.AppendUvarint(h.buf, uint64(len(f)))
	h.flush(0)
	h.h.Write(f)
	return h
}

// Digest adds the digests of parts.
func (h *Hash) Digest(ds ...Digest) *Hash {
	for _, d := range ds {
		h.buf = append(h.buf, d[:]...)
		h.flush(512)
	}
	return h
}

// Int adds a number.
func (h *Hash) Int(n int) *Hash {
	h.buf = binary.AppendVarint(h.buf, int64(n))
	return h
}

// Sum is the digest of all that was added.
func (h *Hash) Sum() Digest {
	h.flush(0)
	var d Digest
	h.h.Sum(d[:0])
	return d
}

func (h *Hash) flush(over int) {
	if len(h.buf) > over {
		h.h.Write(h.buf)
		h.buf = h.buf[:0]
	}
}

package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// salt goes before everything that is hashed to hide it. It fills one block of
// SHA-256, and lengths go before values, so that no hashed text begins another.
type salt [sha256.BlockSize]byte

// hidden is the salted hash of t, in hexadecimal.
func hidden[T string | []byte](s *salt, t T) string {
	var b [sha256.BlockSize + 8 + 1024]byte // on the stack: most values are short
	if len(t) > len(b)-len(s)-8 {
		h := s.new()
		h.add(string(t))
		return h.sum()
	}
	n := copy(b[:], s[:])
	binary.BigEndian.PutUint64(b[n:], uint64(len(t)))
	n += 8
	n += copy(b[n:], t)
	sum := sha256.Sum256(b[:n])
	var digits [2 * sha256.Size]byte
	hex.Encode(digits[:], sum[:])
	return string(digits[:])
}

// salted is a hash of several texts.
type salted struct{ h hash.Hash }

func (s *salt) new() salted {
	h := sha256.New()
	h.Write(s[:])
	return salted{h}
}

func (h salted) add(t string) {
	h.h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(t))))
	h.h.Write([]byte(t))
}

func (h salted) sum() string { return hex.EncodeToString(h.h.Sum(nil)) }

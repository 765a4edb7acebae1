package session

import (
	"encoding/base32"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Instructions is the text an agent begins with: Mortise's and the owner's own
// as they are, then that of extensions and of servers, each fenced by two lines
// that say whose it is and hold a boundary that no text can know. Make a new
// boundary, which must not be "", for each session.
//
// Of the foreign text there is no more than ExtensionText and SessionText. What
// is more is left out, whole fragments at a time, and said to be.
func (s *Session) Instructions(boundary string) string {
	lines := s.Lines(boundary)
	n := len(lines)
	for i := range lines {
		n += len(lines[i].Text)
	}
	var b strings.Builder
	b.Grow(n)
	for i := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(lines[i].Text)
	}
	return b.String()
}

// Boundary is a boundary for a text that is shown, or handed on without an agent
// that asks for it. It follows from all texts of the session, so that the same
// session is shown with the same one, and none of its texts can hold it.
func (s *Session) Boundary() string {
	h := ext.NewHash("boundary").Digest(s.Digest)
	for i := range s.Prompt {
		h.Text(s.Prompt[i].Qualified, s.Prompt[i].Value.Text)
	}
	sum := h.Sum()
	return base32.StdEncoding.EncodeToString(sum[:])[:boundaryLength]
}

package rpc

import (
	"fmt"
	"strings"
)

// Locate is where the named members of the object raw lie in it: what is to be
// replaced there is replaced by Splice. A name that is repeated, be it in other letter
// cases, is an error; members that are null are left out.
func Locate(raw []byte, names ...string) (map[string]Span, error) {
	s := scanner{b: raw}
	out, seen := make(map[string]Span, len(names)), map[string]bool{}
	s.space()
	err := s.object(func(key []byte) error {
		var at Span
		if err := s.note(&at); err != nil {
			return err
		}
		for _, n := range names {
			switch {
			case !strings.EqualFold(n, string(key)):
			case seen[n] || n != string(key):
				return errRepeated
			default:
				if seen[n] = true; raw[at.From] != 'n' {
					out[n] = at
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	return out, nil
}

package rpc

import "fmt"

// Locate is where the named members of the object raw lie in it, as Members has
// them: what is to be replaced there is replaced by Splice.
func Locate(raw []byte, names ...string) (map[string]Span, error) {
	s := scanner{b: raw}
	out := make(map[string]Span, len(names))
	s.space()
	err := s.object(func(key []byte) error {
		var at Span
		if err := s.note(&at); err != nil {
			return err
		}
		for _, n := range names {
			if n == string(key) && raw[at.From] != 'n' {
				out[n] = at
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	return out, nil
}

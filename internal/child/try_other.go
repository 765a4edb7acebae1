//go:build !unix

package child

// Try writes nothing: here a pipe cannot be written to without waiting.
func (i *input) Try([]byte) (int, error) { return 0, nil }

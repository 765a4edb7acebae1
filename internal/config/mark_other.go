//go:build !unix

package config

// mark: the system does not say, so a directory is known by its place alone.
func mark(string) string { return "" }

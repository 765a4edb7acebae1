//go:build !linux

package watch

// remote is not known here.
func remote(string) string { return "" }

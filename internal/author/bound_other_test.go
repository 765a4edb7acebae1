//go:build !linux

package author_test

func bound([]string) {}

package ext

import "strings"

// Bare reports whether a name can stand in a command that somebody is told to run, as
// it is: a shell would read every other one otherwise.
func Bare(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_.:/-", r))
	})
}

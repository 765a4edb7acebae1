package ext

import (
	"fmt"
	"strings"
)

// MaxName is the longest extension name, in bytes.
const MaxName = 64

// Name is the name of an extension: 1 to 64 of a-z, 0-9, '-' and '.', with an
// alphanumeric first and last character and neither "--" nor ".." (Agent
// Plugins 1.0.0, section 5). Make one with ParseName.
type Name string

// Reserved names belong to the host itself; no plugin can take them.
var Reserved = []Name{OwnerName, BuiltinName, MonorepoName}

const (
	// OwnerName is the extension of what a workspace's owner wrote.
	OwnerName Name = "owner"
	// BuiltinName is the extension compiled into the program.
	BuiltinName Name = "mortise"
	// MonorepoName is the extension of what a design monorepo declares.
	MonorepoName Name = "monorepo"
)

// ParseName checks s against the rule for extension names. The error says
// which part of the rule s breaks.
func ParseName(s string) (Name, error) {
	switch {
	case s == "":
		return "", fmt.Errorf("a name is empty")
	case len(s) > MaxName:
		return "", fmt.Errorf("name %s is %d characters long, at most %d are allowed", Quote(Shorten(s, 40)), len(s), MaxName)
	case strings.Contains(s, "--"), strings.Contains(s, ".."):
		return "", fmt.Errorf("name %s holds %q or %q", Quote(s), "--", "..")
	}
	for i := range len(s) {
		c := s[i]
		alnum := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if alnum {
			continue
		}
		if c != '-' && c != '.' {
			return "", fmt.Errorf("name %s holds %s; only a-z, 0-9, '-' and '.' are allowed", Quote(s), Quote(firstRune(s[i:])))
		}
		if i == 0 || i == len(s)-1 {
			return "", fmt.Errorf("name %s does not begin and end with a letter or a digit", Quote(s))
		}
	}
	return Name(s), nil
}

func firstRune(s string) string {
	for i := range s {
		if i > 0 {
			return s[:i]
		}
	}
	return s
}

// Qualified is the full name of an entry: "extension:entry".
func Qualified(x Name, entry string) string { return string(x) + ":" + entry }

// SplitQualified takes "extension:entry" apart at the first colon. ok is false
// when s holds no colon or what stands before it is no extension name.
func SplitQualified(s string) (x Name, entry string, ok bool) {
	before, after, found := strings.Cut(s, ":")
	if !found || after == "" {
		return "", "", false
	}
	x, err := ParseName(before)
	return x, after, err == nil
}

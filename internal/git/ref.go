package git

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

var (
	commitRE = pattern.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	abbrevRE = pattern.New(`^[0-9a-f]{7,63}$`)
)

// IsCommit reports whether text is the whole hash of a commit, in small letters.
func IsCommit(text string) bool { return commitRE.MatchString(text) }

// checkRef says what keeps a reference from being one, by git's own rules and ours.
func checkRef(ref string) error {
	bad := func(what string) error {
		return fmt.Errorf("the reference %s %s; write a branch, a tag or a commit", ext.Quote(ext.Shorten(ref, 100)), what)
	}
	switch {
	case ref == "" || len(ref) > 255:
		return bad("is empty or too long")
	case strings.HasPrefix(ref, "-"):
		return bad("begins with -, which git takes for an option")
	case strings.ContainsAny(ref, "~^:?*[\\ ") || strings.ContainsFunc(ref, ext.Hidden):
		return bad("holds a character that no reference has")
	case strings.Contains(ref, ".."), strings.Contains(ref, "@{"), strings.Contains(ref, "//"),
		strings.HasPrefix(ref, "/"), strings.HasSuffix(ref, "/"), strings.HasSuffix(ref, "."), strings.HasSuffix(ref, ".lock"), ref == "@":
		return bad("is none that git takes")
	}
	for part := range strings.SplitSeq(ref, "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "-") {
			return bad("has a part that begins with a dot or a dash")
		}
	}
	return nil
}

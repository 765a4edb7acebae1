package colony

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Identity is who makes a commit.
type Identity struct{ Name, Email string }

// Principal is on whose behalf something is committed.
type Principal struct {
	// Label is "user", "colony" or "agent", or any other; "" is "colony".
	Label string
	Name  string // of a user
	Email string // of a user
	Agent string // the agent's id
	Role  string // of an agent; "" is "agent"
	// Colony and Domain are of the manifest. No domain is Domain.
	Colony, Domain string
}

// Identity is who makes the commits of a principal. What git could not say in a commit as
// it is written is refused.
func (p Principal) Identity() (Identity, error) {
	domain := cmp.Or(p.Domain, Domain)
	if p.Label == "user" {
		if p.Name == "" || p.Email == "" {
			return Identity{}, fmt.Errorf("a user has a name and an address, and one of them is missing")
		}
		return sound(Identity{strings.Trim(p.Name, crud), p.Email})
	}
	if err := plain("colony", p.Colony); err != nil {
		return Identity{}, err
	}
	switch label := cmp.Or(p.Label, "colony"); label {
	case "colony":
		return sound(Identity{"colony:" + p.Colony, p.Colony + "@" + domain})
	case "agent":
		if err := plain("agent", p.Agent); err != nil {
			return Identity{}, err
		}
		return sound(Identity{"agent:" + p.Agent + ":" + cmp.Or(p.Role, "agent"), p.Agent + "@" + p.Colony + "." + domain})
	default:
		if err := plain("label", label); err != nil {
			return Identity{}, err
		}
		return sound(Identity{label + ":" + p.Colony, label + "@" + p.Colony + "." + domain})
	}
}

// plain refuses what cannot stand before the @ of an address.
func plain(what, s string) error {
	switch {
	case s == "":
		return fmt.Errorf("the %s has no name", what)
	case strings.ContainsAny(s, " @:,;\"<>()\\"):
		return fmt.Errorf("the %s %s has a character in its name that no address has", what, ext.Quote(ext.Shorten(s, 80)))
	}
	return nil
}

// crud is what git takes away at the ends of names and addresses.
const crud = " .,:;\"\\'"

// sound refuses what git would write otherwise than it is.
func sound(i Identity) (Identity, error) {
	const most = 250
	for _, of := range [][2]string{{"name", i.Name}, {"address", i.Email}} {
		what, s := of[0], of[1]
		switch {
		case len(s) > most:
			return Identity{}, fmt.Errorf("the %s %s has more than %d bytes", what, ext.Quote(ext.Shorten(s, 80)), most)
		case strings.ContainsAny(s, "<>") || strings.ContainsFunc(s, ext.Hidden) || strings.ToValidUTF8(s, "") != s:
			return Identity{}, fmt.Errorf("the %s %s holds what cannot stand in a commit", what, ext.Quote(ext.Shorten(s, 80)))
		case strings.Trim(s, crud) != s:
			return Identity{}, fmt.Errorf("the %s %s begins or ends with a character that git takes away there", what, ext.Quote(ext.Shorten(s, 80)))
		}
	}
	return i, nil
}

// WithCoAuthor is the message of a commit with a line that names who made it too. Nobody
// changes nothing.
func WithCoAuthor(message string, who *Identity) string {
	if who == nil {
		return message
	}
	return strings.TrimRight(message, "\n") + fmt.Sprintf("\n\nCo-Authored-By: %s <%s>\n", who.Name, who.Email)
}

package market

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// withoutCredentials is an object with *** in place of what addresses in its texts
// would log in with, and tells of each such key. No message about what it
// returns, and nothing that is shown of it, can then give a secret away.
func withoutCredentials(d *ext.Doc, at ext.Origin, findings *ext.Findings) *ext.Doc {
	clean := *d
	clean.Map = slices.Clone(d.Map)
	for i := range clean.Map {
		p := &clean.Map[i]
		value, line := masked(&p.Value)
		if line > 0 {
			p.Value = value
			findings.Add(Credentials.At(at.At(at.Path, line), "%s holds an address with a password or a token in it", quoted(p.Key)))
		}
	}
	return &clean
}

// masked is a node without credentials, and the line of the first there were in
// it; 0 where there were none.
func masked(d *ext.Doc) (clean ext.Doc, line int) {
	clean = *d
	found := func(at int) { line = cmp.Or(line, max(at, 1)) }
	if d.Kind == ext.String {
		var had bool
		if clean.Text, had = mask(d.Text); had {
			found(d.Line)
		}
		return clean, line
	}
	clean.List, clean.Map = slices.Clone(d.List), slices.Clone(d.Map)
	for i := range clean.List {
		if v, at := masked(&clean.List[i]); at > 0 {
			clean.List[i] = v
			found(at)
		}
	}
	for i := range clean.Map {
		if v, at := masked(&clean.Map[i].Value); at > 0 {
			clean.Map[i].Value = v
			found(at)
		}
	}
	return clean, line
}

// loginRE is the part of an address that says who logs in.
var loginRE = pattern.New(`([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\s]*)@`)

// mask puts *** in place of what addresses in a text would log in with.
func mask(text string) (clean string, had bool) {
	begin, rest, address := strings.Cut(text, "://")
	if !address || !strings.Contains(rest, "@") {
		return text, false
	}
	clean = loginRE.ReplaceAllStringFunc(text, func(found string) string {
		part := loginRE.FindStringSubmatch(found)
		shown := login(part[1], part[2])
		had = had || shown != part[2]
		return part[1] + "://" + shown + "@"
	})
	if _, err := url.Parse(text); err != nil && !loginRE.MatchString(text) && !strings.ContainsAny(text, " \t\r\n") {
		return begin + "://***" + rest[strings.LastIndexByte(rest, '@'):], true // perhaps a password with a slash in it
	}
	return clean, had
}

// login is who an address of a scheme logs in as, without what is secret of it.
// On the web a name alone may be a token; elsewhere it is a name.
func login(scheme, is string) string {
	name, secret, two := strings.Cut(is, ":")
	switch web := strings.HasPrefix(strings.ToLower(scheme), "http"); {
	case two && stands(secret), !two && (!web || name == "git" || stands(name)):
		return is
	case web:
		return "***"
	}
	return name + ":***"
}

// stands reports whether a word only stands for a secret that is elsewhere.
func stands(word string) bool { return word == "" || strings.ContainsAny(word[:1], "$<{%*") }

package git

import (
	"fmt"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Pattern is what a rule about sources covers: a source and all that lies below it.
type Pattern struct {
	host string // "*" is every host, "*.HOST" all below one; "" is this machine's files
	path string // with slashes, without one at its beginning or end; "" is all
}

var patternRE = pattern.New(`^((?:\*\.)?[A-Za-z0-9_][A-Za-z0-9._-]*(?::[0-9]+)?)(?:/(.*))?$`)

// ParsePattern reads a pattern as a person writes it: HOST, *.HOST, HOST/PATH, an absolute
// directory, or * for everything. It covers what has that identity, however its address is
// spelled.
func ParsePattern(text string) (Pattern, error) {
	if text == "*" {
		return Pattern{host: "*"}, nil
	}
	if IsPath(text) && path.IsAbs(text) {
		return Pattern{path: strings.Trim(path.Clean(text), "/")}, nil
	}
	m := patternRE.FindStringSubmatch(strings.TrimSuffix(text, "/"))
	if m == nil {
		return Pattern{}, ext.AsUsage(fmt.Errorf("%s is no source; write HOST, *.HOST, HOST/PATH, an absolute directory or *, such as github.com/acme", ext.Quote(ext.Shorten(text, 100))))
	}
	p := Pattern{host: strings.TrimSuffix(strings.ToLower(m[1]), ":443"), path: strings.Trim(m[2], "/")} // as identities have it
	if p.path == "" || strings.HasPrefix(p.host, "*.") {
		if name, other := otherNames[p.host]; other {
			p.host = name
		}
		return p, nil
	}
	s, ref, err := Parse("https://"+p.host+"/"+p.path, Allow{})
	if err != nil || ref != "" {
		return Pattern{}, ext.AsUsage(fmt.Errorf("%s is no source that there can be", ext.Quote(ext.Shorten(text, 100))))
	}
	p.host, p.path, _ = strings.Cut(s.Identity(), "/")
	return p, nil
}

// Covers reports whether a pattern covers the source of an identity (Source.Identity).
func (p Pattern) Covers(identity string) bool { return p.covers(identity, false) }

// CoversFolded is Covers without case, and of a pattern without a port at every port. Who
// forbids asks so, since too much is to be forbidden rather than too little.
func (p Pattern) CoversFolded(identity string) bool {
	return Pattern{strings.ToLower(p.host), strings.ToLower(p.path)}.covers(strings.ToLower(identity), true)
}

func (p Pattern) covers(identity string, anyPort bool) bool {
	host, below, _ := strings.Cut(identity, "/")
	if local, ok := strings.CutPrefix(identity, "file:///"); ok {
		host, below = "", local
	}
	if anyPort && !portRE.MatchString(p.host) {
		host = portRE.ReplaceAllString(host, "")
	}
	above, all := strings.CutPrefix(p.host, "*.")
	switch {
	case p.host == "*":
		return true
	case all && !strings.HasSuffix(host, "."+above), !all && host != p.host:
		return false
	}
	return p.path == "" || below == p.path || strings.HasPrefix(below, p.path+"/")
}

var portRE = pattern.New(`:[0-9]+$`)

package market

import (
	"net/url"
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
)

var (
	scpLike = pattern.New(`^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:[^:\s-][^\s:]*$`)
	repoRE  = pattern.New(`^[A-Za-z0-9_][\w.-]*/[A-Za-z0-9_.][\w.-]*$`)
	npmRE   = pattern.New(`^(@[A-Za-z0-9~][\w.~-]*/)?[A-Za-z0-9~][\w.~-]*$`)
	hexRE   = pattern.New(`^[0-9a-fA-F]+$`)
	refRE   = pattern.New(`^[^\s~^:?*\[\\]+$`)
)

// repository is the first of the forms of values: each says what a value must
// be, "" when it is that.
func repository(s string) string {
	if !repoRE.MatchString(s) || strings.HasSuffix(s, "/..") || strings.HasSuffix(s, "/.") {
		return "OWNER/NAME"
	}
	return ""
}

func below(s string) string {
	if _, ok := within(s); !ok {
		return "a path inside the repository"
	}
	return ""
}

func reference(s string) string {
	if !refRE.MatchString(s) || strings.Contains(s, "..") {
		return "a branch or a tag"
	}
	return ""
}

func commit(s string) string {
	if !hexRE.MatchString(s) || len(s) != 40 && len(s) != 64 {
		return "the 40 hexadecimal digits of a commit"
	}
	return ""
}

func npmPackage(s string) string {
	if !npmRE.MatchString(s) {
		return "the name of an npm package"
	}
	return ""
}

func web(s string) string {
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "an address that begins with https://"
	}
	return ""
}

func secure(s string) string {
	if !strings.HasPrefix(s, "https://") {
		return "an address that begins with https://"
	}
	return web(s)
}

func sha256Sum(s string) string {
	if !hexRE.MatchString(s) || len(s) != 64 {
		return "64 hexadecimal digits"
	}
	return ""
}

func copyOrLink(s string) string {
	if s != "copy" && s != "link" {
		return "copy or link"
	}
	return ""
}

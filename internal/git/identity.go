package git

import (
	"net/url"
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
)

// foldingHosts are hosts on which the case of a path does not count.
var foldingHosts = map[string]bool{
	"github.com": true, "gitlab.com": true, "bitbucket.org": true, "codeberg.org": true, "dev.azure.com": true, "gitea.com": true,
}

// otherNames are names, some with a port, under which a host serves the same
// repositories.
var otherNames = map[string]string{
	"www.github.com": "github.com", "ssh.github.com:443": "github.com", "ssh.github.com": "github.com",
	"www.gitlab.com": "gitlab.com", "altssh.gitlab.com:443": "gitlab.com",
	"www.bitbucket.org": "bitbucket.org", "altssh.bitbucket.org:443": "bitbucket.org",
}

// Identity is what the source is, however it was spelled and however it is reached:
// HOST/PATH, with a port that is not the usual one, without .git; or file:///PATH.
// It leaves out who logs in, and whether a path of ssh begins at a home or at the
// root: on hosts for repositories that is one place. The case of a path counts, but
// where the host is known not to look at it.
func (s Source) Identity() string {
	if s.scheme == "file" {
		return "file://" + strings.TrimSuffix(s.path, "/.git")
	}
	host := s.host
	if s.port != "" {
		host += ":" + s.port
	}
	if name, other := otherNames[host]; other {
		host = name
	}
	p := strings.TrimPrefix(s.path, "/")
	p = strings.TrimSuffix(strings.TrimSuffix(p, ".git"), "/")
	if foldingHosts[host] {
		p = strings.ToLower(strings.TrimSuffix(p, ".git"))
	}
	return host + "/" + p
}

// Folded is Identity without case. Who forbids sources compares by it, since many
// hosts do not look at the case of a path; who allows them compares by Identity.
func (s Source) Folded() string { return strings.ToLower(s.Identity()) }

// Local reports whether the source is a path of this machine.
func (s Source) Local() bool { return s.scheme == "file" }

// Path is that path; "" for all else.
func (s Source) Path() string {
	if !s.Local() {
		return ""
	}
	return s.path
}

// String is the address that git is given. It holds no secret, and Parse reads it.
func (s Source) String() string {
	switch {
	case s.path == "":
		return ""
	case s.Local():
		return (&url.URL{Scheme: "file", Path: s.path}).String()
	case s.scheme == "ssh" && !strings.HasPrefix(s.path, "/"): // below a home: no URL says it
		return s.login() + s.host + ":" + s.path
	}
	host := s.host
	if s.port != "" {
		host += ":" + s.port
	}
	u := url.URL{Scheme: s.scheme, Host: host, Path: s.path}
	return u.Scheme + "://" + s.login() + u.Host + strings.ReplaceAll(u.EscapedPath(), "@", "%40") // which would begin a reference
}

func (s Source) login() string {
	if s.user == "" {
		return ""
	}
	return s.user + "@"
}

// addresses are the ways to reach the source, the first that should be tried first:
// as it was written; with .git, where some hosts answer the address without it by
// sending elsewhere; and, of what was written as OWNER/REPO, by ssh.
func (s Source) addresses() []Source {
	all := []Source{s}
	if s.scheme == "https" || s.scheme == "http" {
		if !strings.HasSuffix(s.path, ".git") {
			git := s
			git.path += ".git"
			all = append(all, git)
		}
	}
	if s.short {
		all = append(all, Source{scheme: "ssh", user: "git", host: s.host, path: strings.TrimSuffix(s.path, ".git") + ".git"})
	}
	return all
}

var secretRE = pattern.New(`://[^/?#\s]*@`)

// hide takes from an address who logs in with it.
func hide(text string) string { return secretRE.ReplaceAllString(text, "://***@") }

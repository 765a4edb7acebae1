package market

import (
	"cmp"
	"strings"
)

// SourceKind is a way to say where a plugin is got from.
type SourceKind string

// All kinds of sources. The zero value is a source that could not be read.
const (
	Relative  SourceKind = "relative"   // a path in the marketplace: Path
	Local     SourceKind = "local"      // the same, as Codex writes it: Path
	GitHub    SourceKind = "github"     // Repo, and Path, Ref, SHA
	URL       SourceKind = "url"        // a git repository: URL, and Path, Ref, SHA
	GitSubdir SourceKind = "git-subdir" // a directory of one: URL and Path, and Ref, SHA
	NPM       SourceKind = "npm"        // Package, and Version, Registry
	Archive   SourceKind = "archive"    // URL, and SHA256
	Command   SourceKind = "command"    // Command, and Timeout, Mode
)

// Source is where a plugin is got from, as its entry says it. Which fields there
// are depends on the kind.
type Source struct {
	Kind     SourceKind
	Path     string // as written, of Relative and Local without what the marketplace puts before it
	Repo     string // owner/name
	URL      string
	Ref      string
	SHA      string // the commit that is meant
	Package  string
	Version  string
	Registry string
	SHA256   string
	Command  []string // one word for each argument; a single one is a command line
	Timeout  string
	Mode     string // copy or link
}

// String is where the plugin is got from, for people. It is not escaped.
func (s Source) String() string {
	at := func(before, v string) string {
		if v == "" {
			return ""
		}
		return before + v
	}
	switch s.Kind {
	case Relative, Local:
		return s.Path
	case GitHub:
		return "github.com/" + s.Repo + at("/", s.Path) + at("@", cmp.Or(s.SHA, s.Ref))
	case URL, GitSubdir:
		return s.URL + at("#", s.Path) + at("@", cmp.Or(s.SHA, s.Ref))
	case NPM:
		return s.Package + at("@", s.Version) + at(" from ", s.Registry)
	case Archive:
		return s.URL
	case Command:
		return strings.Join(s.Command, " ")
	}
	return ""
}

// whereabouts is where an entry's plugin is, told the same however it is said.
func (e *Entry) whereabouts() string {
	s := e.Source
	if e.Place != nil && e.Place.Dir == "." {
		return "./"
	}
	if e.Place != nil {
		return "./" + e.Place.Dir
	}
	if s.Kind == GitHub {
		s.Kind, s.URL = URL, "https://github.com/"+strings.ToLower(s.Repo)
	}
	if s.Kind == URL || s.Kind == GitSubdir {
		s.Kind = URL
		s.URL = strings.TrimSuffix(strings.TrimSuffix(s.URL, "/"), ".git")
		if rest, ok := strings.CutPrefix(s.URL, "https://github.com/"); ok {
			s.URL = "https://github.com/" + strings.ToLower(rest)
		}
		if clean, ok := within(s.Path); ok {
			s.Path = clean
		}
	}
	return s.String()
}

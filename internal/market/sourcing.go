package market

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// sourceField is one key of a source's object.
type sourceField struct {
	key      string
	required bool
	into     func(*Source) *string
	form     func(string) string // what the value must be, "" when it is that
}

var (
	repoField   = sourceField{"repo", true, func(s *Source) *string { return &s.Repo }, repository}
	urlField    = sourceField{"url", true, func(s *Source) *string { return &s.URL }, nil} // looked at by itself
	pathField   = sourceField{"path", false, func(s *Source) *string { return &s.Path }, below}
	ownPath     = sourceField{"path", true, func(s *Source) *string { return &s.Path }, nil} // resolved in place
	subdirField = sourceField{"path", true, func(s *Source) *string { return &s.Path }, below}
	refField    = sourceField{"ref", false, func(s *Source) *string { return &s.Ref }, reference}
	shaField    = sourceField{"sha", false, func(s *Source) *string { return &s.SHA }, commit}
)

// sourceFields are the keys of each kind besides "source" itself. Relative is
// the one that is no object.
var sourceFields = map[SourceKind][]sourceField{
	Local:     {ownPath},
	GitHub:    {repoField, pathField, refField, shaField},
	URL:       {urlField, pathField, refField, shaField},
	GitSubdir: {urlField, subdirField, refField, shaField},
	NPM: {
		{"package", true, func(s *Source) *string { return &s.Package }, npmPackage},
		{"version", false, func(s *Source) *string { return &s.Version }, nil},
		{"registry", false, func(s *Source) *string { return &s.Registry }, web},
	},
	Archive: {
		{"url", true, func(s *Source) *string { return &s.URL }, secure},
		{"sha256", false, func(s *Source) *string { return &s.SHA256 }, sha256Sum},
	},
	Command: {
		{"timeout", false, func(s *Source) *string { return &s.Timeout }, nil},
		{"mode", false, func(s *Source) *string { return &s.Mode }, copyOrLink},
	},
}

// sourceWords are the kinds that an object may be of, in the order of messages.
var sourceWords = []string{string(GitHub), string(URL), string(GitSubdir), string(NPM), string(Archive), string(Command), string(Local)}

// sourcing reads the source of one entry.
type sourcing struct {
	entry      *Entry
	file       *File
	keys       keys // of the entry
	pluginRoot string
}

// read reads the source. inPlace: it is a path, and where it leads in the
// marketplace's directory.
func (s sourcing) read() (where string, inPlace bool) {
	v := s.keys.doc.Get("source")
	at := s.keys.line("source")
	switch {
	case v == nil:
		s.add(SourceKindUnknown.At(at, "key \"source\" is missing"))
	case v.Kind == ext.String:
		return s.relative(v.Text, at)
	case v.Kind == ext.Map:
		return s.object(v, at)
	default:
		s.add(SourceKindUnknown.At(at, "a source must be a path or an object, found %s", v.Kind))
	}
	return "", false
}

func (s sourcing) add(f ext.Finding) { s.entry.Findings.Add(f) }

// relative reads a source that is a string.
func (s sourcing) relative(text string, at ext.Origin) (where string, inPlace bool) {
	if strings.Contains(text, "://") || scpLike.MatchString(text) {
		s.add(SourceKindUnknown.At(at, "the source %s is an address; a string is a path", quoted(text)).
			With("Write {\"source\": \"url\", \"url\": …}."))
		return "", false
	}
	s.entry.Source = Source{Kind: Relative, Path: text}
	return s.inside(text, at)
}

// inside is where a path leads in the marketplace's directory.
func (s sourcing) inside(text string, at ext.Origin) (where string, ok bool) {
	p := text
	bare := text != "." && text != "./" && !strings.HasPrefix(text, "./")
	if bare && s.pluginRoot != "" {
		p = s.pluginRoot + "/" + text
	}
	clean, ok := within(p)
	if _, inside := within(text); ok && !inside { // pluginRoot stands before names, and makes none of a path that leads elsewhere
		p, ok = text, false
	}
	if text == "" || !ok {
		s.add(Outside.At(at, "the path %s leaves the marketplace's directory, or is no path", quoted(p)))
		return "", false
	}
	switch {
	case text == ".":
		s.add(SourcePrefix.At(at, "the source is \".\": the marketplace's directory itself is read").With("Write \"./\"."))
	case bare && s.pluginRoot == "" && s.file.Kind.prefixed():
		s.add(SourcePrefix.At(at, "the path %s lacks ./", quoted(text)))
	}
	return clean, true
}

// object reads a source that is an object.
func (s sourcing) object(v *ext.Doc, at ext.Origin) (where string, inPlace bool) {
	word := v.Word("source")
	kind := SourceKind(word)
	fields, known := sourceFields[kind]
	if !known {
		s.unknown(word, v, at)
		return "", false
	}
	src := &s.entry.Source
	src.Kind = kind
	if !s.file.Kind.understands(kind) {
		s.add(SourceForeign.At(at, "%s knows no source of kind %s; %s", s.file.Kind.client(), kind, others(kind)))
	}
	k := keys{doc: v, at: at, findings: s.keys.findings}
	whole := true
	for _, f := range fields {
		whole = s.field(k, f) && whole
	}
	if kind == Command {
		whole = s.command(k) && whole
	}
	k.strangers(keysOf(kind), "a source of kind "+string(kind))
	switch {
	case !whole:
		return "", false
	case kind == Local:
		return s.inside(src.Path, k.line("path"))
	case kind == URL || kind == GitSubdir:
		return s.address(k.line("url"))
	}
	return "", false
}

// keysOf are the keys that a source of a kind can have.
func keysOf(kind SourceKind) []string {
	known := []string{"source"}
	for _, f := range sourceFields[kind] {
		known = append(known, f.key)
	}
	if kind == Command {
		known = append(known, "command")
	}
	return known
}

// unknown tells of a kind that there is not.
func (s sourcing) unknown(word string, v *ext.Doc, at ext.Origin) {
	switch near := spelling.Nearest(word, sourceWords); {
	case v.Get("source") == nil:
		s.add(SourceKindUnknown.At(at, "the source does not say of which kind it is").With("Add \"source\": one of %s.", strings.Join(sourceWords, ", ")))
	case near != "":
		s.add(SourceKindUnknown.At(at, "there is no source of kind %s; did you mean %s?", quoted(word), near))
	default:
		s.add(SourceKindUnknown.At(at, "there is no source of kind %s", quoted(word)))
	}
}

// field reads one key of a source. ok is false when the source is of no use
// without.
func (s sourcing) field(k keys, f sourceField) (ok bool) {
	v := k.doc.Get(f.key)
	at := k.line(f.key)
	switch {
	case v == nil || v.Kind == ext.Null:
		if f.required {
			s.add(SourceField.At(at, "a source of kind %s needs %q", s.entry.Source.Kind, f.key))
		}
		return !f.required
	case v.Kind != ext.String && (v.Kind != ext.Number || f.form != nil):
		s.add(SourceField.At(at, "%q must be a string, found %s", f.key, v.Kind))
		return false
	case strings.HasPrefix(v.Text, "-"), strings.ContainsFunc(v.Text, ext.Hidden):
		s.add(SourceUnsafe.At(at, "%q is %s", f.key, quoted(v.Text)))
		return false
	}
	*f.into(&s.entry.Source) = v.Text
	if f.form == nil {
		return true
	}
	if wants := f.form(v.Text); wants != "" {
		s.add(SourceField.At(at, "%q must be %s, found %s", f.key, wants, quoted(v.Text)))
		return false
	}
	return true
}

// command reads what would be run: a command line, or a word for each argument.
func (s sourcing) command(k keys) (ok bool) {
	s.entry.Source.Command = k.strings("command")
	if len(s.entry.Source.Command) == 0 || s.entry.Source.Command[0] == "" {
		s.add(SourceField.At(k.line("command"), "a source of kind command needs \"command\": a string, or a list of strings"))
		return false
	}
	return true
}

// address looks at the address of a repository. One that is a path inside is
// read in place.
func (s sourcing) address(at ext.Origin) (where string, inPlace bool) {
	text := s.entry.Source.URL
	u, err := url.Parse(text)
	switch {
	case text == ".", strings.HasPrefix(text, "./"):
		s.add(SourceLocalURL.At(at, "the address %s is a path", quoted(text)))
		where, inPlace = within(path.Join(text, s.entry.Source.Path))
		if !inPlace {
			s.add(Outside.At(at, "the path %s leaves the marketplace's directory", quoted(text)))
		}
		return where, inPlace
	case scpLike.MatchString(text), repository(text) == "":
	case strings.HasPrefix(text, "."), strings.HasPrefix(text, "/"), strings.HasPrefix(text, "file:"):
		s.add(Outside.At(at, "the address %s is a path outside the marketplace's directory", quoted(text)))
	case strings.Contains(text, "::"):
		s.add(SourceUnsafe.At(at, "the address %s names a program to fetch it with", quoted(text)))
	case err != nil || u.Host == "" || !slices.Contains([]string{"https", "http", "ssh", "git", "git+ssh"}, u.Scheme):
		s.add(SourceField.At(at, "\"url\" must be the address of a git repository, found %s", quoted(text)))
	case strings.HasPrefix(u.Host, "-"), u.User != nil && strings.HasPrefix(u.User.Username(), "-"):
		s.add(SourceUnsafe.At(at, "the address is %s", quoted(text)))
	case u.Scheme == "http", u.Scheme == "git":
		s.add(SourcePlain.At(at, "the address is %s", quoted(text)))
	}
	return "", false
}

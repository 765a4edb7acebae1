package discover

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// refer looks up every path below the root that a document names, so that
// decoding, which opens nothing, can say what is missing. Where the extension
// is in use, what stands there counts as part of the document: code that
// changed, came or went is another declaration.
func (s *scan) refer(ctx context.Context, d *surface.Document) {
	h := ext.NewHash("references").Digest(d.Digest)
	walkText(&d.Doc, func(text string) {
		if p, ok := relative(text); ok {
			if d.Refs == nil {
				d.Refs = map[string]surface.Presence{}
			}
			d.Refs[text] = s.presence(p)
		}
		if !s.options.Enabled {
			return
		}
		if c, ok := s.codeOf(ctx, text); ok {
			h.Text(text).Digest(c)
			if d.Code == nil {
				d.Code = map[string]ext.Digest{}
			}
			d.Code[text] = c
		}
		if _, told := d.Refs[text]; !told && s.folder(text) {
			if d.Refs == nil {
				d.Refs = map[string]surface.Presence{}
			}
			d.Refs[text] = surface.Directory
		}
	})
	if s.options.Enabled {
		if p, ok := program(&d.Doc); ok {
			what := s.presence(p)
			h.Text("program", p).Int(int(what)).Digest(s.code(ctx, p, what))
		}
		d.Digest = h.Sum()
	}
	if s.over {
		d.Findings.Add(TooMuchCode.At(d.Origin, "what it names is more than %d MiB, %d files or %d words, or lies too deep", maxCode>>20, maxCodeFiles, maxWords))
	}
}

// program is the file of a program that a hook names. Unlike a word of a text it is the
// file of exactly that name, whatever the name looks like.
func program(d *ext.Doc) (string, bool) {
	ref := d.Get("ref")
	p := ref.Word("name")
	return p, ref.Word("driver") == surface.Program && fs.ValidPath(p)
}

// folder reports whether a word of a text is a directory below the root. It looks
// nothing up that was not looked up as code.
func (s *scan) folder(text string) (is bool) {
	named(text, s.base(), func(p string, _ bool) { is = is || s.words[p] == surface.Directory })
	return is
}

// beside looks up what the surface asks about, where the extension is in use.
func (s *scan) beside(d *surface.Document, spec *surface.Spec) {
	if !s.options.Enabled || len(spec.Beside) == 0 {
		return
	}
	d.Beside = make(map[string]surface.Presence, len(spec.Beside))
	for _, name := range spec.Beside {
		d.Beside[name] = s.presence(name)
	}
}

// codeOf is the digest of all that a text names below the root; not ok: it
// names nothing.
func (s *scan) codeOf(ctx context.Context, text string) (d ext.Digest, ok bool) {
	h := ext.NewHash("code")
	named(text, s.base(), func(p string, sure bool) {
		if ctx.Err() != nil || s.over {
			return
		}
		if !sure && path.Ext(p) == ".md" {
			return // prose that mentions prose
		}
		if _, known := s.words[p]; !known && len(s.words) >= maxWords {
			s.over = true
			return
		}
		if what := s.presence(p); what == surface.File || sure {
			ok = true
			h.Text(p).Int(int(what)).Digest(s.code(ctx, p, what))
		}
	})
	return h.Sum(), ok
}

// relative is the path below the root that text names, if it names one.
func relative(text string) (string, bool) {
	rest, ok := strings.CutPrefix(text, "./")
	if !ok {
		rest, ok = strings.CutPrefix(text, surface.RootVariable+"/")
	}
	if !ok || strings.Contains(rest, "${") || strings.ContainsRune(rest, 0) {
		return "", false
	}
	return path.Clean(strings.TrimLeft(rest, "/")), true
}

// base is the name of a folder of the workspace's own, as commands in it name it; ""
// for a directory whose name says nothing.
func (s *scan) base() string {
	if b := filepath.Base(s.tree.Root); strings.HasPrefix(b, ".") && len(b) > 1 {
		return b
	}
	return ""
}

// named visits the paths below the root that a text may name: the text itself,
// and each word of it, as a command line, a list of paths or an option has
// them. sure: it is written as a path below the root, and is not perhaps only a
// word. The root itself is none of them: it holds text, which may change.
//
// base is the name of the root's directory: a path to it from where the workspace is
// names what lies below it, too (".mortise/bin/x", "$PROJECT/.claude/hooks/x").
func named(text, base string, visit func(p string, sure bool)) {
	const longest = 4096 // no path is longer
	word := func(w string) {
		if at := strings.Index("/"+w, "/"+base+"/"); base != "" && at >= 0 && len(w) <= longest {
			if p := path.Clean(w[at+len(base)+1:]); p != "." && fs.ValidPath(p) {
				visit(p, false)
			}
		}
		rest, variable := strings.CutPrefix(w, surface.RootVariable)
		p := path.Clean(strings.TrimLeft(rest, "/"))
		if len(w) <= longest && p != "." && fs.ValidPath(p) {
			visit(p, variable || strings.HasPrefix(w, "./"))
		}
	}
	word(text)
	for w := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("\"'`:;,=&|<>()", c)
	}) {
		if w != text {
			word(w)
		}
	}
}

// presence looks a path up once.
func (s *scan) presence(p string) surface.Presence {
	if what, ok := s.words[p]; ok {
		return what
	}
	if s.words == nil {
		s.words = map[string]surface.Presence{}
	}
	s.words[p] = presence(s.tree.FS, p)
	return s.words[p]
}

func presence(fsys fs.FS, p string) surface.Presence {
	if !fs.ValidPath(p) {
		return surface.Outside
	}
	info, err := fs.Stat(fsys, p)
	switch {
	case errors.Is(err, root.ErrEscape):
		return surface.Outside
	case errors.Is(err, fs.ErrNotExist):
		return surface.Missing
	case err != nil:
		return surface.Unreadable
	case info.IsDir():
		return surface.Directory
	case info.Mode().IsRegular():
		return surface.File
	}
	return surface.Unreadable
}

func walkText(d *ext.Doc, visit func(string)) {
	if d.Kind == ext.String {
		visit(d.Text)
	}
	for i := range d.List {
		walkText(&d.List[i], visit)
	}
	for i := range d.Map {
		walkText(&d.Map[i].Value, visit)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	if len(m) == 0 { // nearly always
		return nil
	}
	return slices.Sorted(maps.Keys(m))
}

// AssetOutside is a link of a unit's own files that leads out of the extension.
var AssetOutside = &ext.Check{
	Code: "asset-outside", Severity: ext.Warning,
	Doc: "A file beside a document leads outside the extension through a link. It cannot be read.",
	Fix: "Put the file inside the extension.",
}

// TooMuchCode is code that is not compared whole.
var TooMuchCode = &ext.Check{
	Code: "limit-code", Severity: ext.Error,
	Doc: "The code that an extension's documents name is larger than what is compared when it changes. The extension is refused, since a change could not be seen.",
	Fix: "Name the file that is started instead of a directory, or split the extension.",
}

// Checks lists what reading can find.
var Checks = []*ext.Check{
	source.Escape, source.Dangling, source.Loop, source.LooksLikeLink, source.LinkForDocument, source.Followed, source.Moved,
	source.TooLarge, source.TooMany, source.TooDeep, source.WrongKind, source.Unreadable, source.Busy, source.Device, source.BadEnding,
	source.NearMiss, source.Flat, source.NoDocument, AssetOutside, TooMuchCode, NotDigested, TextHidden, TextZeroWidth,
}

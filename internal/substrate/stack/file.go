package stack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/spelling"
)

func lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// missing reports whether an error says that there is nothing: also a file stands where a
// directory would have to.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// reason is what an error of the system says without the path, which is told besides.
func reason(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

// The tags by which a value says that it is not merged.
const (
	tagReset    = "!reset"
	tagOverride = "!override"
)

// topLevel are the keys that a compose file may begin with; beside them there are those
// that begin with x-.
var topLevel = []string{"version", "name", "include", "services", "networks", "volumes", "configs", "secrets", "models"}

// read reads one file and checks what it is. ok: it can be merged.
func (s *Stack) read(f *File) (d ext.Doc, found ext.Findings, ok bool) {
	o := ext.Origin{Extension: f.Extension, Trust: f.Origin.Trust, Source: f.Origin.Source, Path: f.Shown}
	dir, err := root.Open(filepath.Dir(f.real), root.Options{})
	if err != nil {
		found.Add(FileFault.At(o, "the file cannot be read: %s", ext.Escape(reason(err))))
		return d, found, false
	}
	defer dir.Close()
	data, err := dir.ReadLimit(filepath.Base(f.real), doc.MaxYAML)
	if err != nil {
		found.Add(FileFault.At(o, "the file cannot be read: %s", ext.Escape(reason(err))))
		return d, found, false
	}
	d, found = doc.YAMLTagged(o, data, 1, tagReset, tagOverride)
	if found.Failed() {
		return d, found, false
	}
	found.Add(check(o, &d)...)
	return d, found, !found.Failed()
}

var serviceRE = regexp.MustCompile(`^[a-zA-Z0-9._-]+$`)

// check is what is wrong with the shape of one file.
func check(o ext.Origin, d *ext.Doc) ext.Findings {
	var found ext.Findings
	fault := func(line int, format string, args ...any) {
		found.Add(FileFault.At(o.At(o.Path, line), format, args...))
	}
	if d.Kind != ext.Map {
		fault(d.Line, "the file holds %s, expected a mapping with services", kindWord(d))
		return found
	}
	for _, p := range d.Map {
		switch {
		case strings.HasPrefix(p.Key, "x-"):
			continue
		case !known(p.Key):
			near := spelling.Nearest(p.Key, topLevel)
			if near != "" {
				near = "; did you mean " + near + "?"
			}
			fault(p.Line, "key %s has no meaning in a compose file%s", quoted(p.Key), near)
		case p.Key == "version" || p.Key == "name" || p.Key == "include":
			continue
		}
		section := untagged(&p.Value)
		if section.Kind != ext.Map && section.Kind != ext.Null && known(p.Key) {
			fault(p.Line, "%s is %s, expected a mapping of names", p.Key, kindWord(section))
			continue
		}
		for _, e := range section.Map {
			if p.Key != "services" {
				continue
			}
			if !serviceRE.MatchString(e.Key) {
				fault(e.Line, "the service %s has a name of other characters than letters, digits, '.', '_' and '-'", quoted(e.Key))
			}
			if v := untagged(&e.Value); v.Kind != ext.Map && v.Kind != ext.Null {
				fault(e.Line, "the service %s is %s, expected a mapping", quoted(e.Key), kindWord(v))
			}
		}
	}
	misplaced(d, fault)
	return found
}

func known(key string) bool {
	for _, k := range topLevel {
		if k == key {
			return true
		}
	}
	return false
}

// misplaced tells of tags where they mean nothing: at the file itself and in lists.
func misplaced(d *ext.Doc, fault func(line int, format string, args ...any)) {
	for i := range d.List {
		if tag := tagOf(&d.List[i]); tag != "" {
			fault(d.List[i].Line, "%s stands at an item of a list, where it means nothing; it goes before the list", tag)
		}
		misplaced(untagged(&d.List[i]), fault)
	}
	for i := range d.Map {
		misplaced(untagged(&d.Map[i].Value), fault)
	}
}

// tagOf is the tag that a value has; "" for none.
func tagOf(d *ext.Doc) string {
	if d.Kind == ext.Map && len(d.Map) == 1 && (d.Map[0].Key == tagReset || d.Map[0].Key == tagOverride) {
		return d.Map[0].Key
	}
	return ""
}

// untagged is a value without its tag.
func untagged(d *ext.Doc) *ext.Doc {
	for tagOf(d) != "" {
		d = &d.Map[0].Value
	}
	return d
}

func kindWord(d *ext.Doc) string {
	switch d.Kind {
	case ext.Null:
		return "empty"
	case ext.Map:
		return "a mapping"
	case ext.List:
		return "a list"
	}
	return "the value " + quoted(d.Text)
}

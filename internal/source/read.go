package source

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/root"
)

// Content is a file as read: its structure by the ending of its name.
type Content struct {
	Doc      ext.Doc // a Markdown file's front matter, else the whole content
	Body     string  // Markdown only
	BodyLine int
	Data     []byte
	Findings ext.Findings // an error means that Doc cannot be used
	// Lost: nothing was read; the findings say why, which for a link that leads
	// nowhere is a warning.
	Lost bool
	// Leads is where the file was read when links led outside the tree's
	// directory, "" when it was read inside.
	Leads string
}

// BadEnding is a document in a form that no reader knows.
var BadEnding = &ext.Check{
	Code: "file-form", Severity: ext.Error,
	Doc: "A document is in a form that is not read.",
	Fix: "Use Markdown, JSON, YAML or TOML, with the usual ending.",
}

// Read reads the file at o.Path. It opens it once and never more than the
// limit of it; what is wrong comes as findings at o. While a tree is laid out,
// what was read of it before is not read again.
func Read(fsys fs.FS, o ext.Origin, limits ext.Limits) Content { return ReadLax(fsys, o, limits, 0) }

// ReadLax is Read for a file of a client that takes more than JSON for JSON.
func ReadLax(fsys fs.FS, o ext.Origin, limits ext.Limits, lax doc.Lax) Content {
	if f, ok := fsys.(*once); ok {
		return f.content(o, limits, lax)
	}
	return read(fsys, o, limits, lax)
}

func read(fsys fs.FS, o ext.Origin, limits ext.Limits, lax doc.Lax) Content {
	data, leads, err := readFrom(fsys, o.Path, limits.FileBytes)
	if err != nil {
		return Content{Findings: ext.Findings{FaultOf(err, o)}, Lost: true}
	}
	c := parse(o, data, lax)
	c.Leads = leads
	target := strings.TrimSpace(string(data[:min(len(data), 512)]))
	switch {
	case len(data) >= 512 || !isPath(target):
	case !c.Findings.Failed():
		if c.Doc.Kind == ext.Null { // text alone: whatever reads it would take the path for what is meant
			c.Findings.Add(LooksLikeLink.At(o, "its only content is the path %s", ext.Quote(target)))
		}
	default: // what it is not says less than what it is
		c.Findings = ext.Findings{LinkForDocument.At(o, "its only content is the path %s", ext.Quote(target))}
	}
	return c
}

// Parse reads the structure of data by the ending of o.Path.
func Parse(o ext.Origin, data []byte) Content { return parse(o, data, 0) }

func parse(o ext.Origin, data []byte, lax doc.Lax) Content {
	c := Content{Data: data}
	switch path.Ext(o.Path) {
	case ".md", ".mdc":
		m := frontmatter.Read(o, data)
		c.Doc, c.Body, c.BodyLine, c.Findings = m.Front, m.Body, m.BodyLine, m.Findings
	case ".json":
		c.Doc, c.Findings = doc.JSONC(o, data, lax)
	case ".jsonc":
		c.Doc, c.Findings = doc.JSONC(o, data, doc.Comments|doc.Commas)
	case ".yaml", ".yml":
		c.Doc, c.Findings = doc.YAML(o, data, 1)
	case ".toml":
		c.Doc, c.Findings = doc.TOML(o, data)
	default:
		c.Findings.Add(BadEnding.At(o, "the ending %s is not one of .md, .json, .jsonc, .yaml, .toml", ext.Quote(path.Ext(o.Path))))
	}
	return c
}

// ReadBytes reads a regular file of at most limit bytes.
func ReadBytes(fsys fs.FS, name string, limit int64) ([]byte, error) {
	data, _, err := readFrom(fsys, name, limit)
	return data, err
}

// readFrom is ReadBytes, and says where outside the file lies, if it does.
func readFrom(fsys fs.FS, name string, limit int64) (data []byte, outside string, err error) {
	if r, ok := fsys.(interface {
		ReadFrom(name string, max int64) ([]byte, string, error)
	}); ok {
		return r.ReadFrom(name, limit)
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, "", err
	}
	data, err = io.ReadAll(io.LimitReader(f, limit+1))
	err = errors.Join(err, f.Close())
	if err == nil && int64(len(data)) > limit {
		err = tooLarge(name, int64(len(data)), limit)
	}
	return data, "", err
}

func tooLarge(name string, size, limit int64) error {
	return &root.TooLargeError{Name: name, Size: size, Max: limit}
}

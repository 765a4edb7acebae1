package tally

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/roots"
)

// listed is what Mortise lists of a repository, made ready to be asked about
// files. All paths are below the repository.
type listed struct {
	files      fs.FS
	extensions map[string]*extension // by directory
	entries    map[key][]host.EntryRow
	findings   map[string][]host.FindingRow // by file
}

// key is a file, as one that declares entries of a surface.
type key struct{ surface, file string }

// extension is an extension, or a directory of a format that is not read.
type extension struct {
	host.ExtensionRow
	unread    bool
	also      []string // further formats that it is laid out in
	unclaimed int      // skills that it tells, and that are not accounted for
	counted   bool     // the script counts its manifest
	findings  []host.FindingRow
}

func newListed(l *host.Listing, files fs.FS) *listed {
	out := &listed{files: files, extensions: map[string]*extension{}, entries: map[key][]host.EntryRow{}, findings: map[string][]host.FindingRow{}}
	for _, x := range l.Extensions {
		out.extensions[x.Root] = &extension{ExtensionRow: x}
	}
	for _, e := range l.Entries {
		k := key{e.Surface, path.Join(e.Root, e.Path)}
		out.entries[k] = append(out.entries[k], e)
	}
	for _, f := range l.Findings {
		if f.Code == source.Unknown.Code {
			out.extensions[f.Root] = &extension{ExtensionRow: host.ExtensionRow{Root: f.Root}, unread: true}
		}
	}
	for _, f := range l.Findings {
		if x := out.extensions[f.Root]; x != nil {
			out.finding(x, f)
		}
	}
	return out
}

func (l *listed) finding(x *extension, f host.FindingRow) {
	x.findings = append(x.findings, f)
	if f.Path != "" {
		file := path.Join(f.Root, f.Path)
		l.findings[file] = append(l.findings[file], f)
	}
	switch f.Code {
	case roots.Unclaimed.Code:
		n, _, _ := strings.Cut(f.Message, " ")
		x.unclaimed, _ = strconv.Atoi(n)
	case source.Several.Code:
		_, also, _ := strings.Cut(f.Message, "also laid out as ")
		x.also = strings.Split(also, ", ")
	}
}

// around is the innermost extension that a file lies in, nil for none.
func (l *listed) around(file string) *extension {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if x := l.extensions[dir]; x != nil || dir == "." {
			return x
		}
	}
}

// unread are the checks, besides errors, that say that what they name is not read.
var unread = []*ext.Check{source.NotRead, source.NearMiss, source.Flat, source.Dangling}

// tells is the check that says why a file of an extension is no entry: one that
// names it or a directory it lies in, or one for which the extension is refused.
func (x *extension) tells(file string) string {
	for _, f := range x.findings {
		where := path.Join(x.Root, f.Path)
		says := isError(f) || slices.ContainsFunc(unread, func(c *ext.Check) bool { return c.Code == f.Code })
		if says && f.Path != "" && (where == file || strings.HasPrefix(file, where+"/")) {
			return f.Code
		}
	}
	codes := errorCodes(x.findings)
	switch {
	case x.unread:
		return source.Unknown.Code
	case x.Status == refused && len(codes) > 0:
		return codes[0]
	}
	return ""
}

// errorCodes are the codes of the errors among findings, each once.
func errorCodes(fs []host.FindingRow) []string {
	codes := map[string]bool{}
	for _, f := range fs {
		if isError(f) {
			codes[f.Code] = true
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

func isError(f host.FindingRow) bool { return f.Severity == ext.Error.String() }

// recovered reports whether a file was read other than as it stands.
func (l *listed) recovered(file string) bool {
	return slices.ContainsFunc(l.findings[file], func(f host.FindingRow) bool { return recoveries[f.Code] })
}

// recoveries are the checks that tell what was at fault in a file, and how it was
// read all the same.
var recoveries = func() map[string]bool {
	m := map[string]bool{doc.BOM.Code: true}
	for _, c := range frontmatter.Checks {
		if c.Severity == ext.Warning {
			m[c.Code] = true
		}
	}
	return m
}()

// markers are the files by which a format is recognised; none for folders.
func markers(format string) []string {
	for i := range catalog.Formats {
		if catalog.Formats[i].Name == format {
			return catalog.Formats[i].Markers()
		}
	}
	return nil
}

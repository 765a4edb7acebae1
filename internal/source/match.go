package source

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Checks on what lies beside documents.
var (
	NearMiss = &ext.Check{
		Code: "name-near-miss", Severity: ext.Warning,
		Doc: "A file is named almost as a document must be, and is not read.",
		Fix: "Rename the file.",
	}
	Flat = &ext.Check{
		Code: "skill-flat", Severity: ext.Warning,
		Doc: "A file with a skill's front matter lies where directories are expected, and is not read.",
		Fix: "Give it a directory of its own: NAME/SKILL.md.",
	}
	NoDocument = &ext.Check{
		Code: "directory-without-document", Severity: ext.Info,
		Doc: "A directory among a surface's entries holds no document of it.",
		Fix: "Nothing, or add the document.",
	}
)

// Where says where a format keeps the documents of a surface, where that is
// not what the surface itself says.
type Where struct {
	Dir string // below the tree's root; canonical paths are the surface's all the same
	// Endings are what the names of documents end in, the longest first:
	// ".agent.md", ".md". None are the surface's own.
	Endings []string
	// Deep: entries that are directories may lie this many directories deep. What
	// begins with a dot is not looked into.
	Deep int
	// Shallow: of a surface whose files may lie in sub-directories, only those in
	// the directory itself are read.
	Shallow bool
	// Beside takes the files that have another ending. Nil: they are told.
	Beside func(file string)
}

// Into finds the documents of spec below the directory dir of the tree and adds
// their places and findings to it. dir may be another than the surface's own,
// where a format or a manifest puts it; canonical paths are the surface's. A
// directory that is missing is an empty one.
func Into(t *ext.Tree, spec *surface.Spec, dir string, env Env) {
	IntoAs(t, spec, Where{Dir: dir}, env)
}

// IntoAs is Into for documents that lie or are called as a format has it.
func IntoAs(t *ext.Tree, spec *surface.Spec, w Where, env Env) {
	m := matcher{t: t, spec: spec, limits: env.Limits, laying: LayingOf(t, env.Limits), dir: w.Dir, where: w, endings: w.Endings}
	if len(m.endings) == 0 {
		m.endings = []string{path.Ext(spec.Files)}
	}
	if !strings.Contains(spec.Files, "*") {
		m.single(path.Join(m.dir, spec.Files))
		return
	}
	entries, ok := m.list(m.dir)
	switch {
	case !ok:
	case spec.PerDirectory() && w.Deep > 0:
		before := len(t.Places)
		m.deep(m.dir, entries, 1)
		m.flatten(t.Places[before:])
	case spec.PerDirectory():
		for _, e := range entries {
			m.unit(e)
		}
	default:
		m.files(m.dir, entries, 0)
	}
}

type matcher struct {
	t       *ext.Tree
	spec    *surface.Spec
	limits  ext.Limits
	laying  *Laying
	dir     string
	where   Where
	endings []string
	way     []string // where the links on the way led
}

// canonical is the path in the canonical tree of what lies at name.
func (m *matcher) canonical(name string) string {
	if name == m.dir {
		return m.spec.Dir
	}
	rest := name
	if m.dir != "." {
		rest = strings.TrimPrefix(name, m.dir+"/")
	}
	if len(m.where.Endings) > 0 {
		rest = Canonical(rest, m.where.Endings, m.spec)
	}
	return path.Join(m.spec.Dir, rest)
}

// Canonical is a document's name with the surface's own ending in place of that
// of the endings which it has.
func Canonical(name string, endings []string, spec *surface.Spec) string {
	for _, ending := range endings {
		if bare, ok := strings.CutSuffix(name, ending); ok && path.Base(name) != ending {
			return bare + path.Ext(spec.Files)
		}
	}
	return name
}

func (m *matcher) add(name string) { m.place(ext.Place{File: name}) }

// fault adds a place without a document: the extension declares an entry here
// that cannot be read.
func (m *matcher) fault(name string, f ext.Finding) { m.place(ext.Place{File: name, Fault: &f}) }

func (m *matcher) place(p ext.Place) {
	if m.laying.Room(1, m.at(m.dir)) {
		p.Surface, p.Path = m.spec.Name, m.canonical(p.File)
		m.laying.Add(p)
	}
}

// read lists a directory, as far as there is anything left that may be looked at.
func (m *matcher) read(dir string) ([]fs.DirEntry, error) { return m.laying.List(dir, m.at(dir)) }

func (m *matcher) at(name string) ext.Origin { return m.t.Origin.At(name, 0) }

// single adds the one file a surface has.
func (m *matcher) single(name string) {
	typ, err := Type(m.t.FS, name)
	switch {
	case err == nil && typ.IsDir():
		m.fault(name, WrongKind.At(m.at(name), "expected a file, found a directory"))
	case err == nil:
		m.add(name)
	case !m.absent(name, err):
		m.fault(name, FaultOf(err, m.at(name)))
	}
}

// list reads a component's directory. Not ok: there is nothing to read, and
// what there is to say has been said.
func (m *matcher) list(dir string) ([]fs.DirEntry, bool) {
	entries, err := m.read(dir)
	if err == nil {
		return entries, true
	}
	if m.absent(dir, err) {
		return nil, false
	}
	if typ, statErr := Type(m.t.FS, dir); statErr == nil && !typ.IsDir() {
		m.fault(dir, WrongKind.At(m.at(dir), "expected a directory, found a file"))
		return nil, false
	}
	m.fault(dir, FaultOf(err, m.at(dir)))
	return nil, false
}

func (m *matcher) absent(name string, err error) bool { return Absent(m.t.FS, name, err) }

// kind is what an entry is once links are followed. err says why it is nothing.
func (m *matcher) kind(name string, e fs.DirEntry) (dir bool, err error) {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir(), nil
	}
	typ, err := Type(m.t.FS, name)
	return err == nil && typ.IsDir(), err
}

// unit looks at one entry of a directory of directories.
func (m *matcher) unit(e fs.DirEntry) {
	name := path.Join(m.dir, e.Name())
	_, file, _ := strings.Cut(m.spec.Files, "/")
	dir, err := m.kind(name, e)
	switch {
	case err != nil:
		m.fault(path.Join(name, file), FaultOf(err, m.at(name)))
	case dir:
		m.document(name, file)
	default:
		m.beside(name)
	}
}

// document adds a unit's document, or says that the unit has none.
func (m *matcher) document(unit, file string) {
	entries, err := m.read(unit)
	switch {
	case err != nil:
		m.fault(path.Join(unit, file), FaultOf(err, m.at(unit)))
		return
	case m.laying.wide:
		return
	}
	near := ""
	for _, e := range entries {
		if e.Name() == file {
			name := path.Join(unit, file)
			switch dir, err := m.kind(name, e); {
			case err != nil:
				m.fault(name, FaultOf(err, m.at(name)))
			case dir:
				m.fault(name, WrongKind.At(m.at(name), "expected a file, found a directory"))
			default:
				m.add(name)
			}
			return
		}
		if strings.EqualFold(e.Name(), file) && !e.IsDir() {
			near = e.Name()
		}
	}
	if near != "" {
		m.t.Findings.Add(NearMiss.At(m.at(path.Join(unit, near)), "the file is named %s, expected %s", ext.Quote(near), file).Wanting(file))
		return
	}
	m.t.Findings.Add(NoDocument.At(m.at(unit), "there is no %s", file))
}

// beside looks at a file that lies where units do: a flat document or a link
// checked out as a file gets a hint, any other is an ordinary file.
func (m *matcher) beside(name string) {
	const small = 64 << 10
	ending := path.Ext(name)
	if ending != "" && ending != ".md" || ordinary(path.Base(name)) {
		return
	}
	data, err := ReadBytes(m.t.FS, name, small)
	if err != nil {
		return
	}
	if ending == ".md" {
		front := frontmatter.Read(m.at(name), data).Front
		if front.Get("description") != nil && front.Get("name") != nil {
			m.t.Findings.Add(Flat.At(m.at(name), "it has a %s's front matter", m.spec.Name))
		}
		return
	}
	if target := strings.TrimSpace(string(data)); isPath(target) {
		m.t.Findings.Add(LooksLikeLink.At(m.at(name), "its only content is the path %s", ext.Quote(target)))
	}
}

func isPath(s string) bool {
	if len(s) >= 512 || !strings.Contains(s, "/") || strings.Contains(s, "//") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x80 && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("./_-+@~", r)
	})
}

// files adds the files of a directory that have the surface's ending, and of
// its sub-directories where the pattern says so.
func (m *matcher) files(dir string, entries []fs.DirEntry, depth int) {
	deep := strings.HasPrefix(m.spec.Files, "**/") && !m.where.Shallow
	var strays []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if besides(e) {
			continue
		}
		isDir, err := m.kind(name, e)
		switch {
		case err != nil && m.ends(name):
			m.fault(name, FaultOf(err, m.at(name)))
		case err != nil:
			m.t.Findings.Add(FaultOf(err, m.at(name)))
		case isDir && deep && e.Type()&fs.ModeSymlink != 0:
			m.through(name, depth+1)
		case isDir && deep:
			m.below(name, depth+1)
		case isDir && m.ends(name):
			m.fault(name, WrongKind.At(m.at(name), "expected a file, found a directory"))
		case !isDir && m.ends(name):
			m.add(name)
		case !isDir && m.where.Beside != nil:
			m.where.Beside(name)
		case !m.tell(name, isDir):
			strays = append(strays, e.Name())
		}
	}
	m.strays(dir, strays)
}

// ends reports whether a file is called as documents are.
func (m *matcher) ends(name string) bool {
	base := path.Base(name)
	return slices.ContainsFunc(m.endings, func(ending string) bool { return strings.HasSuffix(base, ending) && base != ending })
}

// deep adds the documents of the directories in dir, and of those below.
func (m *matcher) deep(dir string, entries []fs.DirEntry, depth int) {
	_, file, _ := strings.Cut(m.spec.Files, "/")
	for _, e := range entries {
		if e.Type().IsRegular() && dir != m.dir {
			continue // it belongs to a unit
		}
		name := path.Join(dir, e.Name())
		isDir, err := m.kind(name, e)
		switch {
		case err != nil:
			m.t.Findings.Add(FaultOf(err, m.at(name)))
		case isDir && strings.HasPrefix(e.Name(), "."):
			m.t.Findings.Add(Stray.At(m.at(name), "what begins with a dot is not looked into"))
		case !isDir && dir == m.dir:
			m.beside(name)
		case !isDir: // a link to a file of a unit
		case e.Type()&fs.ModeSymlink != 0:
			m.throughDeep(name, file, depth)
		default:
			m.deepUnit(name, file, depth)
		}
	}
}

// throughDeep goes through a link, unless what it leads to is gone through
// anyway: the way here came through it.
func (m *matcher) throughDeep(link, file string, depth int) {
	real, ok := Real(m.t.FS, link)
	if ok && (within(m.realDir(path.Dir(link)), real) || slices.Contains(m.way, real)) {
		return
	}
	m.way = append(m.way, real)
	m.deepUnit(link, file, depth)
	m.way = m.way[:len(m.way)-1]
}

// deepUnit adds a directory's document, where it has one, and goes below.
func (m *matcher) deepUnit(unit, file string, depth int) {
	entries, err := m.read(unit)
	if err != nil {
		m.fault(path.Join(unit, file), FaultOf(err, m.at(unit)))
		return
	}
	has := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), file) })
	if has {
		m.document(unit, file)
	}
	switch {
	case depth < m.where.Deep:
		m.deep(unit, entries, depth+1)
	case !has && slices.ContainsFunc(entries, fs.DirEntry.IsDir):
		m.t.Findings.Add(Stray.At(m.at(unit), "what lies more than %d directories deep is not read", m.where.Deep))
	}
}

// besides reports whether an entry belongs to nobody's documents: a file that
// people put beside them, or that a system or an editor leaves.
func besides(e fs.DirEntry) bool {
	name := e.Name()
	if e.Type()&fs.ModeSymlink != 0 { // Emacs marks what is being edited by a link that leads nowhere
		return strings.HasPrefix(name, ".#")
	}
	switch {
	case !e.Type().IsRegular():
		return false
	case ordinary(name), name == ".DS_Store", name == ".gitkeep", name == ".gitignore":
		return true
	case strings.HasPrefix(name, "._"), strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"):
		return true
	}
	return slices.ContainsFunc([]string{"~", ".swp", ".swo"}, func(p string) bool { return strings.HasSuffix(name, p) })
}

// through goes through a link to a directory, unless it leads to a place that
// the way here came through.
func (m *matcher) through(link string, depth int) {
	real, ok := Real(m.t.FS, link)
	if ok && (within(m.realDir(path.Dir(link)), real) || slices.Contains(m.way, real)) {
		m.t.Findings.Add(Loop.At(m.at(link), "the link leads to a directory that holds it"))
		return
	}
	m.way = append(m.way, real)
	m.below(link, depth)
	m.way = m.way[:len(m.way)-1]
}

// Real is where a name really lies, links followed. ok is false, and real
// perhaps "", when that cannot be told; a file system without links says name.
func Real(fsys fs.FS, name string) (real string, ok bool) {
	r, ok := fsys.(interface {
		Real(name string) (string, bool, error)
	})
	if !ok {
		return name, false
	}
	real, _, err := r.Real(name)
	return real, err == nil
}

func (m *matcher) realDir(name string) string {
	real, _ := Real(m.t.FS, name)
	return real
}

// within reports whether a path is dir or lies below it.
func within(name, dir string) bool {
	rest, ok := strings.CutPrefix(name, dir)
	return ok && (rest == "" || rest[0] == '/' || rest[0] == '\\')
}

func (m *matcher) below(dir string, depth int) {
	if depth > m.limits.Depth {
		m.t.Findings.Add(TooDeep.At(m.at(dir), "more than %d directories deep", m.limits.Depth))
		return
	}
	entries, err := m.read(dir)
	if err != nil {
		m.fault(dir, FaultOf(err, m.at(dir)))
		return
	}
	m.files(dir, entries, depth)
}

// ordinary reports whether a file is one that people put beside documents.
func ordinary(name string) bool {
	switch strings.ToLower(name) {
	case "readme.md", "changelog.md", "contributing.md", "license.md", "readme", "readme.txt", "license", "license.txt", "makefile":
		return true
	}
	return false
}

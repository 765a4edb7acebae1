package colony

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/root"
)

const (
	// MaxBytes is the largest manifest that is read.
	MaxBytes = 1 << 20
	// MaxItems is the longest list that is read in a manifest.
	MaxItems = 1000
)

// Load reads the manifest of a working tree. Every error is an *Error; that of a file that
// is not there matches fs.ErrNotExist. A root.Root is read with its own bounds.
func Load(tree fs.FS) (*Manifest, error) {
	data, err := load(tree)
	if err != nil {
		return nil, err
	}
	return Read(data)
}

// load is the bytes of the manifest.
func load(tree fs.FS) ([]byte, error) {
	data, err := readLimit(tree)
	if err != nil {
		return nil, NotRead(err)
	}
	return data, nil
}

// NotRead is the error of a manifest whose file could not be read, and why: Missing where
// that matches fs.ErrNotExist.
func NotRead(err error) *Error {
	var large *root.TooLargeError
	switch {
	case errors.As(err, &large):
		return tooLarge(err)
	case errors.Is(err, fs.ErrNotExist):
		return single(Missing, err, "there is no manifest", "write one, with "+strings.Join(required, ", ")+" in it")
	}
	return single(Unreadable, err, "it cannot be read: "+reason(err), "make it a file that you may read")
}

// reason is err without the path, which stands before it.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}

func readLimit(tree fs.FS) ([]byte, error) {
	if r, ok := tree.(interface {
		ReadLimit(name string, limit int64) ([]byte, error)
	}); ok {
		return r.ReadLimit(Path, MaxBytes)
	}
	f, err := tree.Open(Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

func tooLarge(err error) *Error {
	return single(OutOfBounds, err, fmt.Sprintf("it has more than %d bytes", MaxBytes), "make it smaller")
}

// Read reads a manifest. Every error is an *Error, with all that is wrong.
func Read(data []byte) (*Manifest, error) {
	m, _, err := read(data)
	return m, err
}

// read is Read, and the document as it was written.
func read(data []byte) (*Manifest, ext.Doc, error) {
	if len(data) > MaxBytes {
		return nil, ext.Doc{}, tooLarge(nil)
	}
	d, found := doc.JSON(ext.Origin{Path: Path}, data)
	for _, f := range found { // a mark is one too: not every reader of manifests skips it
		if f.Check.Severity >= ext.Warning {
			return nil, d, faulty(found)
		}
	}
	if d.Kind != ext.Map {
		return nil, d, &Error{Faults: []Fault{{WrongType, d.Line, "", "the manifest is " + d.Kind.String() + ", and no object", "write an object"}}}
	}
	r := reading{}
	m := r.manifest(&d)
	if len(r.faults) > 0 {
		return nil, d, &Error{Faults: r.faults}
	}
	return m, d, nil
}

func faulty(found ext.Findings) *Error {
	e := new(Error)
	for _, f := range found {
		if f.Check.Severity >= ext.Warning {
			e.Faults = append(e.Faults, faultOf(f))
		}
	}
	return e
}

// required are the keys that must be there.
var required = []string{"tenant", "colony", "program", "target_system", "design_repo_url"}

// manifest reads the whole. Nothing else is judged of a version that is not known here.
func (r *reading) manifest(d *ext.Doc) *Manifest {
	m := Default()
	if m.Version = r.version(d); len(r.faults) > 0 {
		return m
	}
	r.known(object{d, ""}, "of a manifest", append([]string{"schema_version", "topology", "credentials_ref", "imports_tooling_from",
		"lfs", "webhook", "extensions", "default_branch", "agent_email_domain", "protected_branches"}, required...))
	top := object{d, ""}
	for i, to := range []*string{&m.Tenant, &m.Colony, &m.Program, &m.TargetSystem, &m.DesignRepoURL} {
		r.must(top, required[i], to)
	}
	oneOf(r, top, "topology", &m.Topology, SelfHosted, External, AirGapped)
	r.optional(top, "credentials_ref", &m.CredentialsRef)
	r.text(top, "default_branch", &m.DefaultBranch)
	r.text(top, "agent_email_domain", &m.AgentEmailDomain)
	r.patterns(top, m)
	r.imports(top, m)
	r.lfs(top, &m.LFS)
	r.webhook(top, &m.Webhook)
	r.extensions(top, m)
	return m
}

// version reads the version. It is asked for first.
func (r *reading) version(d *ext.Doc) int {
	v := d.Get("schema_version")
	if v == nil {
		return 1
	}
	const at = "/schema_version"
	if v.Kind != ext.Number {
		r.fault(WrongType, v, at, "the version is "+v.Kind.String()+", and no number", fmt.Sprintf("write a number, such as %d", Version))
		return 0
	}
	digits := strings.TrimPrefix(v.Text, "-")
	switch {
	case strings.Trim(digits, "0123456789") != "":
		r.fault(WrongVersion, v, at, "the version "+ext.Shorten(v.Text, 20)+" is not written as a whole number", fmt.Sprintf("write it as one, such as %d", Version))
	case digits != v.Text || digits == "0":
		r.fault(WrongVersion, v, at, "there is no version "+ext.Shorten(v.Text, 20)+"; they begin with 1", fmt.Sprintf("write the version that the file is of, at most %d", Version))
	case len(digits) > 1 || int(digits[0]-'0') > Version:
		r.fault(Newer, v, at, fmt.Sprintf("version %s is newer than this build, which knows %d at most", ext.Shorten(v.Text, 20), Version), "use a newer build")
	default:
		return int(digits[0] - '0')
	}
	return 0
}

func (r *reading) patterns(top object, m *Manifest) {
	list := r.list(top, "protected_branches")
	if list == nil {
		return
	}
	m.ProtectedBranches = make([]string, 0, len(list.List))
	for i := range list.List {
		p := &list.List[i]
		if p.Kind != ext.String {
			r.fault(WrongType, p, fmt.Sprintf("/protected_branches/%d", i), "a protected branch is "+p.Kind.String()+", and no text", "write the name of a branch, or a pattern such as release/*")
			continue
		}
		m.ProtectedBranches = append(m.ProtectedBranches, p.Text)
	}
}

func (r *reading) imports(top object, m *Manifest) {
	list := r.list(top, "imports_tooling_from")
	if list == nil {
		return
	}
	for n := range list.List {
		o, ok := r.within(&list.List[n], fmt.Sprintf("/imports_tooling_from/%d", n))
		if !ok {
			continue
		}
		i := Import{Ref: "main", Scope: "tools/"}
		r.must(o, "name", &i.Name)
		r.must(o, "url", &i.URL)
		r.text(o, "ref", &i.Ref)
		r.text(o, "scope", &i.Scope)
		r.flag(o, "writable", &i.Writable)
		i.Rest = rest(o.doc, importKeys)
		m.Imports = append(m.Imports, i)
	}
}

var importKeys, lfsKeys, webhookKeys = []string{"name", "url", "ref", "scope", "writable"},
	[]string{"mode", "separate_url", "credentials_ref"}, []string{"enabled", "endpoint", "secret_ref"}

func (r *reading) lfs(top object, l *LFS) {
	o, ok := r.block(top, "lfs")
	if !ok {
		return
	}
	oneOf(r, o, "mode", &l.Mode, SameRemote, Separate, Disabled)
	r.optional(o, "separate_url", &l.SeparateURL)
	r.optional(o, "credentials_ref", &l.CredentialsRef)
	l.Rest = rest(o.doc, lfsKeys)
	if l.Mode == Separate && (l.SeparateURL == nil || *l.SeparateURL == "") {
		r.fault(Absent, o.doc, "/lfs/separate_url", "large files are kept apart, and it is not said where", "give lfs a separate_url, or another mode")
	}
}

func (r *reading) webhook(top object, w *Webhook) {
	o, ok := r.block(top, "webhook")
	if !ok {
		return
	}
	r.flag(o, "enabled", &w.Enabled)
	r.optional(o, "endpoint", &w.Endpoint)
	r.optional(o, "secret_ref", &w.SecretRef)
	w.Rest = rest(o.doc, webhookKeys)
}

func (r *reading) extensions(top object, m *Manifest) {
	if v := top.doc.Get("extensions"); v != nil && v.Kind == ext.Null {
		return
	}
	o, ok := r.block(top, "extensions")
	if !ok {
		return
	}
	names := make([]string, len(Surfaces))
	for i, s := range Surfaces {
		names[i] = string(s)
	}
	r.known(o, "of extensions: these are the surfaces", names)
	m.Directories, m.lines = map[Surface]string{}, map[Surface]int{}
	for _, s := range Surfaces {
		of, ok := r.block(o, string(s))
		if !ok {
			continue
		}
		r.known(of, "of a surface", []string{"directory"})
		dir := ""
		if r.must(of, "directory", &dir) {
			m.Directories[s], m.lines[s] = dir, of.doc.Get("directory").Line
		}
	}
}

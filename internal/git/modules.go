package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/loopback"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Modules says how submodules are fetched: each at exactly the commit that the commit
// above it names, with all of theirs. One that cannot be, or may not be, fails the fetch.
type Modules struct {
	// Permit is asked about the source of each, before that is contacted: an error is that
	// it may not be. Nil lets in all.
	Permit func(Source) error
	// OnRef is of each of them what Fetching.OnRef is.
	OnRef bool
}

const (
	mostNested  = 4  // submodules within each other
	mostModules = 32 // of one checkout
)

// part is one repository of a checkout: the one that was asked for, or a submodule.
type part struct {
	path   string // within the checkout; "." is the one that was asked for
	source Source
	commit string
	in     *part  // nil is the one that was asked for
	store  string // where its objects are
	leaves []leaf
	says   []declaration // of its submodules, where it has some
	mute   error         // why that could not be read
}

// modules are the leaves that are submodules.
func (p *part) modules() (all []leaf) {
	for _, l := range p.leaves {
		if l.module {
			all = append(all, l)
		}
	}
	return all
}

// chain says which submodule it is, and how it came to that one.
func (p *part) chain() string {
	if p.in == nil {
		return ""
	}
	one := fmt.Sprintf("submodule %s (%s)", ext.Quote(p.path), ext.Escape(p.source.String()))
	if above := p.in.chain(); above != "" {
		return above + ", " + one
	}
	return one
}

// refused is a refusal about a part.
func (p *part) refused(err error) error {
	if chain := p.chain(); chain != "" {
		err = fmt.Errorf("%s: %w", chain, err)
	}
	return ext.AsRefused(err)
}

// failed is why a part cannot be taken. A refusal names it; so does all else of a
// submodule.
func (p *part) failed(err error) error {
	switch {
	case ext.KindOf(err) == ext.Refused:
		return p.refused(err)
	case p.in != nil:
		return failure(p.doing(), err)
	}
	return err
}

// within is a path of a part as one of the checkout.
func (p *part) within(below string) string { return path.Join(p.path, below) }

// doing is what is done for a part, for people.
func (p *part) doing() string {
	if chain := p.chain(); chain != "" {
		return "fetch " + describe(p.commit) + " of " + chain + " of " + p.first().source.String()
	}
	return "fetch " + describe(p.commit) + " of " + p.source.String()
}

// first is the part that was asked for.
func (p *part) first() *part {
	for p.in != nil {
		p = p.in
	}
	return p
}

// nested is how many submodules it lies within, itself counted.
func (p *part) nested() int {
	if p.in == nil {
		return 0
	}
	return p.in.nested() + 1
}

// modules brings the submodules of a part, and theirs. The sources of all that a commit
// has are judged before one of them is contacted.
func (a *assembly) modules(ctx context.Context, p *part) error {
	below, err := a.sources(ctx, p)
	if err != nil {
		return err
	}
	for _, m := range below {
		if err := a.bring(ctx, m, Fetching{OnRef: a.how.Modules.OnRef, Progress: a.how.Progress}); err != nil {
			return err
		}
		at := slices.IndexFunc(a.fetched.Modules, func(f Module) bool { return f.Path == m.path })
		a.fetched.Modules[at].Fetched, a.fetched.Modules[at].At = true, m.source
		if err := a.judge(ctx, m); err != nil {
			return err
		}
		if err := a.modules(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// sources are the submodules of a part, when all of them may be fetched.
func (a *assembly) sources(ctx context.Context, p *part) ([]*part, error) {
	var below []*part
	for _, l := range p.modules() {
		below = append(below, &part{path: l.path, commit: l.id, in: p})
	}
	switch {
	case len(below) == 0:
		return nil, nil
	case p.nested() == mostNested:
		return nil, p.refused(fmt.Errorf("%s lies in submodules deeper than %d", ext.Quote(below[0].path), mostNested))
	case len(a.fetched.Modules) > mostModules:
		return nil, p.refused(fmt.Errorf("there are more than %d submodules", mostModules))
	case ctx.Err() != nil:
		return nil, p.failed(context.Cause(ctx))
	case p.mute != nil:
		return nil, p.refused(fmt.Errorf("its .gitmodules: %w", p.mute))
	}
	if faults := misplaced(p); len(faults) > 0 {
		return nil, p.refused(&unpack.RefusedError{Faults: faults})
	}
	for _, m := range below {
		at := slices.IndexFunc(p.says, func(d declaration) bool { return p.within(d.path) == m.path })
		address := p.says[at].url
		source, err := p.source.below(address)
		if err != nil {
			return nil, p.refused(fmt.Errorf("submodule %s: the address %s: %w", ext.Quote(m.path), ext.Quote(ext.Shorten(hide(address), 200)), err))
		}
		m.source = source
		if err := a.permitted(m); err != nil {
			return nil, err
		}
	}
	return below, nil
}

// permitted refuses a submodule that lies in itself, or may not be fetched.
func (a *assembly) permitted(m *part) error {
	for above := m.in; above != nil; above = above.in {
		if above.source.Folded() == m.source.Folded() {
			return m.refused(errors.New("it lies within itself"))
		}
	}
	if a.how.Modules.Permit == nil {
		return nil
	}
	if err := a.how.Modules.Permit(m.source); err != nil {
		return m.refused(err)
	}
	return nil
}

// declaration is what a .gitmodules says of one submodule.
type declaration struct {
	name, path, url string
	again           bool // it says one of these twice
}

// declared is what the .gitmodules of a part says, as git reads it; nothing where there
// is none.
func (a *assembly) declared(ctx context.Context, p *part) ([]declaration, error) {
	at := slices.IndexFunc(p.leaves, func(l leaf) bool { return l.path == p.within(".gitmodules") })
	if at < 0 {
		return nil, nil
	}
	if k := p.leaves[at].kind; k != unpack.File && k != unpack.Program {
		return nil, errors.New("it is no file")
	}
	out := &bounded{most: mostCommit}
	err := a.run(ctx, call{args: []string{"config", "--blob=" + p.leaves[at].id, "--no-includes", "-z", "--list"}, gitDir: p.store, stdout: out})
	if out.over {
		return nil, errTooBig
	}
	if err != nil {
		return nil, err
	}
	return declarations(out.Bytes()), nil
}

// declarations reads what git lists of a .gitmodules.
func declarations(listed []byte) (all []declaration) {
	for one := range bytes.SplitSeq(listed, []byte{0}) {
		key, value, _ := strings.Cut(string(one), "\n")
		rest, ours := strings.CutPrefix(key, "submodule.")
		name, what, named := cutLast(rest, ".")
		if !ours || !named || what != "path" && what != "url" {
			continue
		}
		at := slices.IndexFunc(all, func(d declaration) bool { return d.name == name })
		if at < 0 {
			at = len(all)
			all = append(all, declaration{name: name})
		}
		d := &all[at]
		into := &d.path
		if what == "url" {
			into = &d.url
		}
		d.again = d.again || *into != ""
		*into = value
	}
	return all
}

// misplaced is what is wrong with where the submodules of a part are to lie.
func misplaced(p *part) (faults []string) {
	kinds, modules := map[string]unpack.Kind{}, map[string]bool{}
	for _, l := range p.leaves {
		kinds[l.path] = l.kind
	}
	told := map[string]string{} // the names of submodules by their paths
	for _, d := range p.says {
		switch fault := d.fault(p, kinds); {
		case fault != "":
			faults = append(faults, fault)
		case told[d.path] != "":
			faults = append(faults, fmt.Sprintf("submodules %s and %s are at one path, %s", ext.Quote(told[d.path]), ext.Quote(d.name), ext.Quote(d.path)))
		case d.path != "" && d.url != "":
			told[d.path] = d.name
		}
	}
	for _, l := range p.modules() {
		if told[strings.TrimPrefix(l.path, p.path+"/")] == "" {
			faults = append(faults, fmt.Sprintf("%s is a submodule, and .gitmodules does not say where it comes from", ext.Quote(l.path)))
		}
		if modules[l.path] {
			faults = append(faults, fmt.Sprintf("two submodules are at one path, %s", ext.Quote(l.path)))
		}
		modules[l.path] = true
	}
	for _, l := range p.leaves {
		for at := l.path; at != "."; at = path.Dir(at) {
			if modules[at] && (at != l.path || !l.module) {
				faults = append(faults, fmt.Sprintf("%s is there beside a submodule at %s", ext.Quote(l.path), ext.Quote(at)))
			}
		}
	}
	return faults[:min(mostFaults, len(faults))]
}

// fault is what is wrong with a declaration by itself; "" when nothing is.
func (d *declaration) fault(p *part, kinds map[string]unpack.Kind) string {
	if d.again {
		return fmt.Sprintf("it says twice where submodule %s lies, or comes from", ext.Quote(d.name))
	}
	if d.path == "" { // it lies nowhere
		return ""
	}
	if err := unpack.NewNames(unpack.Bounds{}).Add(d.path, unpack.Dir, 0); err != nil {
		return fmt.Sprintf("the path of submodule %s: %s", ext.Quote(d.name), err)
	}
	if link := linkAbove(kinds, p.path, p.within(d.path)); link != "" {
		return fmt.Sprintf("submodule %s at %s lies behind the link %s", ext.Quote(d.name), ext.Quote(d.path), ext.Quote(link))
	}
	return ""
}

// linkAbove is the link that a path, or one above it, is; "" when none is.
func linkAbove(kinds map[string]unpack.Kind, top, at string) string {
	for ; at != top && at != "."; at = path.Dir(at) {
		if kinds[at] == unpack.Link {
			return at
		}
	}
	return ""
}

// below is the source of a submodule by its address, which is relative to that of its
// repository where it begins with ./ or ../. What the repository itself could not be is
// an error, and so is this machine for one that is not from here.
func (s Source) below(address string) (Source, error) {
	if strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../") {
		return s.relative(address)
	}
	aPath := IsPath(address)
	if aPath && !filepath.IsAbs(address) || !aPath && !strings.Contains(address, ":") && !strings.HasPrefix(address, "-") {
		return Source{}, errors.New("it is neither a whole address nor one that begins with ./ or ../")
	}
	sub, ref, err := parse(address, Allow{Local: s.Local()})
	switch {
	case err != nil:
		return Source{}, err
	case ref != "" || strings.Contains(address, "#"):
		return Source{}, errors.New("it names a reference, and the commit above it says which commit it is")
	case sub.here() && !s.here():
		return Source{}, errors.New("it leads to this machine, and its repository comes from another one")
	}
	return sub, nil
}

// here reports whether a source is of this machine.
func (s Source) here() bool { return s.Local() || loopback.Is(strings.Trim(s.host, "[]")) }

// relative is the source that an address is relative to s, as git takes it: each ../ at
// its beginning takes away one part, and the host stays.
func (s Source) relative(address string) (Source, error) {
	parts := strings.FieldsFunc(s.path, func(r rune) bool { return r == '/' })
	for {
		if rest, up := strings.CutPrefix(address, "../"); up {
			if len(parts) == 0 {
				return Source{}, errors.New("it leads out of its host")
			}
			parts, address = parts[:len(parts)-1], rest
		} else if rest, here := strings.CutPrefix(address, "./"); here {
			address = rest
		} else {
			break
		}
	}
	rooted := strings.HasPrefix(s.path, "/")
	if rooted || s.scheme != "ssh" {
		var err error
		if address, err = url.PathUnescape(address); err != nil {
			return Source{}, errors.New("its path holds a % that stands for nothing")
		}
	}
	p := strings.Join(append(parts, strings.TrimSuffix(address, "/")), "/")
	if rooted {
		p = "/" + p
	}
	var err error
	rel := s
	rel.short = false
	rel.path, err = cleanPath(p)
	return rel, err
}

package stack

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Place is a line of a compose file.
type Place struct {
	File string
	Line int
}

// Merged is what the files of a stack say together.
type Merged struct {
	// Doc is the merged document; each node has the file and line that gave it. It is
	// zero where the findings hold an error.
	Doc ext.Doc
	// Replaced are, for a value that took the place of others, where those stand, in
	// the order of the files; by JSON pointer.
	Replaced map[string][]Place
	// Findings are what was wrong with the files, and what is worth knowing.
	Findings ext.Findings
}

// Merge reads the files and puts each onto those before it. Variables are replaced unless
// raw is true; those that hold secrets never are.
func (s *Stack) Merge(raw bool) *Merged {
	m := &merging{replaced: map[string][]Place{}}
	out := &Merged{Replaced: m.replaced}
	var below ext.Doc
	for i := range s.Files {
		d, found, ok := s.read(&s.Files[i])
		m.found.Add(found...)
		if !ok {
			continue
		}
		if !raw {
			e := expansion{stack: s, found: &m.found, at: ext.Origin{Extension: s.Files[i].Extension, Trust: s.Files[i].Origin.Trust, Path: s.Files[i].Shown}}
			d = e.doc(&d)
		}
		if below.Kind == ext.Null {
			below = settled(&d)
			continue
		}
		below = m.merge(&below, &d, nil)
	}
	if !m.found.Failed() && len(s.Files) > 0 {
		m.services(&below)
	}
	if !m.found.Failed() {
		out.Doc = below
	}
	out.Findings = m.found
	return out
}

type merging struct {
	replaced map[string][]Place
	found    ext.Findings
}

// services is what the merged services lack.
func (m *merging) services(d *ext.Doc) {
	if include := d.Get("include"); include != nil {
		m.found.Add(NotFollowed.At(at(include), "include is not followed"))
	}
	services := d.Get("services")
	if services == nil {
		return
	}
	for _, p := range services.Map {
		if e := p.Value.Get("extends"); e != nil && e.Get("file") != nil {
			m.found.Add(NotFollowed.At(at(e), "the service %s extends one of another file, which is not followed", quoted(p.Key)))
			continue
		}
		if !slices.ContainsFunc([]string{"image", "build", "provider", "extends"}, func(k string) bool { v := p.Value.Get(k); return v != nil && v.Kind != ext.Null }) {
			m.found.Add(ServiceFault.At(at(&p.Value), "the service %s has neither an image nor a build", quoted(p.Key)))
		}
	}
}

func at(d *ext.Doc) ext.Origin { return ext.Origin{Path: d.File, Line: d.Line} }

// merge puts a value onto the one below.
func (m *merging) merge(below, above *ext.Doc, path []string) ext.Doc {
	if tagOf(above) == tagOverride {
		m.note(path, below)
		return settled(untagged(above))
	}
	r := ruleOf(path)
	switch r.how {
	case replaced:
		m.note(path, below)
		return settled(above)
	case pairs:
		b, a := mapped(below, true), mapped(above, true)
		return m.members(&b, &a, path, true)
	case names:
		b, a := mapped(below, false), mapped(above, false)
		if path[len(path)-1] == "depends_on" {
			started(&b)
			started(&a)
		}
		return m.members(&b, &a, path, false)
	case unique:
		return m.unique(below, above, path, r.key)
	case build:
		b, a := contextOf(below), contextOf(above)
		return m.members(&b, &a, path, false)
	case logging:
		if b, a := textAt(below, "driver"), textAt(above, "driver"); a != b && a != "" && b != "" {
			m.note(path, below)
			return settled(above)
		}
	}
	switch {
	case above.Kind == ext.Null:
		return *below
	case below.Kind == ext.Map && above.Kind == ext.Map:
		return m.members(below, above, path, false)
	case below.Kind == ext.List && above.Kind == ext.List:
		a := settled(above)
		out := *below
		out.List = slices.Concat(below.List, a.List)
		return out
	case below.Kind == ext.Map || below.Kind == ext.List:
		return m.fault(below, above, path)
	}
	m.note(path, below)
	return settled(above)
}

// members merges key by key. whole: a member takes the place of the one below whatever it
// is, also where it says nothing.
func (m *merging) members(below, above *ext.Doc, path []string, whole bool) ext.Doc {
	if above.Kind == ext.Null {
		return *below
	}
	if below.Kind == ext.Null {
		return settled(above)
	}
	if below.Kind != ext.Map || above.Kind != ext.Map {
		return m.fault(below, above, path)
	}
	out := *below
	out.Map = slices.Clone(below.Map)
	for i := range above.Map {
		p := above.Map[i]
		inner := append(path[:len(path):len(path)], p.Key)
		n := slices.IndexFunc(out.Map, func(o ext.Pair) bool { return o.Key == p.Key })
		switch {
		case tagOf(&p.Value) == tagReset:
			if n >= 0 {
				out.Map = slices.Delete(out.Map, n, n+1)
			}
		case n < 0:
			p.Value = settled(&p.Value)
			out.Map = append(out.Map, p)
		case whole && tagOf(&p.Value) == "":
			m.note(inner, &out.Map[n].Value)
			out.Map[n].Value = settled(&p.Value)
		default:
			out.Map[n].Value = m.merge(&out.Map[n].Value, &p.Value, inner)
		}
	}
	return out
}

// unique merges lists whose items have keys: one that is below already stays where it is
// and is what the later file says.
func (m *merging) unique(below, above *ext.Doc, path []string, key func(*ext.Doc) string) ext.Doc {
	if above.Kind == ext.Null {
		return *below
	}
	b, a := listed(below), listed(above)
	if b.Kind != ext.List || a.Kind != ext.List {
		return m.fault(below, above, path)
	}
	out := b
	out.List = nil
	where := map[string]int{}
	var positions []int
	put := func(d ext.Doc, later bool) {
		k := key(&d)
		n, known := where[k]
		switch {
		case !known || k == "":
			n = len(out.List)
			where[k] = n
			out.List = append(out.List, d)
		default:
			m.note(append(path[:len(path):len(path)], k), &out.List[n])
			out.List[n] = d
		}
		if later {
			positions = append(positions, n)
		}
	}
	for i := range b.List {
		put(b.List[i], false)
	}
	for i := range a.List {
		put(settled(&a.List[i]), true)
	}
	if last := path[len(path)-1]; strings.HasSuffix(last, "_file") && !slices.IsSorted(positions) {
		m.found.Add(OrderLost.At(at(above), "%s of %s is %s once it is merged, so that another of these files wins than its order says",
			last, quoted(path[1]), files(&out)))
	}
	return out
}

func files(d *ext.Doc) string {
	var all []string
	for i := range d.List {
		all = append(all, quoted(fileKey(&d.List[i])))
	}
	return strings.Join(all, ", ")
}

func (m *merging) fault(below, above *ext.Doc, path []string) ext.Doc {
	m.found.Add(MergeFault.At(at(above), "%s is %s here and %s in %s, line %d", quoted(strings.Join(path, ".")), kindWord(above), kindWord(below), ext.Escape(below.File), below.Line))
	return *below
}

// note remembers what a value took the place of.
func (m *merging) note(path []string, below *ext.Doc) {
	p := pointer(path)
	m.replaced[p] = append(m.replaced[p], Place{below.File, below.Line})
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer is the JSON pointer of a path.
func pointer(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteString("/" + pointerEscape.Replace(p))
	}
	return b.String()
}

// settled is a value for itself: what is reset is not there, and what overrides is what it
// holds.
func settled(d *ext.Doc) ext.Doc {
	if tagOf(d) == tagReset {
		return ext.Doc{File: d.File, Line: d.Line}
	}
	d = untagged(d)
	out := *d
	out.Raw = nil
	if d.Kind == ext.Bool {
		out.Text = strings.ToLower(d.Text)
	}
	if d.Map != nil {
		out.Map = make([]ext.Pair, 0, len(d.Map))
		for _, p := range d.Map {
			if tagOf(&p.Value) != tagReset {
				p.Value = settled(&p.Value)
				out.Map = append(out.Map, p)
			}
		}
	}
	if d.List != nil {
		out.List = make([]ext.Doc, len(d.List))
		for i := range d.List {
			out.List[i] = settled(&d.List[i])
		}
	}
	return out
}

// mapped is a list of NAME=VALUE, or of names, as a mapping. One that is none already is
// left for the merge to tell.
func mapped(d *ext.Doc, values bool) ext.Doc {
	if d.Kind != ext.List {
		return *d
	}
	out := ext.Doc{Kind: ext.Map, File: d.File, Line: d.Line}
	for i := range d.List {
		item := &d.List[i]
		if !item.Scalar() {
			return *d
		}
		name, v := item.Text, ext.Doc{File: item.File, Line: item.Line}
		if n, text, ok := strings.Cut(item.Text, "="); ok && values {
			name, v.Kind, v.Text = n, ext.String, text
		}
		if n := slices.IndexFunc(out.Map, func(p ext.Pair) bool { return p.Key == name }); n >= 0 {
			out.Map[n].Value = v
			continue
		}
		out.Map = append(out.Map, ext.Pair{Key: name, Line: item.Line, Value: v})
	}
	return out
}

// started has names that nothing is said of depend as the specification says: on a service
// that has started.
func started(d *ext.Doc) {
	for i := range d.Map {
		if v := &d.Map[i].Value; v.Kind == ext.Null {
			word := func(kind ext.Kind, text string) ext.Doc {
				return ext.Doc{Kind: kind, Text: text, File: v.File, Line: v.Line}
			}
			d.Map[i].Value = ext.Doc{Kind: ext.Map, File: v.File, Line: v.Line, Map: []ext.Pair{
				{Key: "condition", Line: v.Line, Value: word(ext.String, "service_started")},
				{Key: "required", Line: v.Line, Value: word(ext.Bool, "true")},
			}}
		}
	}
}

// listed is one text, or a mapping of NAME to a value or several, as a list.
func listed(d *ext.Doc) ext.Doc {
	out := ext.Doc{Kind: ext.List, File: d.File, Line: d.Line}
	switch {
	case d.Kind == ext.List:
		return *d
	case d.Kind == ext.Null:
	case d.Kind == ext.Map:
		for _, p := range d.Map {
			for _, v := range p.Value.Items() {
				if !v.Scalar() {
					return *d
				}
				out.List = append(out.List, ext.Doc{Kind: ext.String, Text: p.Key + "=" + v.Text, File: v.File, Line: v.Line})
			}
		}
	default:
		out.List = []ext.Doc{*d}
	}
	return out
}

// contextOf is the mapping that a text at build stands for.
func contextOf(d *ext.Doc) ext.Doc {
	if !d.Scalar() || d.Kind == ext.Null {
		return *d
	}
	return ext.Doc{Kind: ext.Map, File: d.File, Line: d.Line, Map: []ext.Pair{{Key: "context", Line: d.Line, Value: *d}}}
}

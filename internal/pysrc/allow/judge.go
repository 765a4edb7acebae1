package allow

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// binding is what a name stands for, wherever in the file it is bound.
type binding struct {
	modules []string      // that it was imported as
	from    []string      // "module.name" that it was imported from
	class   bool          // by a class statement
	enum    bool          // all of these derive from an enumeration
	typed   bool          // by a type statement, or as a parameter of a type
	other   bool          // in any other way but an assignment
	values  []syntax.Node // that are assigned to it
}

// judge goes through a file twice: first for what is bound, then for what is used.
type judge struct {
	rules    *Rules
	judging  bool
	binds    map[string]*binding
	imported map[string]bool // modules, and the packages that they are in
	crowded  map[string]bool // names that were imported as more than is followed
	judged   map[string]bool // names that were judged as types
	report   Report
}

func (j *judge) refuse(n syntax.Node, kind Kind, format string, args ...any) {
	if !j.judging {
		return
	}
	if len(j.report.Violations) == MaxViolations {
		j.report.More++
		return
	}
	v := Violation{n.Line(), n.Column(), kind, fmt.Sprintf(format, args...)}
	for _, o := range j.report.Violations {
		if o == v {
			return
		}
	}
	j.report.Violations = append(j.report.Violations, v)
}

func (j *judge) bound(name string) *binding {
	b := j.binds[name]
	if b == nil {
		b = &binding{}
		j.binds[name] = b
	}
	return b
}

// bind is a name that something is bound to; nil while judging, when all are known. What
// hides a name that is not on the list is refused: it stays what it is elsewhere.
func (j *judge) bind(n syntax.Node) *binding {
	name := n.Identifier()
	switch {
	case dunder(name) && !assigned[name]:
		j.refuse(n, Binding, "%s is not to be set", quoted(name))
	case needless[name] && !j.builtin(name):
		j.refuse(n, Binding, "%s hides the built-in of that name, which is not on the list", quoted(name))
	}
	if j.judging {
		if j.crowded[name] {
			j.refuse(n, Binding, "%s is imported as more than %d things", quoted(name), mostOrigins)
		}
		return &binding{}
	}
	return j.bound(name)
}

// use is a name that is read.
func (j *judge) use(n syntax.Node) {
	if !j.judging {
		return
	}
	name := n.Identifier()
	b := j.binds[name]
	if b != nil && len(b.modules) > 0 {
		j.refuse(n, Module, "the module %s is used as a value; use what is on its list, by name", quoted(b.modules[0]))
		return
	}
	if b != nil {
		for _, q := range b.from {
			if most, ok := j.named(q); ok && most != anyUse {
				j.refuse(n, Import, "%s may be called and not be passed on", quoted(q))
			}
		}
	}
	j.plainUse(n, name, b)
}

func (j *judge) plainUse(n syntax.Node, name string, b *binding) {
	if dunder(name) {
		if !loaded[name] {
			j.refuse(n, Builtin, "%s is not on the list", quoted(name))
		}
		return
	}
	switch most, ok := j.rules.member(builtins, name); {
	case ok && most == anyUse:
	case ok && b == nil:
		j.refuse(n, Builtin, "the built-in %s may be called with %d arguments at most, and not be passed on", quoted(name), most)
	case ok, b != nil && !needless[name]:
	case needless[name]:
		j.refuse(n, Builtin, "the built-in %s is not on the list", quoted(name))
	default:
		j.refuse(n, Builtin, "%s is bound nowhere in the file, and no built-in that is on the list", quoted(name))
	}
}

// builtin reports whether a name that needs no import is on the list.
func (j *judge) builtin(name string) bool {
	_, ok := j.rules.member(builtins, name)
	return ok
}

// named is how something may be used that is "module.name".
func (j *judge) named(qualified string) (most int, ok bool) {
	at := strings.LastIndexByte(qualified, '.')
	return j.rules.member(qualified[:at], qualified[at+1:])
}

// attribute is one attribute of a value of which nothing is known.
func (j *judge) attribute(n syntax.Node) {
	switch name := n.Identifier(); {
	case dunder(name) && !special[name]:
		j.refuse(n, Attribute, "the attribute %s is not on the list", quoted(name))
	case denied[name]:
		j.refuse(n, Attribute, "the attribute %s leads out of the program", quoted(name))
	}
}

// chain takes a.b.c apart: what it begins with, and the names behind it.
func chain(n syntax.Node) (root syntax.Node, names []syntax.Node) {
	for n.Kind() == syntax.KindAttribute {
		names = append(names, n.Child(syntax.FieldAttribute))
		n = n.Child(syntax.FieldObject)
	}
	for i, k := 0, len(names)-1; i < k; i, k = i+1, k-1 {
		names[i], names[k] = names[k], names[i]
	}
	return n, names
}

// reach is a.b.c that is read. args are those of a call of it, nil where it is not called.
func (j *judge) reach(n syntax.Node, args *syntax.Node) {
	root, names := chain(n)
	if root.Kind() != syntax.KindIdentifier {
		j.node(root)
		j.attributes(names)
		return
	}
	j.names(root, names, args)
}

// names judges a name with attributes behind it; there is one at least.
func (j *judge) names(root syntax.Node, names []syntax.Node, args *syntax.Node) {
	if !j.judging {
		return
	}
	b := j.binds[root.Identifier()]
	if b == nil || len(b.modules) == 0 {
		j.use(root)
		j.attributes(names)
		return
	}
	for _, module := range b.modules {
		j.within(module, root, names, args)
	}
}

func (j *judge) attributes(names []syntax.Node) {
	for _, n := range names {
		j.attribute(n)
	}
}

// within follows names from a module to what is on its list.
func (j *judge) within(module string, root syntax.Node, names []syntax.Node, args *syntax.Node) {
	if !j.importable(module) {
		j.attributes(names) // its import is refused
		return
	}
	for i, n := range names {
		name := n.Identifier()
		if below := module + "." + name; j.submodule(below) {
			module = below
			continue
		}
		most, ok := j.rules.member(module, name)
		switch {
		case !ok:
			j.refuse(n, Import, "%s is not on the list of the module %s", quoted(name), quoted(module))
		case most != anyUse && (i < len(names)-1 || !atMost(args, most)):
			j.refuse(n, Import, "%s of the module %s may be called with %d arguments at most, and not be passed on", quoted(name), quoted(module), most)
		default:
			j.attributes(names[i+1:])
		}
		return
	}
	j.refuse(root, Module, "the module %s is used as a value; use what is on its list, by name", quoted(module))
}

// submodule reports whether a dotted name is a module.
func (j *judge) submodule(name string) bool { return j.rules.exact(name) || j.imported[name] }

// atMost reports whether a call has so many plain arguments, or less.
func atMost(args *syntax.Node, most int) bool {
	if args == nil || args.Kind() != syntax.KindArgumentList {
		return false
	}
	n := 0
	for a := range args.Children() {
		switch a.Kind() {
		case syntax.KindKeywordArgument, syntax.KindListSplat, syntax.KindDictionarySplat:
			return false
		}
		n++
	}
	return n <= most
}

// call is a call: what is called may be something that can only be called.
func (j *judge) call(n syntax.Node) {
	f, args := n.Child(syntax.FieldFunction), n.Child(syntax.FieldArguments)
	switch f.Kind() {
	case syntax.KindIdentifier:
		j.called(f, &args)
	case syntax.KindAttribute:
		j.reach(f, &args)
	default:
		j.node(f)
	}
	if j.makesTypes(f) {
		j.typeArguments(args)
		return
	}
	j.node(args)
}

// called is a name that is called.
func (j *judge) called(n syntax.Node, args *syntax.Node) {
	if !j.judging {
		return
	}
	name := n.Identifier()
	b := j.binds[name]
	if b == nil {
		if most, ok := j.rules.member(builtins, name); ok && most != anyUse && atMost(args, most) {
			return
		}
		j.use(n)
		return
	}
	if len(b.modules) > 0 {
		j.use(n)
		return
	}
	for _, q := range b.from {
		if most, ok := j.named(q); ok && most != anyUse && !atMost(args, most) {
			j.refuse(n, Import, "%s may be called with %d arguments at most", quoted(q), most)
		}
	}
	j.plainUse(n, name, b)
}

// qualified are the names in modules that an expression could stand for; none where it
// could be anything else.
func (j *judge) qualified(n syntax.Node) []string {
	root, names := n, []syntax.Node(nil)
	if n.Kind() == syntax.KindAttribute {
		root, names = chain(n)
	}
	if root.Kind() != syntax.KindIdentifier {
		return nil
	}
	b := j.binds[root.Identifier()]
	if b == nil || b.other || b.class || len(b.values) > 0 {
		return nil
	}
	if len(names) == 0 {
		return b.from
	}
	var out []string
	for _, m := range b.modules {
		for _, n := range names {
			m += "." + n.Identifier()
		}
		out = append(out, m)
	}
	return out
}

// is reports whether an expression is one of these names of typing and nothing else.
func (j *judge) is(n syntax.Node, names ...string) bool {
	all := j.qualified(n)
	for _, q := range all {
		module, name, _ := strings.Cut(q, ".")
		if module != "typing" && module != "typing_extensions" || !contains(names, name) {
			return false
		}
	}
	return len(all) > 0
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// quoted is foreign text in a message.
func quoted(s string) string { return ext.Quote(ext.Shorten(s, 80)) }

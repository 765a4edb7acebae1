package tools

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc"
)

// judge says whether the spec that a class has holds the capability.
func (s *specs) judge(c class, a *pysrc.Attribute) Outcome {
	switch {
	case a.Reason != "":
		return *undecided(c.file, a.Line, "spec is not told by reading%s", because(a.Reason))
	case a.Value != nil:
		return *contradicted(c.file, a.Line, "spec is %s, and no ToolSpec", a.Value.Kind)
	case a.Call == "":
		return *undecided(c.file, a.Line, "spec is no call of ToolSpec")
	case !isToolSpec(c.module, a.Call):
		return *undecided(c.file, a.Line, "spec is the value of %s, which is not known here", quoted(a.Call+"(…)"))
	}
	var given *pysrc.Argument
	for i := range a.Arguments {
		switch arg := &a.Arguments[i]; {
		case arg.Name == "capabilities":
			given = arg
		case strings.HasPrefix(arg.Name, "*"), arg.Name != "" && arg.Name[0] >= '0' && arg.Name[0] <= '9':
			return *undecided(c.file, arg.Line, "spec has arguments without a name")
		}
	}
	switch {
	case given == nil:
		return *contradicted(c.file, a.Line, "spec has no capabilities")
	case given.Value == nil:
		return *undecided(c.file, given.Line, "the capabilities of spec are not told by reading%s", because(given.Reason))
	}
	return s.among(c.file, given.Line, given.Value)
}

// isToolSpec reports whether a call is one of the framework's class.
func isToolSpec(m *pysrc.Module, call string) bool {
	first, _, dotted := strings.Cut(call, ".")
	if call != "ToolSpec" && !strings.HasSuffix(call, ".ToolSpec") {
		return false
	}
	b := bindingOf(m, first)
	if b == nil {
		return dotted // through an import of the file; a bare name is nobody's
	}
	return b.Value.Kind == pysrc.Imported
}

// among says whether a literal holds the capability.
func (s *specs) among(file string, line int, v *ext.Doc) Outcome {
	var has []string
	switch v.Kind {
	case ext.Null:
	case ext.String:
		has = []string{v.Text}
	case ext.List:
		for i := range v.List {
			if v.List[i].Kind != ext.String {
				return *undecided(file, v.List[i].Line, "spec has %s among its capabilities", v.List[i].Kind)
			}
			has = append(has, v.List[i].Text)
		}
	default:
		return *undecided(file, line, "the capabilities of spec are %s", v.Kind)
	}
	switch {
	case slices.Contains(has, s.capability):
		return Outcome{Contained, file, line, "spec has " + quotedList(has)}
	case len(has) == 0:
		return *contradicted(file, line, "spec has no capabilities, and so not %s", quoted(s.capability))
	}
	return *contradicted(file, line, "spec has %s, and not %s", quotedList(has), quoted(s.capability))
}

package config

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// prefix begins the name of every variable that is meant for this program.
const prefix = "MORTISE_"

// readEnv reads the variables MORTISE_*. Every key outside named tables has
// one. A variable that is empty says nothing, as if it were not set.
func readEnv(env []string, findings *ext.Findings) *reading {
	r := &reading{layer: Environment}
	keys := map[string]*node{}
	known := []string{HomeVariable, WorkspaceVariable, EnvVariable, StackVariable}
	schema.keys(func(n *node) bool {
		keys[n.variable()] = n
		known = append(known, n.variable())
		return true
	})
	for name, value := range variables(env) {
		o := ext.Origin{Source: Environment.String(), Trust: Environment.trust(), Path: name}
		n := keys[name]
		switch {
		case n != nil && value != "":
			r.variable(n, value, o, findings)
		case n == nil && !slices.Contains(known, name) && !strings.HasPrefix(name, InjectPrefix) && !strings.HasPrefix(name, ClaudePrefix):
			findings.Add(unknownVariable(o, known))
		}
	}
	return r
}

func (r *reading) variable(n *node, value string, o ext.Origin, findings *ext.Findings) {
	shown := ext.Quote(ext.Shorten(value, 80))
	v, ok := n.parse(value)
	if !ok {
		r.broken = true
		findings.Add(WrongType.At(o, "%s: expected %s, found %s", n.path, n.takes(), shown))
		return
	}
	if instead := n.accepts(v); instead != "" {
		r.broken = true
		findings.Add(WrongValue.At(o, "%s: expected %s, found %s", n.path, instead, shown))
		return
	}
	r.said = append(r.said, said{node: n, key: n.path, layer: Environment, value: v, origin: o})
}

func unknownVariable(o ext.Origin, known []string) ext.Finding {
	short := make([]string, len(known)) // without what all have in common
	for i, k := range known {
		short[i] = strings.TrimPrefix(k, prefix)
	}
	hint := ""
	if meant := spelling.Nearest(strings.TrimPrefix(o.Path, prefix), short); meant != "" {
		hint = "; did you mean " + prefix + meant + "?"
	} else if strings.HasPrefix(o.Path, prefix+"PLUGINS_") {
		hint = "; plugins are configured in files only"
	} else if strings.HasPrefix(o.Path, prefix+"MARKETS_") {
		hint = "; marketplaces are configured in files only"
	}
	return UnknownVariable.At(o, "unknown variable %s%s", ext.Quote(o.Path), hint)
}

// variables yields those of env that are meant for this program, sorted.
func variables(env []string) func(yield func(name, value string) bool) {
	values := map[string]string{}
	var names []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if _, again := values[name]; !again && strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
		values[name] = value
	}
	slices.Sort(names)
	return func(yield func(name, value string) bool) {
		for _, n := range names {
			if !yield(n, values[n]) {
				return
			}
		}
	}
}

package policy

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/mortise-dev/mortise/ext"
)

// Action is one call, before it is made.
type Action struct {
	Tool      string // as the client calls it
	Qualified string // "acme:search/find"
	Server    string // "" for a tool of no server
	Extension string
	Session   string
	Agent     string
	Client    string // what the client calls itself
	Mode      map[string]string
	// ModeOf finds the mode out where Mode is nil, for a condition that reads it. One that
	// cannot is a condition that cannot be told. Nil: there is no mode.
	ModeOf      func() (ext.Mode, error)
	Arguments   json.RawMessage // a JSON object; none are no arguments
	Annotations *ext.Doc        // the tool's, as it declares them; nil are none
}

// names are what rules on an axis are compared with, in turn: a tool goes by the
// name that agents call it by, its qualified name, and its name in its extension.
func (a *Action) names(axis int) (names [3]string) {
	switch axis {
	case tool:
		_, short, _ := strings.Cut(a.Qualified, ":")
		return [3]string{a.Tool, a.Qualified, cmp.Or(short, a.Qualified)}
	case server:
		return [3]string{a.Server, a.Server, a.Server}
	}
	return [3]string{a.Extension, a.Extension, a.Extension}
}

// The variables of an expression, in the order of a question's values.
const (
	session = axes + iota
	agent
	client
	mode
	arguments
	annotations
	variableCount
)

var variables = [variableCount]string{"tool", "server", "extension", "session", "agent", "client", "mode", "arguments", "annotations"}

// question is an action as expressions see it. It is made for one judgement, and
// each value at most once, when it is first read.
type question struct {
	action *Action
	values [variableCount]any
	shape  shape
	shaped bool
}

// questions are those that nobody uses: without them, half of what judging a call
// allocates would be its question.
var questions = sync.Pool{New: func() any { return new(question) }}

// free gives the question to the next judgement, without anything of its call.
func (q *question) free() {
	*q = question{}
	questions.Put(q)
}

// ResolveName is the value of a variable; a failure to read it is one that ends
// the evaluation which needs it.
func (q *question) ResolveName(name string) (any, bool) {
	for v := range variables {
		if variables[v] == name {
			return q.value(v), true
		}
	}
	return nil, false
}

// Parent is nil: there is nothing behind a question.
func (q *question) Parent() cel.Activation { return nil }

func (q *question) value(v int) any {
	if q.values[v] == nil {
		q.values[v] = q.read(v)
	}
	return q.values[v]
}

func (q *question) read(v int) any {
	a := q.action
	switch v {
	case tool:
		return types.String(a.Tool)
	case server:
		return types.String(a.Server)
	case extension:
		return types.String(a.Extension)
	case session:
		return types.String(a.Session)
	case agent:
		return types.String(a.Agent)
	case client:
		return types.String(a.Client)
	case mode:
		return a.mode()
	case arguments:
		return readArguments(a.Arguments, &q.shape)
	}
	return readAnnotations(a.Annotations, &q.shape)
}

// mode is the mode as conditions read it, or the error that says why it is not known.
func (a *Action) mode() any {
	m := a.Mode
	if m == nil && a.ModeOf != nil {
		found, err := a.ModeOf()
		if err != nil {
			return types.WrapErr(err)
		}
		m = found
	}
	if m == nil {
		return map[string]string{}
	}
	return m
}

// large reports whether what a condition reads is larger than nominal in any way.
func (q *question) large(c *condition) bool {
	if !q.shaped {
		q.shaped = true
		for _, s := range [...]string{q.action.Tool, q.action.Server, q.action.Extension, q.action.Session, q.action.Agent, q.action.Client} {
			q.shape.text(len(s))
		}
	}
	if c.mode && q.values[mode] == nil {
		m, _ := q.value(mode).(map[string]string)
		q.shape.items(len(m))
		for k, v := range m {
			q.shape.text(max(len(k), len(v)))
		}
	}
	if c.arguments {
		q.value(arguments)
	}
	if c.annotations {
		q.value(annotations)
	}
	return q.shape.large
}

// shape is how large a call is.
type shape struct{ large bool }

func (s *shape) text(n int)  { s.large = s.large || n > nominalText }
func (s *shape) items(n int) { s.large = s.large || n > nominalItems }
func (s *shape) total(n int) { s.large = s.large || n > nominalTotal }

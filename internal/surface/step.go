package surface

import (
	"strconv"
	"strings"
	"time"
)

// Step is a command that prepares what an extension depends on, as it was declared:
// nothing in it has been expanded.
type Step struct {
	Command string // a bare name, or "./…" below the root; no shell line
	Args    []string
	Env     []Variable // in the order of the file
	Limit   time.Duration
}

// Variable is one of an environment.
type Variable struct{ Name, Value string }

// Preparing is a value that says what prepares its extension.
type Preparing interface{ Prepares() Step }

// Expanded is the step with the two directories in place of their variables. What comes
// out is not looked at again, and the command is none that holds any.
func (s Step) Expanded(root, data string) Step {
	fill := strings.NewReplacer(RootVariable, root, DataVariable, data)
	out := s
	out.Args, out.Env = nil, nil
	for _, a := range s.Args {
		out.Args = append(out.Args, fill.Replace(a))
	}
	for _, v := range s.Env {
		out.Env = append(out.Env, Variable{v.Name, fill.Replace(v.Value)})
	}
	return out
}

// String is the step as a person reads it: its words, each to be told apart, and what is
// put into its environment.
func (s Step) String() string {
	words := []string{told(s.Command)}
	for _, a := range s.Args {
		words = append(words, told(a))
	}
	out := strings.Join(words, " ")
	for _, v := range s.Env {
		out += "; with " + v.Name + "=" + told(v.Value)
	}
	return out
}

// told is a word as it is, or in quotes where it is not plain.
func told(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("-_./:@%+=,${}", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if plain {
		return s
	}
	return strconv.Quote(s)
}

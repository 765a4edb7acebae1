package pysrc

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// Module is what Read made of one file. It is plain data, and is not changed.
type Module struct {
	Path string
	// Fault is why Python could not read the file; nil when it can. Such a module has no
	// bindings and no classes.
	Fault *syntax.Fault
	// Skipped is why the file was not read beyond its text: it has no class, or names
	// nothing of the Index. "" for one that was read whole.
	Skipped string
	// Statements is how many class statements stand in the file, wherever.
	Statements int
	// Imports are the modules that the file imports, as written (".a", "x.y"), sorted. They
	// are known also where the file was skipped.
	Imports []string
	// Bindings are the names of the module when its last statement is done, sorted.
	Bindings []Binding
	// Classes are the class statements that were interpreted: those at module level, and
	// those in their bodies. Values refer to them by position.
	Classes []ClassStmt
}

// Binding is one name and what it holds in the end.
type Binding struct {
	Name  string // in NFKC
	Line  int    // of the statement that bound it last
	Value Value
}

// ValueKind is the shape of a Value.
type ValueKind uint8

const (
	// Unknown is a value that reading does not tell; Why says what it is.
	Unknown ValueKind = iota
	// Absent is a name that is not bound, such as after del.
	Absent
	// Imported is what a dotted name leads to, outside the file.
	Imported
	// Builtin is a built-in name that nothing in the file hides.
	Builtin
	// Local is a class statement of the file.
	Local
	// Literal is a constant, or another expression that is no class.
	Literal
	// Function is a function of the file.
	Function
	// Called is the value of a call: Of is what was called, then its positional arguments.
	Called
	// OneOf is one of several values, which one is not known.
	OneOf
)

// Value is what an expression or a name stands for.
type Value struct {
	Kind ValueKind
	// Name is the dotted name of Imported and Builtin; a function's own name; leading dots
	// are those of a relative import.
	Name  string
	Class int // of Local: a position in Module.Classes
	Line  int // where it was written
	Of    []Value
	// Arguments are the keyword arguments of Called.
	Arguments []Argument
	Why       string
	// Typing is set for what is bound for type checking only.
	Typing bool
	// Returns says of a Function what reading its body tells: see the constants.
	Returns Returns
}

// Returns is what is known of a function that is used as a decorator.
type Returns uint8

const (
	// Anything is a function of which nothing is known.
	Anything Returns = iota
	// Same is one that returns its only argument.
	Same
	// Marked is one whose body names something that may put the deployment marker on.
	Marked
)

// ClassStmt is one class statement that was interpreted.
type ClassStmt struct {
	Name         string // in NFKC, or what a later statement set __name__ to
	Line, Column int
	Nested       bool // stands in another class's body
	// Foreign is set where the class claims to be of another module (__module__).
	Foreign bool
	Bases   []Base
	// Decorators are in the order of the file: the last is applied first.
	Decorators []Value
	// Marker is the line where __deployment_config__ is set, in the body or later; else 0.
	Marker int
	// Maybe is set where the statement stands under a condition.
	Maybe bool
	// Attributes are the simple names that the body is left with, sorted.
	Attributes []Attribute
}

// Base is one base of a class.
type Base struct {
	Text  string // as written, bounded
	Line  int
	Value Value
}

// Attribute is one name that a class's body is left with: a literal, a call with its
// keyword arguments, a nested class, or something else.
type Attribute struct {
	Name string
	Line int
	// Value is a literal; nil for what is none.
	Value *ext.Doc
	// Call is what was called, as a dotted name through the file's imports where those
	// tell it, else as written; "" for what is no call.
	Call string
	// Arguments are those of the call, keywords in order, then positional ones, whose
	// Name is their position ("0").
	Arguments []Argument
	Class     int // a nested class: its position in Module.Classes, plus one; else 0
	// Reason says why the value is not known, or not known for certain; "" for one that
	// is.
	Reason string
}

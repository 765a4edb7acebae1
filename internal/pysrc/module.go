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
	// Statements is how many class statements stand in the file, wherever; where it has a
	// Fault, before that.
	Statements int
	// Imports are the modules that the file imports, as written (".a", "x.y"), and what it
	// takes out of them. They are known also where the file was skipped.
	Imports []string
	// Bindings are the names of the module when its last statement is done, sorted.
	Bindings []Binding
	// Stars are the star imports at module level, in order.
	Stars []Star
	// Classes are the class statements that were interpreted: those at module level, in
	// the bodies of those, and in functions. Values refer to them by position.
	Classes []ClassStmt
	// Functions are those at module level that have decorators.
	Functions []FunctionStmt
	// Ends is the line of a statement that ends the loading of the file whatever happens
	// (raise, at module level); 0 when there is none. What follows was not interpreted.
	Ends int
	// Notes are remarks on the whole file, such as a line that runs text as code.
	Notes []Step
	// Dynamic is the line of a statement that may bind names in ways that reading does not
	// see; 0 when there is none.
	Dynamic int
}

// Star is an import of everything that a module has.
type Star struct {
	Module string // as written
	Line   int
}

// Binding is one name and what it holds in the end.
type Binding struct {
	Name  string // in NFKC
	Line  int    // of the statement that bound it last
	Value Value
	// Global is the line where a function says that it may bind the name; else 0.
	Global int
}

// ValueKind is the shape of a Value.
type ValueKind uint8

const (
	// Unknown is a value that reading does not tell; Why says what it is.
	Unknown ValueKind = iota
	// Absent is a name that is not bound, such as after del; Why may say more.
	Absent
	// Imported is what a dotted name leads to, outside the file.
	Imported
	// Builtin is a built-in name that nothing in the file hides.
	Builtin
	// Local is a class statement of the file.
	Local
	// Literal is a constant, or another expression that is no class.
	Literal
	// Function is a function of the file, or a lambda.
	Function
	// Called is the value of a call: Of is what was called, then its positional arguments.
	Called
	// OneOf is one of several values, which one is not known; Why says where that is
	// decided.
	OneOf
)

// Value is what an expression or a name stands for.
type Value struct {
	Kind ValueKind
	// Name is the dotted name of Imported and Builtin, where leading dots are those of a
	// relative import; the own name of Function; the spelling of a Literal that a test can
	// fold (True, False, 0, 1); of Called, the name of the class that type() makes, whose
	// bases are then what it is called with.
	Name  string
	Class int // of Local: a position in Module.Classes
	Line  int // where it was made: of the import, the statement, the call
	// Of are the parts of Called and OneOf; of Function, what its body names that the Index
	// has a word for.
	Of []Value
	// Arguments are the keyword arguments of Called.
	Arguments []Argument
	Why       string
	// Star is set for what a star import may have brought.
	Star bool
	// Typing is set for what is bound for type checking only.
	Typing bool
	// Same is set for a Function that returns its only argument.
	Same bool
	// Makes are the class statements in a Function: positions in Module.Classes.
	Makes []int
}

// ClassStmt is one class statement that was interpreted.
type ClassStmt struct {
	Name         string // in NFKC, or what a later statement set __name__ to
	Line, Column int
	// In is the name of the function that it stands in; "" outside.
	In string
	// Foreign is the line where the class claims to be of another module (__module__); else 0.
	Foreign int
	Bases   []Base
	// Decorators are in the order of the file: the last is applied first.
	Decorators []Base
	// Marker is the line where __deployment_config__ is set, in the body or later; else 0.
	// MarkerMaybe says that it is under a condition.
	Marker      int
	MarkerMaybe bool
	// Attributes are the simple names that the body is left with, sorted.
	Attributes []Attribute
}

// FunctionStmt is a function with decorators.
type FunctionStmt struct {
	Name       string
	Line       int
	Decorators []Base
}

// Base is a base of a class, or a decorator.
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
	// Name is their position ("0"). Unpacked ones have the name "*" or "**".
	Arguments []Argument
	Class     int // a nested class: its position in Module.Classes, plus one; else 0
	// Reason says why the value is not known, or not known for certain; "" for one that
	// is.
	Reason string
}

// binding is what a name holds in the end; false where the file does not bind it.
func (m *Module) binding(name string) (Binding, bool) {
	for lo, hi := 0, len(m.Bindings); lo < hi; {
		mid := (lo + hi) / 2
		switch b := m.Bindings[mid]; {
		case b.Name == name:
			return b, true
		case b.Name < name:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return Binding{}, false
}

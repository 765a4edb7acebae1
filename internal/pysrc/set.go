package pysrc

import "context"

// File is one file to be read. Path is slash-separated and only told, except that the
// names of siblings are taken from it: "x/a.py" is the module "a" to other files below "x".
type File struct {
	Path   string
	Source []byte
}

// Set is what Link makes of a list of modules. It is not changed afterwards.
type Set struct {
	// Classes are sorted by file, line, kind and name.
	Classes []Class
	// Wanted are the paths of modules that Read passed over and that import from a module
	// with a class of interest. Reading them whole and linking again may find more. They
	// are sorted; nil when the set is complete.
	Wanted []string

	modules map[string]*Module
}

// Options are how ReadSet works; the zero value is right.
type Options struct {
	Workers int // 0 means one
	// All reads every file that has a class statement whole, also those that name nothing
	// of the Index.
	All bool
}

// Read reads one file. It never fails for what is in the file, which the module's Fault
// tells; the error is that of ctx. With all, a file is read whole where the Index names
// nothing in it.
func Read(ctx context.Context, f File, x *Index, all bool) (*Module, error) { panic("not yet") }

// Link says which classes of the modules are of a kind that x knows. Modules are in any
// order; two of one path are a programming mistake, and the later one counts.
func Link(modules []*Module, x *Index) *Set { panic("not yet") }

// ReadSet reads files and links them, reading again what is wanted until nothing more is.
// The modules are in the order of the files. The error is that of ctx.
func ReadSet(ctx context.Context, files []File, x *Index, o Options) ([]*Module, *Set, error) {
	panic("not yet")
}

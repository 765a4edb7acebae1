package pysrc

// Index is what is known of classes and decorators that are defined elsewhere. All names
// are dotted, as an import statement would spell them; one that ends in ".*" stands for
// everything below. The zero Index knows nothing, so that every imported base is
// unresolved. An Index is not changed once it is used.
type Index struct {
	// Agents are classes that are agents: the base itself, its re-exports, and known
	// subclasses.
	Agents []string
	// Roots are those of Agents that are the base itself. They are never listed, wherever
	// they are defined.
	Roots []string
	// Deployments are classes that carry the deployment marker, so that whatever derives
	// from them does.
	Deployments []string
	// Decorators put the deployment marker on a class, bare or called.
	Decorators []string
	// Keywords are the arguments that Decorators take. Others are told in a note.
	Keywords []string
	// Plain are classes and decorators that are known to be neither. A name that is also
	// in another list is not plain. The standard library and the built-in names need not be
	// listed.
	Plain []string
}

// With is x with what more knows besides. Neither is changed.
func (x *Index) With(more *Index) *Index {
	join := func(a, b []string) []string { return append(append([]string(nil), a...), b...) }
	return &Index{
		Agents: join(x.Agents, more.Agents), Roots: join(x.Roots, more.Roots),
		Deployments: join(x.Deployments, more.Deployments), Decorators: join(x.Decorators, more.Decorators),
		Keywords: join(x.Keywords, more.Keywords), Plain: join(x.Plain, more.Plain),
	}
}

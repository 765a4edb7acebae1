package pysrc

// Attribute finds what reading tells of an attribute of a class: its own, or that of the
// first base that has it, in the order of Python's search where that is simple, through
// the modules of the set. Certain is false where a base that comes before may have it, or
// where a condition decides; the reason is then in the attribute. The file and name are
// those of a class of the set, whatever its kind; found is false where there is no such class.
func (s *Set) Attribute(file, class, name string) (a Attribute, evidence []Step, found bool) {
	panic("not yet")
}

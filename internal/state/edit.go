package state

import "slices"

// Record is something a Snapshot lists: an Installed, a Switch, an Adoption, a
// Grant, a Pin, a Guard, a Description, a Connection or a Level.
type Record interface {
	put(*Snapshot)
	remove(*Snapshot) bool
}

// Put adds records. Each replaces the one that it is identified with, if any.
func (s *Snapshot) Put(records ...Record) {
	for _, r := range records {
		r.put(s)
	}
}

// Remove takes out what is identified with one of records, whose other fields
// do not matter, and returns how many there were.
func (s *Snapshot) Remove(records ...Record) int {
	n := 0
	for _, r := range records {
		if r.remove(s) {
			n++
		}
	}
	return n
}

func (r Installed) put(s *Snapshot)   { put(&s.Roster, r) }
func (r Switch) put(s *Snapshot)      { put(&s.Switches, r) }
func (r Adoption) put(s *Snapshot)    { put(&s.Adoptions, r) }
func (r Grant) put(s *Snapshot)       { put(&s.Grants, r) }
func (r Pin) put(s *Snapshot)         { put(&s.Pins, r) }
func (r Guard) put(s *Snapshot)       { put(&s.Guards, r) }
func (r Description) put(s *Snapshot) { put(&s.Descriptions, r) }
func (r Connection) put(s *Snapshot)  { put(&s.Connections, r) }
func (r Level) put(s *Snapshot)       { put(&s.Levels, r) }

func (r Installed) remove(s *Snapshot) bool   { return remove(&s.Roster, r) }
func (r Switch) remove(s *Snapshot) bool      { return remove(&s.Switches, r) }
func (r Adoption) remove(s *Snapshot) bool    { return remove(&s.Adoptions, r) }
func (r Grant) remove(s *Snapshot) bool       { return remove(&s.Grants, r) }
func (r Pin) remove(s *Snapshot) bool         { return remove(&s.Pins, r) }
func (r Guard) remove(s *Snapshot) bool       { return remove(&s.Guards, r) }
func (r Description) remove(s *Snapshot) bool { return remove(&s.Descriptions, r) }
func (r Connection) remove(s *Snapshot) bool  { return remove(&s.Connections, r) }
func (r Level) remove(s *Snapshot) bool       { return remove(&s.Levels, r) }

func put[T record[T]](list *[]T, r T) {
	if i := find(*list, r); i >= 0 {
		(*list)[i] = r
		return
	}
	*list = append(*list, r)
}

func remove[T record[T]](list *[]T, r T) bool {
	i := find(*list, r)
	if i < 0 {
		return false
	}
	*list = slices.Delete(*list, i, i+1)
	return true
}

func find[T record[T]](list []T, r T) int {
	return slices.IndexFunc(list, func(x T) bool { return x.compare(r) == 0 })
}

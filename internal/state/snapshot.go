package state

import "slices"

// Snapshot is everything remembered at one moment. One that a Store returned
// is not changed by anybody else; one that Update passes may be edited until
// the function returns, best with Put and Remove.
type Snapshot struct {
	Revision     uint64
	Roster       []Installed   // what is installed, in load order
	Switches     []Switch      // what was disabled
	Adoptions    []Adoption    // which workspaces were adopted
	Grants       []Grant       // what was consented to, lapsed grants included
	Pins         []Pin         // which tool definitions were seen
	Guards       []Guard       // which guards were admitted
	Descriptions []Description // what servers said of themselves
	Connections  []Connection  // which events clients deliver
	Levels       []Level       // at which levels worktrees are, but for defaults
}

// Clone is a copy of s that shares nothing with it.
func (s *Snapshot) Clone() Snapshot {
	return Snapshot{
		Revision:     s.Revision,
		Roster:       slices.Clone(s.Roster),
		Switches:     slices.Clone(s.Switches),
		Adoptions:    slices.Clone(s.Adoptions),
		Grants:       slices.Clone(s.Grants),
		Pins:         slices.Clone(s.Pins),
		Guards:       slices.Clone(s.Guards),
		Descriptions: slices.Clone(s.Descriptions),
		Connections:  slices.Clone(s.Connections),
		Levels:       slices.Clone(s.Levels),
	}
}

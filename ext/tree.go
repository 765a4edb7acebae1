package ext

import "io/fs"

// Place says where in a tree one document of a surface lies. A format lays an
// extension out as a list of places: nothing is copied, and what a place does
// not name is not part of the extension.
type Place struct {
	Surface string // name of the surface the document is for
	Path    string // canonical path, from which names are taken: "skills/deploy/SKILL.md"
	File    string // path of the file that holds it, below the tree's root
	Leads   string // absolute path that File leads to, where that is outside the root and followed; else ""
	Doc     *Doc   // the node within File, where the format has read it already; nil: read File
	Dialect string // how the document is written, where that is not the canonical way; else ""
	// Fault, when not nil, says why there is no document here although the
	// extension declares one. The place counts as a refused entry.
	Fault *Finding
}

// Tree is one unit of admission as its source offers it: files, where they
// came from, and which of them are documents of which surface.
type Tree struct {
	Extension Name   // what the host calls it
	Label     string // what it calls itself; "" when it does not say
	Format    string // "agent-plugins/1.0.0", "claude-code", "loose", …
	Origin    Origin // Path and Line are empty
	FS        fs.FS  // contained: nothing outside the root can be read through it
	Root      string // absolute directory, for people; "" when there is none. Part of no digest
	Leads     string // Root with its links resolved; "" when there is none
	// Watch are the absolute files and directories in which everything lies that the tree
	// is read from, where those are less than Root. Part of no digest.
	Watch    []string
	Own      bool   // the person's own configuration names it, whatever workspace this is
	Sealed   Digest // what the digest of all its files should be; zero: they may be what they are
	Places   []Place
	Manifest *Doc     // the manifest as read; nil when the format has none or it could not be read
	Unread   bool     // of a format that is known by sight and not read; it is no candidate
	Also     []string // other formats that the same directory is laid out in
	Findings Findings // what reading the layout noticed; an error refuses the tree whole
	// Describes, when not nil, says that the tree is what something running said
	// of itself. Such a tree is not found for itself: it goes with the extension
	// that declares what it describes.
	Describes *Described
	// Close releases FS; whoever was yielded the tree calls it once done with
	// it. Nil: there is nothing to release.
	Close func()
}

// Described is the entry that a tree describes, as it was when it was asked.
type Described struct {
	Surface     string // of the entry: "server"
	Entry       string // its name within the extension
	Declaration Digest // of the entry that was running
	Ref         Ref    // what reaches it; Name is empty
}

// Rename gives the tree, its origin and what was found so far another name.
// It is for sources that learn the name from the manifest.
func (t *Tree) Rename(name Name) {
	t.Extension, t.Origin.Extension = name, name
	for i := range t.Findings {
		t.Findings[i].Origin.Extension = name
	}
	for i := range t.Places {
		if f := t.Places[i].Fault; f != nil {
			f.Origin.Extension = name
		}
	}
}

// Limits bound what is read. Every limit that is hit is a finding.
type Limits struct {
	FileBytes int64 // the largest file that is read
	Files     int   // the most documents of one tree
	Depth     int   // the deepest directory below a component's directory
}

// DefaultLimits are the limits where nothing else is configured.
var DefaultLimits = Limits{FileBytes: 1 << 20, Files: 20_000, Depth: 16}

// Package tools reads and writes the tool catalogue of a design monorepo: one JSON
// file, whose entries say which tool serves a purpose, and where it lies. An entry that
// is broken costs itself alone, and what is not understood is kept when the file is
// written anew. Which class stands behind an entry is read, and never run.
package tools

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

const (
	// Path is where the catalogue lies in a repository, wherever its surfaces are.
	Path = ".colony/tool-registry.json"
	// Version is the newest version of the file that is read, and the one that is written.
	Version = 2
	// MaxBytes is the largest catalogue that is read or written.
	MaxBytes = 8 << 20
	// MaxEntries is how many entries a catalogue may have.
	MaxEntries = 10_000
	// MaxText is how many bytes a text of an entry may have.
	MaxText = 4 << 10
)

// The keys of an entry, as the file spells them.
const (
	keyName       = "name"
	keyPurpose    = "purpose"
	keyLocation   = "location"
	keyCapability = "capability"
	keyClass      = "capability_fqn"
	keyExtra      = "extra"
)

// Entry is one tool of a catalogue. It is listed and looked for; nothing here calls it.
type Entry struct {
	Name     string
	Purpose  string
	Location string // as written; At takes it apart
	// Capability is what it can do; the class behind it must say so too. "": it does not say.
	Capability string
	Class      string   // "module.Class" behind it; "" for one that is a stub
	Extra      *ext.Doc // the object "extra"; nil when there is none
	// Doc is the entry as written, with all its keys and its lines in the file. For one
	// that was not read from a file it may be the zero Doc.
	Doc  ext.Doc
	Line int // of the entry in the file; 0 for one that was not read from a file
	// Remote is the imported remote whose catalogue it is from; "" for the repository's own.
	Remote string
}

// Key tells an entry from the others of its catalogue: purpose and name.
type Key struct{ Purpose, Name string }

// Key is by what an entry is replaced.
func (e *Entry) Key() Key { return Key{e.Purpose, e.Name} }

// String is "purpose/name".
func (k Key) String() string { return k.Purpose + "/" + k.Name }

// Stub reports whether nobody said which class is behind the entry.
func (e *Entry) Stub() bool { return e.Class == "" }

// Writable reports whether the tool is the repository's own.
func (e *Entry) Writable() bool { return e.Remote == "" }

// Description is the text "description" of Extra; "" when there is none.
func (e *Entry) Description() string { return e.Extra.Word("description") }

// At is where the tool lies, as far as its location follows the convention.
func (e *Entry) At() Location { return ParseLocation(e.Location) }

// Location is where a tool lies. The zero value is somewhere that the convention of
// locations does not know.
type Location struct {
	Dir    string // below the root of the repository, or of the remote
	Remote string // name of an imported remote; "" for this repository
}

// ParseLocation takes a location apart: "subdir:PATH", or
// "remote:NAME:tools/PURPOSE/TOOL". Anything else is the zero Location.
func ParseLocation(text string) Location {
	if dir, ok := strings.CutPrefix(text, "subdir:"); ok {
		return Location{Dir: dir}
	}
	if rest, ok := strings.CutPrefix(text, "remote:"); ok {
		if name, dir, ok := strings.Cut(rest, ":"); ok && name != "" {
			return Location{Dir: dir, Remote: name}
		}
	}
	return Location{}
}

// String is l as an entry has it.
func (l Location) String() string {
	switch {
	case l == Location{}:
		return ""
	case l.Remote != "":
		return "remote:" + l.Remote + ":" + l.Dir
	}
	return "subdir:" + l.Dir
}

// RemoteLocation is where a tool of an imported remote lies, whatever the remote's own
// catalogue says of it.
func RemoteLocation(remote string, k Key) Location {
	return Location{Dir: "tools/" + k.String(), Remote: remote}
}

package state

import (
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Installed is one line of the roster. Name and Scope identify it. Whether it is
// disabled is what switches say.
type Installed struct {
	Name   ext.Name
	Scope  string // identity of the workspace it is installed for; "" is every workspace
	Kind   string // of its source: Git, Archive or Linked
	Source string // where it came from: an address, or the path of a directory or an archive
	Within string // the plugin's directory within the source, with slashes; "" is all of it
	Ref    string // the branch, tag or version asked for; "" is the source's default
	// Market is where it was found: PLUGIN@MARKET; "" is that its source was given.
	Market string
	Commit string // of its checkout: the commit that Ref was resolved to, or the SHA-256 of an archive; "" where the source has none
	// Submodules says that the checkouts hold what the submodules of their commits name,
	// the one before included.
	Submodules bool
	Digest     ext.Digest // of the plugin's directory in that; zero where the source has no commits
	Pinned     bool       // it is updated when its name is given, and not with all others
	// Before and DigestBefore are of the checkout that an update took it from; "" and
	// zero where there was none.
	Before       string
	DigestBefore ext.Digest
	Order        int // position in the load order; equal ones go by name
	By           string
	At           time.Time
}

// Kinds of sources of plugins.
const (
	Git     = "git"
	Archive = "archive"
	Linked  = "directory" // read where it lies
)

// Switch says that a person disabled something. Workspace, Extension and Entry
// identify it.
type Switch struct {
	Workspace string // identity of the workspace it holds in; "" is every workspace
	Extension ext.Name
	Entry     string // "" is the whole extension, else a short name ("deploy") or EntryName's ("skill/deploy")
	Reason    string
	By        string
	At        time.Time
}

// EntryName is the surface-qualified name of an entry within its extension:
// "skill/deploy".
func EntryName(surface, name string) string { return surface + "/" + name }

// Adoption says that a person made a workspace their own, with exactly these
// effects. Workspace, Digest and Place identify it: worktrees of one repository
// share an identity and may differ, and each was looked at. Older ones stay
// beside newer ones until they are removed: each is something that was
// consented to, and can be gone back to.
type Adoption struct {
	Workspace string     // identity of the workspace; never ""
	Digest    ext.Digest // of the workspace's effects when it was adopted; never zero
	Place     string     // absolute directory it was adopted in; "" in what an older version wrote
	Snapshot  string     // one JSON document of what was shown, read by who wrote it; "" in what an older version wrote
	By        string
	At        time.Time
}

// Grant is a person's consent to something with exactly this content. Kind,
// Subject and Digest identify it.
type Grant struct {
	Kind    string // what sort of thing: "server", "code", "tool", "answer", …
	Subject string // which one: "acme:search"
	Digest  ext.Digest
	By      string
	At      time.Time
	Until   time.Time // when it lapses; zero is never
}

// Pin remembers the definition of something that a server offers, and that was
// approved: what the server said of it then. Workspace, Extension, Server and Tool
// identify it.
type Pin struct {
	Workspace string // identity of the workspace its server runs in; "" in what an older version wrote, which holds nowhere
	Extension ext.Name
	Server    string // the entry's name within the extension
	Tool      string // by EntryName: "tool/search/find"; "" says that what the server first offered was dealt with
	Digest    ext.Digest
	By        string
	At        time.Time
}

// Guard remembers, from the admission of an extension, something that may
// deny, so that it is still asked when the extension is refused later. All
// fields but Code and At identify it.
type Guard struct {
	Extension ext.Name
	Scope     ext.Digest // of where it holds: a workspace at a place, or all of a person's
	Name      string
	Event     string     // what it is asked about
	Matcher   string     // what of that event it guards, as declared; "" is everything
	Code      ext.Digest // of the code that answers
	At        time.Time
}

// Connection says that a client delivers one of its events here: it called mortise
// hook for it. Workspace, Client and Event identify it.
type Connection struct {
	Workspace string    // identity of the workspace it was called in; never ""
	Client    string    // by the name of its format; never ""
	Event     string    // as the client spells it; never ""
	At        time.Time // of the first call
}

// Description is what a server said of itself when it was last asked.
// Workspace, Extension and Server identify it.
type Description struct {
	Workspace   string // identity of the workspace it ran in; never ""
	Extension   ext.Name
	Server      string     // the entry's name within the extension; never ""
	Declaration ext.Digest // of the declaration that was running; never zero
	Content     string     // one JSON document, read by who wrote it; it may have several MiB
	At          time.Time
}

// Level says at which level a person set an axis of a worktree that is not at its
// default. Worktree and Axis identify it.
type Level struct {
	Worktree string    // absolute directory; never ""
	Axis     string    // never ""
	Level    string    // never ""
	Until    time.Time // when it ends; zero is never
	By       string
	At       time.Time
	// Boot names the boot of the machine in which it was set, and Uptime is how long that
	// had lasted then, sleep included; "" is not known. No clock that is set back lengthens
	// a level by that.
	Boot   string
	Uptime time.Duration
}

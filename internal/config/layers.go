package config

import (
	"fmt"

	"github.com/mortise-dev/mortise/ext"
)

// Layer is where a value is said. A higher layer has precedence.
type Layer uint8

const (
	// Default is this program.
	Default Layer = iota
	// User is the person's own config.toml.
	User
	// Shared is the workspace's mortise.toml.
	Shared
	// Local is the workspace's mortise.local.toml.
	Local
	// Environment is the variables MORTISE_*.
	Environment
	// Managed is the machine's managed file.
	Managed
)

var layerWords = [...]string{"default", "user", "shared", "local", "environment", "managed"}

// String is the word for l used in listings.
func (l Layer) String() string {
	if int(l) < len(layerWords) {
		return layerWords[l]
	}
	return fmt.Sprintf("layer(%d)", uint8(l))
}

// MarshalText is String.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// mayWiden is true for the layers that are known to be written by the person
// or by who manages the machine. A mortise.local.toml can arrive in an archive,
// and variables can be set by whatever starts the program.
func (l Layer) mayWiden() bool { return l == User || l == Managed }

func (l Layer) trust() ext.Trust {
	switch l {
	case Default:
		return ext.Builtin
	case Shared, Local:
		return ext.Project
	}
	return ext.Owner
}

// workspace reports whether the layer is a file of the workspace's.
func (l Layer) workspace() bool { return l == Shared || l == Local }

// base says in one word what relative paths of the layer are relative to, so
// that a digest can tell them apart without naming a directory.
func (l Layer) base() string {
	if l.workspace() {
		return "workspace"
	}
	return l.String()
}

// listing is the order in which the layers' plugins are loaded: from the
// widest scope to the narrowest, so that a file adds behind those before it.
var listing = [...]Layer{Managed, User, Shared, Local}

// Package colony knows the manifest of a design monorepo, .colony/manifest.json: what it
// may hold, where it says that each surface lies, which branches it protects, and as whom
// a change is committed. Reading it is strict, and writing it loses nothing.
//
// A version that is missing is 1, which is what files had before there was one, so that a
// migration can say what it is from then on. Versions are whole numbers from 1. A key that
// is there twice is refused, since readers disagree about which one counts; so are unknown
// keys of the file, of extensions and of a surface. Unknown keys within lfs, webhook and an
// import are kept, and written again. Nothing is converted: a number is no text, and "true"
// is not true.
package colony

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
)

const (
	// Dir is the directory that makes a working tree a design monorepo.
	Dir = ".colony"
	// Path is where the manifest lies, below the working tree.
	Path = Dir + "/manifest.json"
	// Version is the version of the manifest that is read and written here.
	Version = 2
)

// Surface is one kind of things that a monorepo declares, as its manifest calls it.
type Surface string

// The surfaces.
const (
	Plugins     Surface = "plugins"
	Agents      Surface = "agents"
	Deployments Surface = "deployments"
	Tools       Surface = "tools"
	Profiles    Surface = "profiles"
	Missions    Surface = "missions"
)

// Surfaces are all surfaces, in the order in which they are listed everywhere.
var Surfaces = []Surface{Plugins, Agents, Deployments, Tools, Profiles, Missions}

// Default is the directory of the surface where the manifest names none, below the working
// tree, as a manifest spells it.
func (s Surface) Default() string { return Dir + "/" + string(s) + "/" }

// ParseSurface is the surface of that name. Any other name is an error of usage.
func ParseSurface(name string) (Surface, error) {
	names := make([]string, len(Surfaces))
	for i, s := range Surfaces {
		if names[i] = string(s); name == names[i] {
			return s, nil
		}
	}
	if near := spelling.Nearest(name, names); near != "" {
		return "", ext.AsUsage(fmt.Errorf("there is no surface %s; did you mean %s?", ext.Quote(ext.Shorten(name, 80)), near))
	}
	return "", ext.AsUsage(fmt.Errorf("there is no surface %s; there are %s", ext.Quote(ext.Shorten(name, 80)), strings.Join(names, ", ")))
}

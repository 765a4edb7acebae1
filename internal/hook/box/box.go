// Package box holds the hooks for the container that an agent works in.
package box

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Argument is something that the box is made with. It is no text for the engine: what an
// extension cannot say here, such as a privilege, it cannot have.
type Argument struct {
	Kind     string `json:"kind" doc:"env, mount (of a directory or file of this machine), volume, or tmpfs."`
	Name     string `json:"name,omitzero" doc:"Of env: the variable. Of volume: the volume."`
	Value    string `json:"value,omitzero" doc:"Of env: its value."`
	Source   string `json:"source,omitzero" doc:"Of mount: the directory or file. ${WORKSPACE}, ${PLUGIN_ROOT} and ${PLUGIN_DATA} stand for directories."`
	Target   string `json:"target,omitzero" doc:"Where it is in the box: an absolute path."`
	Writable bool   `json:"writable,omitzero" doc:"Of mount: the box may write to it. It may not without."`
}

// The kinds of arguments.
const (
	Env    = "env"
	Mount  = "mount"
	Volume = "volume"
	Tmpfs  = "tmpfs"
)

// Step is something that is done once in a fresh box.
type Step struct {
	Label string   `json:"label" doc:"What it does, in a few words."`
	Check []string `json:"check,omitempty" doc:"A command that ends with 0 where there is nothing to do."`
	Run   []string `json:"run" doc:"The command that does it. No shell is asked."`
}

var (
	// Arguments are what the box is made with. They are the same in every mode: a box is
	// not made anew because a level changed.
	Arguments = surface.DefineHook(surface.HookDef[surface.Question, Argument]{
		Name:  "box_args",
		Doc:   "What the box is made with: variables, mounts and volumes.",
		Needs: ext.Project, Merge: surface.Overlay, Fixed: true,
		Key: Argument.key, Valid: (*Argument).check,
	})
	// Bootstrap is what is done in a fresh box.
	Bootstrap = surface.DefineHook(surface.HookDef[surface.Question, Step]{
		Name:  "box_bootstrap",
		Doc:   "What is done once in a fresh box.",
		Needs: ext.Project, Merge: surface.Append, Fixed: true,
		Valid: func(s *Step) error {
			if s.Label == "" || len(s.Run) == 0 || s.Run[0] == "" {
				return fmt.Errorf("is about a step without a label or a command")
			}
			return nil
		},
	})
)

// key is what an argument takes for itself: a variable, or a place in the box.
func (a Argument) key() string {
	if a.Kind == Env {
		return "env " + a.Name
	}
	return "at " + path.Clean(a.Target)
}

func (a *Argument) check() error {
	if !slices.Contains([]string{Env, Mount, Volume, Tmpfs}, a.Kind) {
		return fmt.Errorf("has the kind %s, expected env, mount, volume or tmpfs", ext.Quote(a.Kind))
	}
	if a.Kind == Env {
		if a.Name == "" || strings.ContainsAny(a.Name, "=\x00\n ") || strings.ContainsRune(a.Value, 0) {
			return fmt.Errorf("is about a variable whose name or value is none")
		}
		return nil
	}
	switch {
	case !path.IsAbs(a.Target) || path.Clean(a.Target) == "/" || strings.ContainsAny(a.Target, ":,\x00\n"):
		return fmt.Errorf("has the target %s, expected an absolute path in the box without ':' and ','", ext.Quote(ext.Shorten(a.Target, 200)))
	case a.Kind == Mount && (a.Source == "" || strings.ContainsAny(a.Source, ",\x00\n")):
		return fmt.Errorf("has the source %s, expected a path of this machine without ','", ext.Quote(ext.Shorten(a.Source, 200)))
	case a.Kind == Volume && (a.Name == "" || strings.ContainsAny(a.Name, "/:,\x00\n ")):
		return fmt.Errorf("has the volume %s, expected a name", ext.Quote(ext.Shorten(a.Name, 80)))
	}
	return nil
}

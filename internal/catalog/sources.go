package catalog

import (
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/builtin"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/source/roots"
)

// Sources are the sources of a configuration, in load order: what is built in,
// the owner's directory, plugins as the configuration lists them.
func Sources(c *config.Config, adopted bool) []ext.Source {
	env := source.Env{Specs: Specs, Limits: limits(c)}
	out := []ext.Source{
		&builtin.Source{Extension: ext.BuiltinName, Files: builtinFiles(), Loose: bridge.Loose, Env: env},
		&dir.Owner{Dir: c.OwnerDir(), Shown: c.Owner.Path, Adopted: adopted, Loose: bridge.Loose, Env: env},
	}
	for i := range c.Plugins {
		out = append(out, plugin(&c.Plugins[i], env))
	}
	return out
}

func plugin(p *config.Plugin, env source.Env) ext.Source {
	s := &dir.Plugin{
		Extension: p.Name, Dir: p.Dir, Shown: p.Path, Format: p.Format, Trust: ext.Plugin,
		Formats: bridge.Formats, Loose: bridge.Loose, Env: env,
	}
	if p.Refused {
		f := config.PluginPath.At(p.Origin, "the configuration of plugin %s is at fault", p.Name)
		s.Fault = &f
	}
	return s
}

func limits(c *config.Config) ext.Limits {
	return ext.Limits{FileBytes: int64(c.Limits.FileBytes), Files: c.Limits.Files, Depth: c.Limits.Depth}
}

// One is the source for a look at one directory as an extension.
func One(path string, l ext.Limits) ext.Source {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	return &dir.Plugin{
		Extension: roots.NameOf("", abs), Dir: abs, Shown: path, Trust: ext.Plugin, Formats: bridge.Formats, Loose: bridge.Loose,
		Env: source.Env{Specs: Specs, Limits: l}, Labelled: true,
	}
}

// Below is the source for a look at every extension below a directory. With
// trace it can say what was read, so that the outcome can be remembered.
func Below(path string, l ext.Limits, workers int, trace bool) ext.Source {
	return &roots.Source{
		Dir: path, Formats: bridge.Formats, Folders: bridge.Folders,
		Env: source.Env{Specs: Specs, Limits: l}, Workers: workers, Open: root.Options{Trace: trace},
	}
}

// FormatNames are the names that a configuration may pin, without versions.
func FormatNames() []string {
	var names []string
	for _, f := range Formats {
		if f.Lay != nil {
			name, _, _ := strings.Cut(f.Name, "/")
			names = append(names, name)
		}
	}
	return names
}

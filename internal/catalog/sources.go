package catalog

import (
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/builtin/rig"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/builtin"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// Sources are the sources of a configuration, in load order: what is built in,
// then what the configuration names, then what servers said of themselves.
func Sources(c *config.Config, vouched bool, described []state.Description) []ext.Source {
	return sources(c, vouched, described, nil)
}

// remembering are the sources of the configurations of one host, which remember what
// they read of its design monorepo.
func remembering() func(*config.Config, bool, []state.Description) []ext.Source {
	m := new(monorepo.Memory)
	return func(c *config.Config, vouched bool, described []state.Description) []ext.Source {
		return sources(c, vouched, described, m)
	}
}

func sources(c *config.Config, vouched bool, described []state.Description, m *monorepo.Memory) []ext.Source {
	own := &builtin.Source{Extension: ext.BuiltinName, Files: own(nil).Describe(), Loose: bridge.Loose, Env: personal(c)}
	limits, _ := c.Personal() // servers of the person's own are among them
	said := &live.Source{Surface: server.Surface.Name, Files: limits.Files}
	for _, d := range described {
		said.Descriptions = append(said.Descriptions, live.Description{
			Extension: d.Extension, Server: d.Server, Declaration: d.Declaration, Content: d.Content,
			Ref: ext.Ref{Driver: mcpDriver, Target: target(d.Extension, d.Server, d.Declaration)},
		})
	}
	built := []ext.Source{own}
	for _, p := range c.Declared() {
		if p.Name == rig.Name && p.Enabled {
			built = append(built, &builtin.Source{Extension: rig.Name, Files: rig.Extension().Describe(), Loose: bridge.Loose, Env: personal(c)})
		}
	}
	return append(append(built, configured(c, vouched, m)...), said)
}

// Configured are the sources that a configuration names: the owner's
// directory, plugins as it lists them, the design monorepo.
func Configured(c *config.Config, adopted bool) []ext.Source { return configured(c, adopted, nil) }

func configured(c *config.Config, adopted bool, m *monorepo.Memory) []ext.Source {
	env := source.Env{Specs: Specs, Limits: c.Limits.Bounds()}
	out := []ext.Source{
		&dir.Owner{Dir: c.OwnerDir(), Shown: c.Owner.Path, Adopted: adopted, Within: within(c), Named: named(c), Loose: bridge.Loose, Env: env},
	}
	for i := range c.Plugins {
		bounds := env
		if c.Plugins[i].Own {
			bounds = personal(c)
		}
		out = append(out, plugin(&c.Plugins[i], bounds))
	}
	return append(out, design(c, adopted, env, m))
}

// design is the source of the design monorepo, which is the workspace itself where no
// other is named.
func design(c *config.Config, adopted bool, env source.Env, m *monorepo.Memory) ext.Source {
	at, said := c.MonorepoDir()
	s := &monorepo.Source{
		Dir: at, Shown: c.Monorepo.Path, Named: said, Within: c.Workspace().Dir, Adopted: adopted, Env: env, Workers: Workers, Memory: m,
		Known: monorepo.Known{
			Agents: monorepo.Names(c.Monorepo.AgentBases), Deployments: monorepo.Names(c.Monorepo.DeploymentBases), Decorators: monorepo.Names(c.Monorepo.Decorators),
			Allowed: monorepo.Names(c.Monorepo.Allow),
		},
	}
	if filepath.IsAbs(c.Monorepo.Path) { // a person's own file says so
		s.Within = ""
	}
	return s
}

// unnamed are the folders of the workspace's clients that its configuration does
// not name, with the files beside them.
func unnamed(c *config.Config) []source.Folder {
	f := dir.Folders{Dir: c.Workspace().Dir, Formats: bridge.Formats, Loose: bridge.Loose, Env: source.Env{Specs: Specs, Limits: c.Limits.Bounds()}}
	f.Named = append(f.Named, c.OwnerDir())
	for _, p := range c.Plugins {
		f.Named = append(f.Named, p.Dir)
	}
	return f.Unnamed()
}

// personal is what extensions that are none of the workspace's are laid out by.
func personal(c *config.Config) source.Env {
	limits, _ := c.Personal()
	return source.Env{Specs: Specs, Limits: limits.Bounds()}
}

// within is the workspace, unless the person's own configuration says that the
// owner's directory lies elsewhere.
func within(c *config.Config) string {
	if filepath.IsAbs(c.Owner.Path) {
		return ""
	}
	return c.Workspace().Dir
}

// named reports whether some layer says where the owner's directory is.
func named(c *config.Config) bool {
	v, ok := c.Explain("owner.path")
	return ok && v.Layer != config.Default
}

func plugin(p *config.Plugin, env source.Env) ext.Source {
	s := &dir.Plugin{
		Extension: p.Name, Dir: p.Dir, Shown: p.Path, NamedBy: p.Origin.String(), Format: p.Format, Trust: ext.Plugin, Own: p.Own,
		Formats: bridge.Formats, Loose: bridge.Loose, Env: env,
	}
	if p.Refused {
		o := ext.Origin{Extension: p.Name, Source: s.Name(), Trust: ext.Plugin}
		f := config.PluginPath.At(o, "its table at %s is at fault", ext.Escape(p.Origin.String()))
		s.Fault = &f
	}
	return s
}

// One is the source for a look at one directory as an extension.
func One(path string, l ext.Limits) ext.Source { return one(path, l, nil, nil) }

// Below is the source for a look at every extension below a directory. With
// trace it can say what was read, so that the outcome can be remembered.
func Below(path string, l ext.Limits, workers int, trace bool) ext.Source {
	return below(path, l, workers, trace, nil, nil)
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

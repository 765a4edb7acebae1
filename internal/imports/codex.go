package imports

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/pelletier/go-toml/v2"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// codexConfig is what of config.toml says which plugins there are.
type codexConfig struct {
	Plugins map[string]struct {
		Enabled *bool `toml:"enabled"`
	} `toml:"plugins"`
	Marketplaces map[string]struct {
		SourceType string `toml:"source_type"`
		Source     string `toml:"source"`
	} `toml:"marketplaces"`
	Projects map[string]struct {
		TrustLevel string `toml:"trust_level"`
	} `toml:"projects"`
}

func readCodex(name string) (c codexConfig, err error) {
	data, err := read(name)
	if data == nil || err != nil {
		return c, err
	}
	if err := toml.Unmarshal(data, &c); err != nil {
		return codexConfig{}, fmt.Errorf("%s: %w", ext.Quote(name), err)
	}
	return c, nil
}

// codex reads what Codex has installed: there is no registry but its configuration.
func codex(p Place) (all []Found, faults []error) {
	home := cmp.Or(p.getenv("CODEX_HOME"), filepath.Join(p.Home, ".codex"))
	user, err := readCodex(filepath.Join(home, "config.toml"))
	if err != nil {
		faults = append(faults, err)
	}
	var here codexConfig
	if user.Projects[p.Workspace].TrustLevel == "trusted" { // others' files say nothing to it
		if here, err = readCodex(filepath.Join(p.Workspace, ".codex", "config.toml")); err != nil {
			faults = append(faults, err)
		}
	}
	for id, one := range user.Plugins {
		f := codexFound(home, id, &user)
		f.On = one.Enabled == nil || *one.Enabled
		if own, ok := here.Plugins[id]; ok && own.Enabled != nil {
			f.On = *own.Enabled
		}
		if !f.On && f.Why == "" {
			f.Why = "it is switched off there"
		}
		all = append(all, f)
	}
	return all, faults
}

var codexIDRE = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9._-]*$`)

func codexFound(home, id string, c *codexConfig) Found {
	name, market, _ := strings.Cut(id, "@")
	f := Found{Client: "codex", ID: id, Name: name}
	if !codexIDRE.MatchString(id) {
		f.Why = "its name is none that it takes"
		return f
	}
	if m := c.Marketplaces[market]; m.SourceType == "local" {
		if dir := offered(m.Source, name); dir != "" {
			f.Dir = dir
			return f
		}
	}
	dir := newest(filepath.Join(home, "plugins", "cache", market, name))
	switch {
	case dir == "":
		f.Why = "it is not installed there"
	case !hasAny(dir, manifests...):
		f.Why = "there is no plugin in its directory"
	default:
		f.Dir, f.Moves = dir, true
	}
	return f
}

// newest is the version of a plugin that Codex uses: local, else the highest. A link is none.
func newest(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	best := ""
	for _, e := range entries {
		switch {
		case !e.IsDir():
		case e.Name() == "local":
			return filepath.Join(dir, "local")
		case best == "" || higher(e.Name(), best):
			best = e.Name()
		}
	}
	if best == "" {
		return ""
	}
	return filepath.Join(dir, best)
}

// higher compares versions, as text where one of them is none.
func higher(a, b string) bool {
	x, errX := semver.NewVersion(a)
	y, errY := semver.NewVersion(b)
	if errX != nil || errY != nil {
		return a > b
	}
	return x.GreaterThan(y)
}

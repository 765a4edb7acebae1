package imports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// claudeRecord is one install of Claude Code, as installed_plugins.json has it.
type claudeRecord struct {
	Scope         string
	ProjectPath   string
	InstallPath   string
	Version       string
	SourceCommand string
}

// claudeSettings are what of a settings file says whether plugins are in use.
type claudeSettings struct {
	EnabledPlugins map[string]json.RawMessage
}

// enabled is what settings say of a plugin; said is false where they say nothing. A list of
// versions, as older ones had it, leaves a plugin off.
func (s *claudeSettings) enabled(id string) (on, said bool) {
	v, said := s.EnabledPlugins[id]
	return said && string(v) == "true", said
}

// claudeMarket is a marketplace that Claude Code knows.
type claudeMarket struct {
	Source          struct{ Source, Path string }
	InstallLocation string
}

// claude reads what Claude Code has installed for its person, and for the workspace.
func claude(p Place) (all []Found, faults []error) {
	home := cmp.Or(p.getenv("CLAUDE_CONFIG_DIR"), filepath.Join(p.Home, ".claude"))
	plugins := cmp.Or(p.getenv("CLAUDE_CODE_PLUGIN_CACHE_DIR"), filepath.Join(home, "plugins"))
	if rest, ok := strings.CutPrefix(plugins, "~/"); ok {
		plugins = filepath.Join(p.Home, rest)
	}
	fail := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	var user claudeSettings
	_, err := readJSON(filepath.Join(home, "settings.json"), &user)
	fail(err)
	records, err := claudeRecords(filepath.Join(plugins, "installed_plugins.json"), plugins)
	fail(err)
	markets := map[string]claudeMarket{}
	_, err = readJSON(filepath.Join(plugins, "known_marketplaces.json"), &markets)
	fail(err)
	here, err := claudeHere(p.Workspace)
	fail(err)
	for id, list := range records {
		for _, r := range list {
			if f, mine := claudeFound(p, id, r, markets); mine {
				f.On, f.Why = claudeOn(id, f.Local, &user, here, f.Why)
				all = append(all, f)
			}
		}
	}
	return append(all, claudeSkills(home, &user)...), faults
}

// claudeHere are the settings of a workspace, the later of which count more.
func claudeHere(workspace string) (all []claudeSettings, err error) {
	for _, name := range []string{"settings.json", "settings.local.json"} {
		var s claudeSettings
		if _, e := readJSON(filepath.Join(workspace, ".claude", name), &s); e != nil {
			err = e
		}
		all = append(all, s)
	}
	return all, err
}

// claudeOn is whether a plugin is in use: for the person by their own settings, in the
// workspace by its files, too.
func claudeOn(id string, local bool, user *claudeSettings, here []claudeSettings, why string) (on bool, because string) {
	on, said := user.enabled(id)
	if local {
		for i := range here {
			if now, says := here[i].enabled(id); says {
				on, said = now, true
			}
		}
	}
	switch {
	case why != "" || on:
		return on, why
	case said:
		return false, "it is switched off there"
	}
	return false, "no settings switch it on there"
}

// claudeRecords reads the registry, in its second form or its first.
func claudeRecords(name, plugins string) (map[string][]claudeRecord, error) {
	var raw struct {
		Version int
		Plugins map[string]json.RawMessage
	}
	if ok, err := readJSON(name, &raw); !ok || err != nil {
		return nil, err
	}
	if raw.Version != 1 && raw.Version != 2 {
		return nil, fmt.Errorf("%s is of version %d, and 1 and 2 are known", ext.Quote(name), raw.Version)
	}
	out := map[string][]claudeRecord{}
	for id, data := range raw.Plugins {
		var list []claudeRecord
		if raw.Version == 1 { // where it says that it lies is not where it is read from
			var one claudeRecord
			if json.Unmarshal(data, &one) == nil {
				plugin, market, _ := strings.Cut(id, "@")
				one.Scope, one.InstallPath = "user", filepath.Join(plugins, "cache", market, plugin, one.Version)
				list = append(list, one)
			}
		} else if json.Unmarshal(data, &list) != nil {
			continue // one that is broken costs itself
		}
		out[id] = list
	}
	return out, nil
}

// claudeFound is what a record leads to. mine is false for another workspace's.
func claudeFound(p Place, id string, r claudeRecord, markets map[string]claudeMarket) (f Found, mine bool) {
	name, market, _ := strings.Cut(id, "@")
	f = Found{Client: "claude-code", ID: id, Name: name, Local: r.Scope == "project" || r.Scope == "local"}
	if f.Local && filepath.Clean(r.ProjectPath) != p.Workspace {
		return f, false
	}
	if m, known := markets[market]; known && (m.Source.Source == "directory" || m.Source.Source == "file") {
		if dir := offered(cmp.Or(m.InstallLocation, m.Source.Path), name); dir != "" {
			f.Dir = dir // it is read there
			return f, true
		}
	}
	f.Dir, f.Moves = r.InstallPath, true
	if strings.HasSuffix(strings.TrimSpace(r.SourceCommand), "[mode: link]") {
		var link struct{ Target string }
		if ok, err := readJSON(filepath.Join(r.InstallPath, ".claude-plugin-link"), &link); ok && err == nil && link.Target != "" {
			f.Dir, f.Moves = link.Target, false
		}
	}
	switch {
	case !filepath.IsAbs(f.Dir) || !isDir(f.Dir):
		f.Dir, f.Why = "", "its directory is not there"
	case !hasAny(f.Dir, manifests...) && !hasEntries(f.Dir):
		f.Dir, f.Why = "", "there is no plugin in its directory"
	}
	return f, true
}

// hasEntries reports whether a directory without a manifest has what a plugin has.
func hasEntries(dir string) bool {
	for _, d := range []string{"skills", "commands", "agents", "hooks"} {
		if isDir(filepath.Join(dir, d)) {
			return true
		}
	}
	return false
}

// claudeSkills are plugins among a person's skills, which no registry has.
func claudeSkills(home string, user *claudeSettings) (all []Found) {
	entries, err := os.ReadDir(filepath.Join(home, "skills"))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		dir := filepath.Join(home, "skills", e.Name())
		if !hasAny(dir, manifests[0]) {
			continue
		}
		f := Found{Client: "claude-code", ID: e.Name() + "@skills-dir", Name: e.Name(), Dir: dir, On: true}
		if on, said := user.enabled(f.ID); said && !on {
			f.On, f.Why = false, "it is switched off there"
		}
		all = append(all, f)
	}
	return all
}

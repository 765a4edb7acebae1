package config

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// EnvVariable is where mortise env keeps what it set.
	EnvVariable = "MORTISE_ENV"
	// StackVariable names further compose files, separated as paths in PATH are.
	StackVariable = "MORTISE_COMPOSE"
	// InjectPrefix begins the variables that hold credentials of [[inject]].
	InjectPrefix = "MORTISE_INJECT_"
	// ClaudePrefix begins those of Claude Code.
	ClaudePrefix = "MORTISE_CLAUDE_"
	// HomeVariable names the directory that holds everything of one instance.
	HomeVariable = "MORTISE_HOME"
	// WorkspaceVariable names the workspace as --workspace does.
	WorkspaceVariable = "MORTISE_WORKSPACE"
)

// Paths says where an instance keeps its things. All are absolute.
type Paths struct {
	State   string // what is remembered: roster, grants, pins
	Data    string // checkouts and staged files
	Cache   string // what can be made again
	User    string // the person's own configuration file
	Managed string // the machine's configuration file, the same for every instance
}

// Home is where the paths are for a process with the environment env. With
// MORTISE_HOME they lie below it: config.toml, state, data and cache. Otherwise
// they follow the XDG variables on Unix and the system's own folders on macOS
// and Windows. A relative XDG variable is ignored, as its specification says.
// It is an error when MORTISE_HOME is relative or when no home is known.
func Home(env []string) (Paths, error) { return home(runtime.GOOS, env) }

func home(goos string, env []string) (Paths, error) {
	get := lookup(goos, env)
	p := Paths{Managed: managedFile(goos, get)}
	if root := get(HomeVariable); root != "" {
		if !filepath.IsAbs(root) {
			return Paths{}, fmt.Errorf("%s is a relative path; give an absolute one", HomeVariable)
		}
		p.State = filepath.Join(root, "state")
		p.Data = filepath.Join(root, "data")
		p.Cache = filepath.Join(root, "cache")
		p.User = filepath.Join(root, "config.toml")
		return p, nil
	}
	dirs, err := systemDirs(goos, get)
	if err != nil {
		return Paths{}, err
	}
	p.State = filepath.Join(dirs.State, "mortise")
	p.Data = filepath.Join(dirs.Data, "mortise")
	p.Cache = filepath.Join(dirs.Cache, "mortise")
	p.User = filepath.Join(dirs.User, "mortise", "config.toml")
	if p.State == p.Data || p.State == p.Cache || p.Data == p.Cache { // one folder for several
		p.State = filepath.Join(p.State, "state")
		p.Data = filepath.Join(p.Data, "data")
		p.Cache = filepath.Join(p.Cache, "cache")
	}
	return p, nil
}

// systemDirs are the folders of the system in which programs make their own,
// as os.UserConfigDir and its kin find them.
func systemDirs(goos string, get func(string) string) (Paths, error) {
	switch goos {
	case "windows":
		roaming, local := get("AppData"), get("LocalAppData")
		if roaming == "" || local == "" {
			return Paths{}, fmt.Errorf("%%AppData%% or %%LocalAppData%% is not set; set them or %s", HomeVariable)
		}
		return Paths{State: local, Data: local, Cache: local, User: roaming}, nil
	case "darwin", "ios":
		person := get("HOME")
		if !filepath.IsAbs(person) {
			return Paths{}, fmt.Errorf("$HOME is not an absolute path; set it or %s", HomeVariable)
		}
		support := filepath.Join(person, "Library", "Application Support")
		return Paths{State: support, Data: support, Cache: filepath.Join(person, "Library", "Caches"), User: support}, nil
	}
	return xdgDirs(get)
}

func xdgDirs(get func(string) string) (Paths, error) {
	person, missing := get("HOME"), false
	dir := func(variable string, below ...string) string {
		if d := get(variable); filepath.IsAbs(d) {
			return d
		}
		missing = missing || !filepath.IsAbs(person)
		return filepath.Join(append([]string{person}, below...)...)
	}
	p := Paths{
		State: dir("XDG_STATE_HOME", ".local", "state"),
		Data:  dir("XDG_DATA_HOME", ".local", "share"),
		Cache: dir("XDG_CACHE_HOME", ".cache"),
		User:  dir("XDG_CONFIG_HOME", ".config"),
	}
	if missing {
		return Paths{}, fmt.Errorf("$HOME is not an absolute path; set it or %s", HomeVariable)
	}
	return p, nil
}

func managedFile(goos string, get func(string) string) string {
	if goos != "windows" {
		return "/etc/mortise/managed.toml"
	}
	data := get("ProgramData")
	if !filepath.IsAbs(data) {
		data = `C:\ProgramData`
	}
	return filepath.Join(data, "mortise", "managed.toml")
}

// lookup finds a variable in env; the last of several counts. The names are
// the same in capitals and small letters where the system says so.
func lookup(goos string, env []string) func(string) string {
	fold := func(s string) string { return s }
	if goos == "windows" {
		fold = strings.ToUpper
	}
	values := make(map[string]string, len(env))
	for _, kv := range env {
		if name, value, ok := strings.Cut(kv, "="); ok {
			values[fold(name)] = value
		}
	}
	return func(name string) string { return values[fold(name)] }
}

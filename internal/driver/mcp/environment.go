package mcp

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// windows has names of variables that differ by case only.
const windows = runtime.GOOS == "windows"

// inherited are the variables of the host that every process gets, where the
// host has them. All others are the host's own.
func inherited() []string {
	if windows {
		return []string{
			"PATH", "PATHEXT", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "TEMP", "TMP", "OS",
			"USERPROFILE", "USERNAME", "USERDOMAIN", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
			"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES",
			"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "LANG", "TZ",
		}
	}
	return []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TZ", "TMPDIR"}
}

// environment is what a process gets: the inherited part of the host's and where
// Python keeps what it compiled, over it what is declared, and over that the two
// directories.
func Environment(host []string, declared []Pair, root, data string) []string {
	var vars []Pair
	for _, kv := range host {
		if name, value, ok := strings.Cut(kv, "="); ok && inherits(name) {
			vars = set(vars, name, value)
		}
	}
	if data != "" {
		vars = set(vars, "PYTHONPYCACHEPREFIX", compiled(data))
	}
	for _, d := range declared {
		vars = set(vars, d.Name, d.Value)
	}
	vars = set(vars, "PLUGIN_ROOT", root)
	if data != "" {
		vars = set(vars, "PLUGIN_DATA", data)
	}
	env := make([]string, len(vars))
	for i, p := range vars {
		env[i] = p.Name + "=" + p.Value
	}
	return env
}

// compiled is where Python keeps what it compiled, beside the data directory:
// what it would find in the plugin's own tree could be other code than its
// source, which is what a person consented to.
func compiled(data string) string {
	return filepath.Join(filepath.Dir(data), ".pycache", filepath.Base(data))
}

func inherits(name string) bool {
	if windows {
		name = strings.ToUpper(name)
	}
	return slices.Contains(inherited(), name) || strings.HasPrefix(name, "LC_")
}

// set gives a variable its value; the last one counts.
func set(vars []Pair, name, value string) []Pair {
	vars = slices.DeleteFunc(vars, func(p Pair) bool { return sameVariable(p.Name, name) })
	return append(vars, Pair{name, value})
}

func sameVariable(a, b string) bool {
	return a == b || windows && strings.EqualFold(a, b)
}

// lookup is the value of a variable in a list as os.Environ gives it.
func lookup(env []string, name string) (string, bool) {
	for _, kv := range slices.Backward(env) {
		if n, v, ok := strings.Cut(kv, "="); ok && sameVariable(n, name) {
			return v, true
		}
	}
	return "", false
}

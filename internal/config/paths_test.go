package config

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths of other systems are not absolute here")
	}
	const etc = "/etc/mortise/managed.toml"
	for _, c := range []struct {
		name, goos string
		env        []string
		want       Paths
	}{
		{"a home of its own", "linux", []string{"HOME=/h", "MORTISE_HOME=/m"}, Paths{"/m/state", "/m/data", "/m/cache", "/m/config.toml", etc}},
		{"a home of its own without any other", "darwin", []string{"MORTISE_HOME=/m"}, Paths{"/m/state", "/m/data", "/m/cache", "/m/config.toml", etc}},
		{"nothing but HOME", "linux", []string{"HOME=/h"}, Paths{"/h/.local/state/mortise", "/h/.local/share/mortise", "/h/.cache/mortise", "/h/.config/mortise/config.toml", etc}},
		{"XDG", "linux", []string{"XDG_STATE_HOME=/s", "XDG_DATA_HOME=/d", "XDG_CACHE_HOME=/c", "XDG_CONFIG_HOME=/u"}, Paths{"/s/mortise", "/d/mortise", "/c/mortise", "/u/mortise/config.toml", etc}},
		{"relative XDG is ignored", "linux", []string{"HOME=/h", "XDG_CONFIG_HOME=u"}, Paths{"/h/.local/state/mortise", "/h/.local/share/mortise", "/h/.cache/mortise", "/h/.config/mortise/config.toml", etc}},
		{"XDG folders that are one", "linux", []string{"HOME=/h", "XDG_STATE_HOME=/x", "XDG_DATA_HOME=/x"}, Paths{"/x/mortise/state", "/x/mortise/data", "/h/.cache/mortise/cache", "/h/.config/mortise/config.toml", etc}},
		{"the last of two counts", "linux", []string{"MORTISE_HOME=/a", "MORTISE_HOME=/m"}, Paths{"/m/state", "/m/data", "/m/cache", "/m/config.toml", etc}},
		{"macOS", "darwin", []string{"HOME=/h"}, Paths{
			"/h/Library/Application Support/mortise/state", "/h/Library/Application Support/mortise/data",
			"/h/Library/Caches/mortise/cache", "/h/Library/Application Support/mortise/config.toml", etc}},
		{"Windows, names in any case", "windows", []string{"APPDATA=/r", "localappdata=/l", "PROGRAMDATA=/p"}, Paths{
			"/l/mortise/state", "/l/mortise/data", "/l/mortise/cache", "/r/mortise/config.toml", "/p/mortise/managed.toml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := home(c.goos, c.env); err != nil || got != c.want {
				t.Errorf("home(%s, %v): got %+v, %v, want %+v", c.goos, c.env, got, err, c.want)
			}
		})
	}
}

func TestHomeErrors(t *testing.T) {
	for name, env := range map[string][]string{
		"relative MORTISE_HOME": {"HOME=/h", "MORTISE_HOME=m"},
		"nothing":               nil,
		"relative HOME":         {"HOME=h"},
	} {
		for _, goos := range []string{"linux", "darwin", "windows"} {
			if p, err := home(goos, env); err == nil {
				t.Errorf("home(%s, %s): got %+v, want an error", goos, name, p)
			}
		}
	}
	if _, err := Home([]string{HomeVariable + "=" + filepath.Join(t.TempDir(), "m")}); err != nil {
		t.Errorf("Home with an absolute %s: %v", HomeVariable, err)
	}
}

package mcp_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// plant makes a file that runs this test binary as a server, by a link, and
// directories and links below the root of s.
func plant(t *testing.T, s mcp.Target, dirs []string, links map[string]string) {
	t.Helper()
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(s.Root, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for at, to := range links {
		if err := os.Symlink(to, filepath.Join(s.Root, at)); err != nil {
			t.Skip(err)
		}
	}
}

// TestAgentPlugins_17_Command wants a bare name to be looked for along the PATH
// that the process gets, "./" to be the root, arguments to be kept apart, and
// nothing to go through a shell.
func TestAgentPlugins_17_Command(t *testing.T) {
	b := newBench(t, nil)
	binary, err := os.ReadFile(fixtureTarget(t, "normal").Command)
	if err != nil {
		t.Fatal(err)
	}
	s := fixtureTarget(t, "normal")
	plant(t, s, []string{"bin"}, nil)
	name := "server"
	if runtime.GOOS == "windows" {
		name = "server.exe"
	}
	if err := os.WriteFile(filepath.Join(s.Root, "bin", name), binary, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Args = []string{"a b", "$(touch mark)", ";", "*", ""}
	claude := s
	claude.Key, claude.Claude, claude.Command = "claude", true, "${PLUGIN_ROOT}/${UNSET_HERE:-bin}/"+name
	b.Run([]mcp.Target{claude})
	b.self(claude)
	for _, c := range []struct{ name, command, path string }{
		{"a path below the root", "./bin/" + name, ""},
		{"a bare name on the PATH that was declared", "server", filepath.Join(s.Root, "bin")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := s
			s.Key, s.Command = c.name, c.command
			if c.path != "" {
				s.Env = append(slices.Clone(s.Env), mcp.Pair{Name: "PATH", Value: c.path})
			}
			b.Run([]mcp.Target{s})
			if got := b.self(s); !slices.Equal(got.Args, s.Args) || got.Cwd != s.Root {
				t.Errorf("got %q in %s, want %q in %s", got.Args, got.Cwd, s.Args, s.Root)
			}
		})
	}
	for _, c := range []struct{ name, command, want string }{
		{"one that leads outside by a link", "./out", "leads outside its plugin"},
		{"one that climbs", "./../x", "there is no file"},
		{"one that is not there", "./none", `there is no file "./none"`},
		{"a name that is nowhere", "no-such-program-here", "not found in its PATH"},
		{"a placeholder", "${PLUGIN_ROOT}/bin/" + name, "${PLUGIN_ROOT}"},
		{"none", "", "no command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, s := newBench(t, func(o *mcp.Options) { o.Tries = 1 }), fixtureTarget(t, "normal")
			plant(t, s, nil, map[string]string{"out": s.Command})
			s.Command = c.command
			b.Run([]mcp.Target{s})
			st := b.until(s.Name, "failed", state(mcp.Failed))
			if st.Starts != 0 || !strings.Contains(st.Error, c.want) {
				t.Errorf("status: got %+v, want no start and %q", st, c.want)
			}
		})
	}
}

// TestAgentPlugins_18_Cwd wants the working directory to be the root by
// default, expanded before it is judged, and to lie inside the root or the data
// directory when links are followed.
func TestAgentPlugins_18_Cwd(t *testing.T) {
	for _, c := range []struct{ cwd, want string }{
		{"", "ROOT"}, {"${PLUGIN_ROOT}", "ROOT"}, {"./sub", "ROOT/sub"}, {"${PLUGIN_ROOT}/sub", "ROOT/sub"},
		{"${PLUGIN_DATA}", "DATA"}, {"./to-data", "DATA"}, {"./to-sub", "ROOT/sub"},
		{"./out", "lies outside"}, {"${PLUGIN_ROOT}/out/x", "is not there"}, {"${PLUGIN_DATA}/../../other", "lies outside"}, {"./..", "lies outside"},
		{"./none", "is not there"}, {"./file", "is no directory"}, {"${HOME}", "is not there"}, {"/", "lies outside"},
	} {
		t.Run(c.cwd, func(t *testing.T) {
			b, s := newBench(t, nil), fixtureTarget(t, "normal")
			outside, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			plant(t, s, []string{"sub"}, map[string]string{"out": outside, "to-sub": "sub", "to-data": s.Data})
			if err := os.WriteFile(filepath.Join(s.Root, "file"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(s.Data, "..", "..", "other"), 0o755); err != nil {
				t.Fatal(err)
			}
			s.Cwd = c.cwd
			b.Run([]mcp.Target{s})
			if want, ok := strings.CutPrefix(c.want, "ROOT"); ok {
				if got := b.self(s).Cwd; got != filepath.Join(s.Root, want) {
					t.Errorf("directory: got %s, want the root and %q", got, want)
				}
				return
			}
			if c.want == "DATA" {
				if got := b.self(s).Cwd; got != s.Data {
					t.Errorf("directory: got %s, want the data directory", got)
				}
				return
			}
			st := b.until(s.Name, "failed", state(mcp.Failed))
			if st.Starts != 0 || !strings.Contains(st.Error, c.want) {
				t.Errorf("status: got %+v, want no start and %q", st, c.want)
			}
		})
	}
}

// TestAgentPlugins_19_Address wants only addresses and headers that the
// specification allows to be connected to, and none of their values shown.
func TestAgentPlugins_19_Address(t *testing.T) {
	for _, c := range []struct{ url, header, value, want string }{
		{"http://example.com/mcp", "", "", "plain http"},
		{"http://localhost.example.com/mcp", "", "", "plain http"},
		{"https://me:hunter2-hunter2@example.com/mcp", "", "", "user info"},
		{"https://example.com/mcp#part", "", "", "fragment"},
		{"https://example.com/mcp#", "", "", "fragment"},
		{"ftp://example.com", "", "", "no absolute http(s) address"},
		{"example.com/mcp", "", "", "no absolute http(s) address"},
		{"https://hunter2-hunter2 x/", "", "", "no absolute http(s) address"},
		{"https://example.com", "X Key", "a", `header "X Key"`},
		{"https://example.com", "X-Key", "hunter2-hunter2\r\nEvil: 1", `header "X-Key"`},
	} {
		b, s := newBench(t, nil), remoteTarget(c.url)
		if c.header != "" {
			s.Headers = []mcp.Pair{{Name: c.header, Value: c.value}}
		}
		b.Run([]mcp.Target{s})
		st := b.until(s.Name, "failed", state(mcp.Failed))
		if st.Starts != 0 || !strings.Contains(st.Error, c.want) || strings.Contains(st.Error, "hunter2") {
			t.Errorf("%s: got %q, want %q, no connection and no secret", c.url, st.Error, c.want)
		}
	}
	x := newWeb(t, nil)
	b, s := newBench(t, nil), remoteTarget(x.URL)
	s.Headers = []mcp.Pair{{Name: "X-Literal", Value: "${PLUGIN_ROOT} ${HOME}"}}
	b.Run([]mcp.Target{s})
	b.must(s, "t", "")
	x.mu.Lock()
	defer x.mu.Unlock()
	if got := x.requests[0].Header.Get("X-Literal"); got != "${PLUGIN_ROOT} ${HOME}" {
		t.Errorf("a header: got %q, want it as declared", got)
	}
}

// TestAgentPlugins_20_Transports wants a transport that is not known to cost its
// server alone and to be told.
func TestAgentPlugins_20_Transports(t *testing.T) {
	b := newBench(t, nil)
	good, odd := fixtureTarget(t, "normal"), remoteTarget("https://example.com")
	odd.Transport, odd.Key, odd.Name = "carrier\npigeon", "odd", "acme:odd"
	b.Run([]mcp.Target{odd, good})
	b.must(good, "echo", "{}")
	st := b.until(odd.Name, "failed", state(mcp.Failed))
	if !strings.Contains(st.Error, `"carrier\npigeon" is not known`) {
		t.Errorf("an unknown transport: got %q, want it named", st.Error)
	}
}

// TestAgentPlugins_21_OthersGoOn wants servers that do not start, do not answer
// or end at once to cost themselves alone, each with its reason.
func TestAgentPlugins_21_OthersGoOn(t *testing.T) {
	b := newBench(t, func(o *mcp.Options) { o.Tries = 2 })
	good, exits, absent := fixtureTarget(t, "normal"), fixtureTarget(t, "exit"), fixtureTarget(t, "absent")
	absent.Command = "no-such-program-here"
	b.Run([]mcp.Target{exits, absent, good})
	b.must(good, "echo", "{}")
	st := b.until(exits.Name, "failed", state(mcp.Failed))
	if !strings.Contains(st.Error, "exit code 7") || !strings.Contains(st.Error, `no config: set \x1b[1mTHING`) {
		t.Errorf("one that exits at once: got %q, want its code and its last words, escaped", st.Error)
	}
	st = b.until(absent.Name, "failed", state(mcp.Failed))
	if !strings.Contains(st.Error, "no-such-program-here") {
		t.Errorf("one that is not there: got %q, want its command", st.Error)
	}
}

// TestAgentPlugins_22_Directories wants the data directory to be there before
// the start, private and writable, and to keep what is in it.
func TestAgentPlugins_22_Directories(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	s.Data = filepath.Join(s.Data, "deep", "down")
	b.Run([]mcp.Target{s})
	got := b.self(s).Env
	if !slices.Contains(got, "PLUGIN_ROOT="+s.Root) || !slices.Contains(got, "PLUGIN_DATA="+s.Data) {
		t.Errorf("environment: got %q, want both directories", got)
	}
	info, err := os.Stat(s.Data)
	if err != nil || !info.IsDir() || info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Fatalf("data directory: got %v, %v; want a private one", info, err)
	}
	kept := filepath.Join(s.Data, "kept")
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Restart(s.Name)
	b.until(s.Name, "started anew", func(st mcp.Status) bool { return st.Starts == 2 && st.State == mcp.Ready })
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("what was kept there: got %v, want it after a restart", err)
	}
}

// TestAgentPlugins_23_Order wants the base to be overlaid by what is declared,
// and that by the two directories.
func TestAgentPlugins_23_Order(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	s.Env = append(s.Env, mcp.Pair{Name: "HOME", Value: "/declared"}, mcp.Pair{Name: "PLUGIN_ROOT", Value: "/mine"}, mcp.Pair{Name: "PLUGIN_DATA", Value: "/mine"})
	b.Run([]mcp.Target{s})
	got := b.self(s).Env
	for _, want := range []string{"HOME=/declared", "PLUGIN_ROOT=" + s.Root, "PLUGIN_DATA=" + s.Data} {
		name, _, _ := strings.Cut(want, "=")
		var have []string
		for _, kv := range got {
			if strings.HasPrefix(kv, name+"=") {
				have = append(have, kv)
			}
		}
		if !slices.Equal(have, []string{want}) {
			t.Errorf("%s: got %q, want %q alone", name, have, want)
		}
	}
}

// TestAgentPlugins_24_Expansion wants the two placeholders to be replaced once,
// in arguments and values, and every other one to stay.
func TestAgentPlugins_24_Expansion(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	s.Data = filepath.Join(s.Data, "${PLUGIN_ROOT}") // what comes out is not looked at again
	s.Args = []string{"${PLUGIN_ROOT}/x:${PLUGIN_ROOT}", "${PLUGIN_DATA}", "${HOME}", "${HOME:-x}", "$PLUGIN_ROOT", "${plugin_root}", "${PLUGIN_ROOT", "${CLAUDE_PLUGIN_ROOT}", "~"}
	s.Env = append(s.Env, mcp.Pair{Name: "${PLUGIN_ROOT}", Value: "${PLUGIN_ROOT}/v"}, mcp.Pair{Name: "V", Value: "${PLUGIN_DATA}${X}"})
	b.Run([]mcp.Target{s})
	got := b.self(s)
	want := []string{s.Root + "/x:" + s.Root, s.Data, "${HOME}", "${HOME:-x}", "$PLUGIN_ROOT", "${plugin_root}", "${PLUGIN_ROOT", "${CLAUDE_PLUGIN_ROOT}", "~"}
	if !slices.Equal(got.Args, want) {
		t.Errorf("arguments: got %q, want %q", got.Args, want)
	}
	for _, want := range []string{"${PLUGIN_ROOT}=" + s.Root + "/v", "V=" + s.Data + "${X}"} {
		if !slices.Contains(got.Env, want) {
			t.Errorf("environment: got %q, want %q in it", got.Env, want)
		}
	}
}

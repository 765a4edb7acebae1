//go:build unix

package box

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/plan"
)

// machine is a home with a workspace, a plugin and Mortise's own directories in it.
type machine struct {
	home, workspace, root, data string
	judge                       judge
}

func laid(t *testing.T, env ...string) *machine {
	t.Helper()
	home, err := os.MkdirTemp("", "box") // short, since sockets lie below it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	if home, err = filepath.EvalSymlinks(home); err != nil {
		t.Fatal(err)
	}
	m := &machine{home: home, workspace: home + "/src/w", root: home + "/mortise/data/acme", data: home + "/mortise/data/plugin-data/acme"}
	for _, d := range []string{m.workspace + "/.git/hooks", m.workspace + "/sub", m.root + "/bin", m.data, home + "/mortise/state", home + "/mortise/data/other", home + "/.ssh/keys", home + "/.mozilla", home + "/other", home + "/agent"} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{m.workspace + "/mortise.toml", m.workspace + "/.git/config", home + "/mortise/config.toml"} {
		if err := os.WriteFile(f, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"ssh": "../../.ssh", "home": home, "up": "..", "root": "/", "state": home + "/mortise/state", "sublink": "sub", "gone": "nowhere"} {
		if err := os.Symlink(to, filepath.Join(m.workspace, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(m.workspace+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", home+"/agent/s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	in := Inputs{Home: home, Env: append(env, "SSH_AUTH_SOCK="+home+"/agent/s", "MORTISE_HOME="+home+"/mortise"), Paths: config.Paths{
		State: home + "/mortise/state", Data: home + "/mortise/data", Cache: home + "/mortise/cache", User: home + "/mortise/config.toml", Managed: "/etc/mortise/managed.toml",
	}}
	m.judge = judge{fence: fenceOf(in), worktree: m.workspace, secrets: secrets{names: map[string]bool{"KEY": true}, values: []string{"hush-hush"}}}
	return m
}

func TestMounts(t *testing.T) {
	m := laid(t)
	for _, c := range []struct {
		name, source string
		writable     bool
		trust        ext.Trust
		want         string // "" accepted
	}{
		{"the workspace", "W", true, ext.Plugin, ""},
		{"a directory of the workspace", "W/sub", true, ext.Plugin, ""},
		{"a relative one", "sub", false, ext.Plugin, ""},
		{"a link that stays", "W/sublink", true, ext.Plugin, ""},
		{"its own directory", "R/bin", false, ext.Plugin, ""},
		{"its own directory, to write", "R/bin", true, ext.Plugin, "never writes"},
		{"its data", "D", true, ext.Plugin, ""},
		{"what is not there", "W/none", false, ext.Plugin, "not there"},
		{"a link that leads nowhere", "W/gone", false, ext.Plugin, "not there"},
		{"a pipe", "W/pipe", false, ext.Plugin, "neither a file"},
		{"elsewhere", "H/other", false, ext.Plugin, "neither in the workspace"},
		{"elsewhere, by its owner", "H/other", true, ext.Owner, ""},
		{"another's directory", "H/mortise/data/other", false, ext.Plugin, "lies in"},
		{"the person's home", "H", false, ext.Owner, "no box has"},
		{"what contains it", "H/..", false, ext.Owner, "contains"},
		{"everything", "/", false, ext.Owner, "no box has"},
		{"a link to the home", "W/home", false, ext.Plugin, "no box has"},
		{"a link to everything", "W/root", false, ext.Plugin, "no box has"},
		{"upwards", "W/..", false, ext.Plugin, "neither in the workspace"},
		{"a link upwards", "W/up", false, ext.Plugin, "neither in the workspace"},
		{"keys", "H/.ssh", false, ext.Owner, "no box has"},
		{"below keys", "H/.ssh/keys", false, ext.Owner, "lies in"},
		{"a link to keys", "W/ssh", false, ext.Plugin, "no box has"},
		{"through a link to keys", "W/ssh/keys", false, ext.Plugin, "lies in"},
		{"a browser", "H/.mozilla", false, ext.Owner, "no box has"},
		{"the state", "H/mortise/state", false, ext.Owner, "no box has"},
		{"a link to the state", "W/state", false, ext.Plugin, "no box has"},
		{"all of Mortise's", "H/mortise", false, ext.Owner, "no box has"},
		{"processes", "/proc", false, ext.Owner, "no box has"},
		{"itself", "/proc/self", false, ext.Owner, "lies in"},
		{"devices", "/dev", false, ext.Owner, "no box has"},
		{"a socket", "H/agent/s", false, ext.Owner, "socket"},
		{"what the agent's socket lies in", "H/agent", false, ext.Owner, "contains"},
		{"the hooks of git, to write", "W/.git/hooks", true, ext.Plugin, "led"},
		{"the hooks of git, to read", "W/.git/hooks", false, ext.Plugin, ""},
		{"the configuration, to write", "W/mortise.toml", true, ext.Owner, "led"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := strings.NewReplacer("W", m.workspace, "R/", m.root+"/", "D", m.data, "H", m.home).Replace(c.source)
			r := Row{Kind: "mount", Source: source, Target: "/x", Writable: c.writable, Origin: ext.Origin{Trust: c.trust}}
			got := m.judge.refuses(&r, plan.Dirs{Root: m.root, Data: m.data})
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// An extension whose root is everything has no right to what is in it.
func TestARootThatIsEverything(t *testing.T) {
	m := laid(t)
	for _, source := range []string{"/", m.home, m.home + "/.ssh", m.home + "/agent/s"} {
		r := Row{Kind: "mount", Source: source, Target: "/x", Origin: ext.Origin{Trust: ext.Plugin}}
		if m.judge.refuses(&r, plan.Dirs{Root: "/"}) == "" {
			t.Errorf("%s: got it accepted, want it refused", source)
		}
	}
}

func TestOtherRows(t *testing.T) {
	m := laid(t)
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Kind: "env", Name: "A", Value: "x"}, ""},
		{Row{Kind: "env", Name: "A", Value: "two\nlines"}, ""},
		{Row{Kind: "env", Name: "KEY", Value: "x"}, "holds a secret"},
		{Row{Kind: "env", Name: "A", Value: "x=hush-hush;"}, "value holds a secret"},
		{Row{Kind: "env", Name: "MORTISE_INJECT_A", Value: "x"}, "Mortise's own"},
		{Row{Kind: "env", Name: "-v", Value: "x"}, "no name"},
		{Row{Kind: "env", Name: "A\nB", Value: "x"}, "no name"},
		{Row{Kind: "volume", Name: "cache", Target: "/c"}, ""},
		{Row{Kind: "volume", Name: "..", Target: "/c"}, "named with"},
		{Row{Kind: "volume", Name: ".ssh", Target: "/c"}, "named with"},
		{Row{Kind: "volume", Name: "~", Target: "/c"}, "named with"},
		{Row{Kind: "volume", Name: "c", Target: "/c"}, "two at least"},
		{Row{Kind: "tmpfs", Target: "/t"}, ""},
		{Row{Kind: "tmpfs", Target: "/proc/x"}, "/proc of the box"},
		{Row{Kind: "mount", Source: m.workspace, Target: "/dev"}, "/dev of the box"},
	} {
		c.row.Origin.Trust = ext.Plugin
		if got := m.judge.refuses(&c.row, plan.Dirs{}); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.row, got, c.want)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{Kind: "env", Name: "A", Value: "x y"}, "-e|A=x y"},
		{Row{Kind: "mount", Source: "/s", Target: "/t"}, "-v|/s:/t:ro"},
		{Row{Kind: "mount", Source: "/s", Target: "/t", Writable: true}, "-v|/s:/t"},
		{Row{Kind: "mount", Source: "/s:ro", Target: "/t"}, "--mount|type=bind,source=/s:ro,target=/t,readonly"},
		{Row{Kind: "volume", Name: "cache", Target: "/t"}, "-v|cache:/t"},
		{Row{Kind: "tmpfs", Target: "/t"}, "--tmpfs|/t"},
	} {
		if got := strings.Join(c.row.args(), "|"); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// What leads programs of this machine is read-only below each mount that can be written.
func TestProtects(t *testing.T) {
	m := laid(t)
	targets := func(b *Box) (out []string) {
		b.protect(m.workspace)
		for _, r := range b.Rows {
			if r.Protects {
				out = append(out, strings.Join(r.args(), " "))
			}
		}
		return out
	}
	w := m.workspace
	got := targets(&Box{Rows: []Row{{Kind: "mount", Source: w, Target: "/w", Writable: true}}})
	want := []string{"-v " + w + "/.git:/w/.git:ro", "-v " + w + "/mortise.toml:/w/mortise.toml:ro"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for name, r := range map[string]Row{
		"read-only": {Kind: "mount", Source: w, Target: "/w"},
		"refused":   {Kind: "mount", Source: w, Target: "/w", Writable: true, Reason: "x"},
		"elsewhere": {Kind: "mount", Source: w + "/sub", Target: "/w", Writable: true},
	} {
		if got := targets(&Box{Rows: []Row{r}}); len(got) > 0 {
			t.Errorf("%s: got %v, want nothing", name, got)
		}
	}
	// The file .git of a linked worktree is kept, and so is a repository within; where there is
	// none at all the box could make one, which is told.
	if err := os.RemoveAll(w + "/.git"); err != nil {
		t.Fatal(err)
	}
	b := &Box{Rows: []Row{{Kind: "mount", Source: filepath.Dir(w), Target: "/src", Writable: true}}}
	if got := targets(b); !slices.Contains(got, "-v "+w+"/mortise.toml:/src/w/mortise.toml:ro") || len(b.Findings) != 1 || b.Findings[0].Check != Unprotected {
		t.Errorf("got %v and %v, want the missing repository told", got, b.Findings)
	}
	if err := os.WriteFile(w+"/.git", []byte("gitdir: elsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(w+"/deep/repo/.git", 0o700); err != nil {
		t.Fatal(err)
	}
	got = targets(&Box{Rows: []Row{{Kind: "mount", Source: w, Target: "/w", Writable: true}}})
	for _, want := range []string{"-v " + w + "/.git:/w/.git:ro", "-v " + w + "/deep/repo/.git:/w/deep/repo/.git:ro"} {
		if !slices.Contains(got, want) {
			t.Errorf("got %v, want %s in it", got, want)
		}
	}
}

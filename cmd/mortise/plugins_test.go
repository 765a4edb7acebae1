//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// origin is a repository with a plugin.
type origin struct {
	t   *testing.T
	dir string
}

func newOrigin(t *testing.T) *origin {
	t.Helper()
	o := &origin{t, filepath.Join(t.TempDir(), "acme")}
	write(t, filepath.Join(o.dir, ".claude-plugin", "plugin.json"), `{"name": "acme"}`)
	o.git("init", "-q", "-b", "main", ".")
	o.commit(1)
	return o
}

func (o *origin) git(args ...string) {
	o.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org"}, args...)...)
	cmd.Dir, cmd.Env = o.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		o.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// commit has the plugin's skill say n, and nothing else be there.
func (o *origin) commit(n int) {
	o.t.Helper()
	write(o.t, filepath.Join(o.dir, "skills", "count", "SKILL.md"), fmt.Sprintf("---\nname: count\ndescription: Says %d.\n---\n%d\n", n, n))
	for i := range 40 { // so that there is something to be in the midst of
		write(o.t, filepath.Join(o.dir, "skills", "count", "notes", fmt.Sprint(i)), strings.Repeat(fmt.Sprintln(n), 2000))
	}
	o.git("add", "-A")
	o.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(n))
}

// counted is what the plugin says in a place, whole: "" when it is not installed.
func counted(t *testing.T, p place) string {
	t.Helper()
	var all struct {
		Plugins []struct{ Status, Root, Commit string }
	}
	if err := json.Unmarshal([]byte(p.must("plugin", "list", "--json")), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Plugins) == 0 {
		return ""
	}
	got := all.Plugins[0]
	text, err := os.ReadFile(filepath.Join(got.Root, "skills", "count", "SKILL.md"))
	if err != nil || got.Status != "admitted" {
		t.Fatalf("the plugin is %s: %v", got.Status, err)
	}
	_, says, _ := strings.Cut(strings.TrimSpace(string(text)), "---\n")
	_, says, _ = strings.Cut(says, "---\n")
	for i := range 40 {
		note, err := os.ReadFile(filepath.Join(got.Root, "skills", "count", "notes", fmt.Sprint(i)))
		if want := strings.Repeat(says+"\n", 2000); err != nil || string(note) != want {
			t.Fatalf("note %d of what says %s: %v, it is another's", i, says, err)
		}
	}
	return says
}

// A process that is killed while it installs, updates or removes a plugin, at whatever
// moment, leaves the plugin as it was or as it was to become, whole; the next one goes
// on, and nothing of the owner's has changed.
func TestPluginsSurviveKills(t *testing.T) {
	t.Parallel()
	rounds := 50
	if testing.Short() {
		rounds = 10
	}
	o := newOrigin(t)
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/skills/mine/SKILL.md": "---\nname: mine\ndescription: Mine.\n---\nMine.\n"})
	p.must("trust", "--yes")
	r := rand.New(rand.NewPCG(1, 2))
	killed, is := 0, ""
	for n := 1; n <= rounds; n++ {
		args, become := []string{"plugin", "add", "file://" + o.dir}, fmt.Sprint(n)
		switch {
		case is != "" && r.IntN(4) == 0:
			args, become = []string{"plugin", "remove", "acme"}, ""
		case is != "":
			args = []string{"plugin", "update", "acme"}
		}
		if n > 1 {
			o.commit(n)
		}
		cmd := p.command(t.Context(), args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		kill := time.AfterFunc(time.Duration(r.IntN(250))*time.Millisecond, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
		if err := cmd.Wait(); err != nil {
			killed++
		}
		kill.Stop()
		now := counted(t, p)
		if now != is && now != become {
			t.Fatalf("round %d, %v: the plugin says %q, want %q as before or %q", n, args, now, is, become)
		}
		is = now
	}
	if killed == 0 {
		t.Error("nothing was killed")
	}
	if is == "" {
		p.must("plugin", "add", "file://"+o.dir)
	}
	p.must("plugin", "remove", "acme")
	if got := counted(t, p); got != "" {
		t.Errorf("removed: it says %s still", got)
	}
	if text, err := os.ReadFile(filepath.Join(p.dir, ".mortise", "skills", "mine", "SKILL.md")); err != nil || !strings.HasSuffix(string(text), "Mine.\n") {
		t.Errorf("the owner's own: got %q, %v", text, err)
	}
}

// A plugin that is updated is new to who lists again, in a host that runs; one that is
// disabled by another process contributes nothing at once.
func TestPluginsInARunningHost(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	s := p.serve()
	c := connect(t, s.url, nil)
	described := func() string { return c.described("acme/count") }
	for _, step := range []struct {
		args []string
		want string
	}{
		{[]string{"plugin", "add", "file://" + o.dir}, "Says 1."},
		{[]string{"plugin", "update", "acme"}, "Says 2."},
		{[]string{"plugin", "disable", "acme"}, ""},
		{[]string{"plugin", "enable", "acme"}, "Says 2."},
		{[]string{"plugin", "rollback", "acme"}, "Says 1."},
		{[]string{"plugin", "remove", "acme"}, ""},
	} {
		if step.want == "Says 2." && step.args[1] == "update" {
			o.commit(2)
		}
		p.must(step.args...)
		eventually(t, strings.Join(step.args, " ")+" is seen", func() bool { return described() == step.want })
	}
	s.ends(t, syscall.SIGINT)
}

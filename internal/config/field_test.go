package config

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestField_PAR06 is a key near a known one that was ignored without a word.
func TestField_PAR06(t *testing.T) {
	p := lay(t, map[string]string{"ws/mortise.toml": "[limits]\ndepth = 3\n\nfile_kbytes = 20_000\n[trust]\nhole = true\n"})
	c, findings := p.load(t)
	want := []string{
		`mortise.toml:4: error: unknown key "limits.file_kbytes"; did you mean "limits.file_bytes"? (config-unknown-key)`,
		`mortise.toml:6: error: unknown key "trust.hole"; did you mean "trust.whole"? (config-unknown-key)`,
	}
	if len(findings) != 2 || findings[0].String() != want[0] || findings[1].String() != want[1] {
		t.Errorf("Load: got %v, want %q", findings, want)
	}
	if !findings.Failed() {
		t.Error("Load: got no error finding; a strict check would end with 0")
	}
	if c.Limits.Depth != 3 {
		t.Errorf("limits.depth beside an unknown key: got %d, want 3", c.Limits.Depth)
	}
}

// TestField_DIS01 is a host started in a folder with a local file of its own,
// for which the root's configuration was not read.
func TestField_DIS01(t *testing.T) {
	p := lay(t, map[string]string{
		"ws/mortise.toml":           "[plugins.guards]\npath = \"./guards\"\n[limits]\ndepth = 5\nfiles = 9\n",
		"ws/mortise.local.toml":     "[plugins.mine]\npath = \"./mine\"\n[limits]\ndepth = 4\n",
		"ws/sub/mortise.local.toml": "[plugins.guards]\nenabled = false\n",
		"ws/sub/deep/file":          "",
	})
	w, err := FindWorkspace(filepath.Join(p.dir, "ws", "sub", "deep"), "")
	if err != nil || w.Dir != filepath.Join(p.dir, "ws") || w.Found != ByFile {
		t.Fatalf("FindWorkspace(sub/deep): got %+v, %v, want ws by its file", w, err)
	}
	p.Workspace = w
	c, findings := p.load(t)
	if len(findings) != 1 || findings[0].Check != StrayLocal || findings[0].Origin.Path != "sub/mortise.local.toml" {
		t.Errorf("Load: got %v, want the stray sub/mortise.local.toml named", findings)
	}
	if len(c.Plugins) != 2 || c.Plugins[0].Name != "guards" || !c.Plugins[0].Enabled || c.Plugins[1].Name != "mine" {
		t.Errorf("plugins: got %+v, want guards, enabled, and mine", c.Plugins)
	}
	if c.Limits.Depth != 4 || c.Limits.Files != 9 {
		t.Errorf("limits: got %+v, want depth 4 of the local file and files 9 of the shared one", c.Limits)
	}
}

// TestField_MOD05 is a worktree whose root was taken for that of its repository.
func TestField_MOD05(t *testing.T) {
	git := gitIn(t)
	dir := git.dir
	git.run("", "init", "-q", "seed")
	git.commit("seed")
	git.run("", "clone", "-q", "--bare", "seed", "proj/.bare")
	git.write("proj/.git", "gitdir: ./.bare\n")
	git.run("proj", "worktree", "add", "-q", "main-tree", "-b", "one")
	git.run("proj", "worktree", "add", "-q", "--detach", "next")
	git.run("proj", "worktree", "add", "-q", "--detach", "relative")
	git.write("proj/relative/.git", "gitdir: ../.bare/worktrees/relative\n")
	git.write("proj/.bare/worktrees/relative/gitdir", "../../../relative/.git\n")
	git.run("", "init", "-q", "super")
	git.run("super", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../seed", "lib/sub")
	git.run("super", "commit", "-qm", "submodule")
	git.run("super/lib/sub", "worktree", "add", "-q", "--detach", filepath.Join(dir, "subtree"))

	bare := "git:" + filepath.ToSlash(dir) + "/proj/.bare#"
	sub := "git:" + filepath.ToSlash(dir) + "/super/.git/modules/lib/sub#"
	for _, c := range []struct{ name, start, top, id string }{
		{"worktree with an absolute gitdir", "proj/main-tree/a/b", "proj/main-tree", bare + "."},
		{"second worktree of the same repository", "proj/next", "proj/next", bare + "."},
		{"worktree with a relative gitdir", "proj/relative/a", "proj/relative", bare + "."},
		{"submodule", "super/lib/sub/a", "super/lib/sub", sub + "."},
		{"worktree of a submodule", "subtree/a", "subtree", sub + "."},
		{"checkout", "super/lib", "super", "git:" + filepath.ToSlash(dir) + "/super/.git#."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := FindWorkspace(filepath.Join(dir, filepath.FromSlash(c.start)), "")
			want := Workspace{Dir: filepath.Join(dir, filepath.FromSlash(c.top)), Found: ByGit, ID: c.id}
			if err != nil || w.Dir != want.Dir || w.Found != want.Found || w.ID != want.ID || w.Fault != "" {
				t.Errorf("FindWorkspace(%s): got %+v, %v, want %+v", c.start, w, err, want)
			}
		})
	}
	// The folder around a bare repository is no checkout that it knows of.
	if w, err := FindWorkspace(filepath.Join(dir, "proj"), ""); err != nil || w.ID != "dir:"+filepath.ToSlash(dir)+"/proj" || w.Fault == "" {
		t.Errorf("FindWorkspace(proj): got %+v, %v, want the directory's own identity, and a fault", w, err)
	}
	git.write("proj/next/a/mortise.toml", "")
	git.write("proj/relative/a/mortise.toml", "")
	for _, tree := range []string{"next", "relative"} {
		w, err := FindWorkspace(filepath.Join(dir, "proj", tree, "a", "b"), "")
		if err != nil || w.ID != bare+"a" || w.Found != ByFile {
			t.Errorf("FindWorkspace(%s/a/b): got %+v, %v, want the identity %sa", tree, w, err, bare)
		}
	}
}

// repos runs git in a directory of its own.
type repos struct {
	t   *testing.T
	dir string
}

func gitIn(t *testing.T) repos {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return repos{t, dir}
}

func (g repos) run(in string, args ...string) {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(g.dir, filepath.FromSlash(in))
	cmd.Env = append(withoutGit(os.Environ()), "HOME="+g.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	if out, err := cmd.CombinedOutput(); err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func withoutGit(env []string) (kept []string) {
	for _, kv := range env {
		if !strings.HasPrefix(kv, "GIT_") {
			kept = append(kept, kv)
		}
	}
	return kept
}

func (g repos) commit(in string) {
	g.t.Helper()
	g.write(in+"/a/b/file", "text\n")
	g.run(in, "add", ".")
	g.run(in, "commit", "-qm", "first")
}

func (g repos) write(name, text string) {
	g.t.Helper()
	place{dir: g.dir}.write(g.t, name, text)
}

package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func TestFindWorkspace(t *testing.T) {
	p := lay(t, map[string]string{
		"repo/.git/HEAD":           "ref: refs/heads/main\n",
		"repo/a/mortise.toml":      "",
		"repo/a/b/c/file":          "",
		"repo/d/e/file":            "",
		"plain/x/file":             "",
		"folder/mortise.toml/file": "",
	})
	for _, c := range []struct {
		name, start, explicit, dir string
		found                      Rule
		id                         string
	}{
		{"nearest mortise.toml", "repo/a/b/c", "", "repo/a", ByFile, "git:$WORK/repo/.git#a"},
		{"top of the checkout", "repo/d/e", "", "repo", ByGit, "git:$WORK/repo/.git#."},
		{"nothing found", "plain/x", "", "plain/x", ByStart, "dir:$WORK/plain/x"},
		{"a folder named mortise.toml is none", "folder", "", "folder", ByStart, "dir:$WORK/folder"},
		{"explicit and relative", "repo/a", "../d", "repo/d", ByFlag, "git:$WORK/repo/.git#d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, err := FindWorkspace(filepath.Join(p.dir, filepath.FromSlash(c.start)), c.explicit)
			if err != nil || p.plain(filepath.ToSlash(w.Dir)) != "$WORK/"+c.dir || w.Found != c.found || p.plain(w.ID) != c.id {
				t.Errorf("FindWorkspace(%s, %q): got %+v, %v, want %s, %s, %s", c.start, c.explicit, w, err, c.dir, c.found, c.id)
			}
		})
	}
}

func TestFindWorkspaceErrors(t *testing.T) {
	p := lay(t, map[string]string{"ws/file": ""})
	for name, c := range map[string]struct {
		start, explicit string
		kind            ext.ErrorKind
	}{
		"explicit that does not exist": {p.dir, "nowhere", ext.Usage},
		"explicit that is a file":      {p.dir, "ws/file", ext.Usage},
		"relative start":               {"ws", "", ext.Failed},
		"start that does not exist":    {filepath.Join(p.dir, "gone"), "", ext.Failed},
	} {
		if w, err := FindWorkspace(c.start, c.explicit); err == nil || ext.KindOf(err) != c.kind {
			t.Errorf("FindWorkspace(%s): got %+v, %v, want an error of kind %d", name, w, err, c.kind)
		}
	}
}

func TestFindWorkspaceResolvesLinks(t *testing.T) {
	p := lay(t, map[string]string{"ws/mortise.toml": "", "ws/sub/file": ""})
	if err := os.Symlink(filepath.Join(p.dir, "ws", "sub"), filepath.Join(p.dir, "link")); err != nil {
		t.Skip(err)
	}
	w, err := FindWorkspace(filepath.Join(p.dir, "link"), "")
	if err != nil || w.Dir != filepath.Join(p.dir, "ws") {
		t.Errorf("FindWorkspace(link): got %+v, %v, want the workspace that the link leads into", w, err)
	}
}

// TestIdentityIsNotClaimed holds that a checkout cannot name another's
// repository as its own, however its files are written.
func TestIdentityIsNotClaimed(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"file that names the repository":        {"evil/.git": "gitdir: ../good/.git\n"},
		"file that names one of its worktrees":  {"evil/.git": "gitdir: ../good/.git/worktrees/w\n"},
		"directory with a foreign commondir":    {"evil/.git/commondir": "../../good/.git\n"},
		"its own worktree of a foreign common":  {"evil/.git": "gitdir: g/worktrees/w\n", "evil/g/worktrees/w/commondir": "../../../../good/.git\n", "evil/g/worktrees/w/gitdir": "../../../.git\n"},
		"file that names nothing":               {"evil/.git": "gitdir: ../nowhere\n"},
		"file that is none of git's":            {"evil/.git": "hello\n"},
		"file that is empty":                    {"evil/.git": ""},
		"repository with a checkout of its own": {"evil/.git": "gitdir: ../modules/m\n", "modules/m/config": "[core]\n\tworktree = ../../good\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := lay(t, map[string]string{
				"good/.git/HEAD":                  "ref: refs/heads/main\n",
				"good/.git/worktrees/w/commondir": "../..\n",
				"good/.git/worktrees/w/gitdir":    "../../../../w/.git\n",
			})
			for file, text := range files {
				p.write(t, file, text)
			}
			p.Workspace, _ = FindWorkspace(filepath.Join(p.dir, "evil"), "")
			if got := p.plain(p.Workspace.ID); got != "dir:$WORK/evil" || p.Workspace.Fault == "" {
				t.Errorf("ID: got %s with the fault %q, want that of the directory, and a fault", got, p.Workspace.Fault)
			}
			if _, findings := p.load(t); len(findings) != 1 || findings[0].Check != Identity {
				t.Errorf("Load: got %v, want the identity told", findings)
			}
		})
	}
}

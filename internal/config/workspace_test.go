package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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
		"file that names a nested repository":   {"evil/.git": "gitdir: proj/.git\n", "evil/proj/.git/HEAD": "ref: refs/heads/main\n"},
		"directory with a nested commondir":     {"evil/.git/commondir": "../proj/.git\n", "evil/proj/.git/HEAD": "ref: refs/heads/main\n"},
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
			unclaimed(t, p)
		})
	}
	for name, to := range map[string]string{
		"link to the repository":               "../good/.git",
		"link to the file of its worktree":     "../w/.git",
		"link to a repository that is within":  "proj/.git",
		"link to a directory of the workspace": "git",
	} {
		t.Run(name, func(t *testing.T) {
			p := lay(t, map[string]string{
				"good/.git/HEAD":                  "ref: refs/heads/main\n",
				"good/.git/worktrees/w/commondir": "../..\n",
				"good/.git/worktrees/w/gitdir":    "../../../../w/.git\n",
				"w/.git":                          "gitdir: ../good/.git/worktrees/w\n",
				"evil/proj/.git/HEAD":             "ref: refs/heads/main\n",
				"evil/git/HEAD":                   "ref: refs/heads/main\n",
			})
			if err := os.Symlink(to, filepath.Join(p.dir, "evil", ".git")); err != nil {
				t.Skip(err)
			}
			if w, _ := FindWorkspace(filepath.Join(p.dir, "w"), ""); p.plain(w.ID) != "git:$WORK/good/.git#." {
				t.Errorf("ID of the true worktree: got %s with the fault %q, want the repository's", w.ID, w.Fault)
			}
			unclaimed(t, p)
		})
	}
}

// unclaimed holds that evil goes by its directory alone, and that it is told.
func unclaimed(t *testing.T, p place) {
	t.Helper()
	p.Workspace, _ = FindWorkspace(filepath.Join(p.dir, "evil"), "")
	if got := p.plain(p.Workspace.ID); got != "dir:$WORK/evil" || p.Workspace.Fault == "" {
		t.Errorf("ID: got %s with the fault %q, want that of the directory, and a fault", got, p.Workspace.Fault)
	}
	if _, findings := p.load(t); len(findings) != 1 || findings[0].Check != Identity {
		t.Errorf("Load: got %v, want the identity told", findings)
	}
}

// TestMarkOfAnotherDirectory holds that a directory which takes the place of
// another has another mark, even where it gets the same inode.
func TestMarkOfAnotherDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ws")
	var before, after Workspace
	for _, w := range []*Workspace{&before, &after} {
		if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777)); err != nil {
			t.Fatal(err)
		}
		var err error
		if *w, err = FindWorkspace(dir, dir); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(before.Mark, "@") && before.Mark == after.Mark {
		t.Skip("the file system gave the same inode again and keeps no time of birth")
	}
	if before.ID != after.ID || before.Mark == after.Mark {
		t.Errorf("FindWorkspace after the directory was made anew: got %s %s, then %s %s, want another mark", before.ID, before.Mark, after.ID, after.Mark)
	}
	if again, err := FindWorkspace(dir, dir); err != nil || again.Mark != after.Mark {
		t.Errorf("FindWorkspace again: got the mark %s, %v, want %s", again.Mark, err, after.Mark)
	}
}

// TestFindWorkspaceFromNowhere holds that an absolute directory needs no start.
func TestFindWorkspaceFromNowhere(t *testing.T) {
	p := lay(t, map[string]string{"ws/mortise.toml": ""})
	if w, err := FindWorkspace("", p.Workspace.Dir); err != nil || w.Dir != p.Workspace.Dir {
		t.Errorf("FindWorkspace without a start: got %+v, %v, want the directory that was named", w, err)
	}
	if w, err := FindWorkspace("", "ws"); err == nil {
		t.Errorf("FindWorkspace of a relative directory without a start: got %+v, want an error", w)
	}
}

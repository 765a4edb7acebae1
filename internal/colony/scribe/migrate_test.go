package scribe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/git"
)

func TestColony_18_MigrateOne(t *testing.T) {
	r := newRepo(t, one())
	os.Chmod(filepath.Join(r.dir, Path), 0o640)
	m := r.migrate(Migrating{Dir: r.dir})
	if !m.Migrated || m.From != 1 || m.To != 2 || m.Commit != "" {
		t.Errorf("got %+v, want it migrated from 1 to 2, and no commit", m)
	}
	now, err := colony.Read([]byte(r.text(Path)))
	if err != nil || now.Version != 2 || len(now.Directories) != 6 {
		t.Errorf("got %+v, %v, want six directories", now, err)
	}
	if info, err := os.Stat(filepath.Join(r.dir, Path)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v, want who may read it to be as it was", info.Mode(), err)
	}
	if s := r.git("status", "--porcelain", "-uall"); s != " M "+Path {
		t.Errorf("there is %q, want the manifest alone", s)
	}
}

func TestColony_19_MigrateTwice(t *testing.T) {
	r := newRepo(t, one())
	r.migrate(Migrating{Dir: r.dir})
	before, err := os.Stat(filepath.Join(r.dir, Path))
	if err != nil {
		t.Fatal(err)
	}
	if m := r.migrate(Migrating{Dir: r.dir}); m.Migrated || m.Would || m.From != 2 || m.To != 2 {
		t.Errorf("got %+v, want nothing done", m)
	}
	after, err := os.Stat(filepath.Join(r.dir, Path))
	if err != nil || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Errorf("the file was written again: %v", err)
	}
}

func TestColony_20_MigrateTwoAlready(t *testing.T) {
	odd := `{"tenant":"a","colony":"c","program":"","target_system":"","design_repo_url":"","schema_version":2}`
	r := newRepo(t, odd)
	if m := r.migrate(Migrating{Dir: r.dir}); m.Migrated || r.text(Path) != odd {
		t.Errorf("got %+v and %q, want the bytes left alone", m, r.text(Path))
	}
}

func TestColony_21_MigrateKeeps(t *testing.T) {
	r := newRepo(t, one(`"lfs": {"mode": "disabled"}`, `"webhook": {"enabled": true, "endpoint": "https://example.org/h"}`, `"agent_email_domain": "d.org"`))
	r.migrate(Migrating{Dir: r.dir})
	m, err := colony.Read([]byte(r.text(Path)))
	if err != nil || m.LFS.Mode != colony.Disabled || !m.Webhook.Enabled || *m.Webhook.Endpoint != "https://example.org/h" || m.AgentEmailDomain != "d.org" {
		t.Errorf("got %+v, %v", m, err)
	}
}

func TestColony_22_MigrateAndCommit(t *testing.T) {
	r := newRepo(t, one(free))
	head := r.git("rev-parse", "HEAD")
	m := r.migrate(r.committing())
	if !m.Migrated || m.Commit != r.git("rev-parse", "main") || m.Branch != "main" || r.git("rev-parse", "HEAD^") != head {
		t.Errorf("got %+v, want a commit on main", m)
	}
	if c := r.changed("HEAD"); c != "M\t"+Path {
		t.Errorf("the commit has %q, want the manifest alone", c)
	}
	const who = "agent:ops:migrator <ops@c1.agent.colony.local>"
	if got := r.git("log", "-1", "--format=%an <%ae> %cn <%ce> %s"); got != who+" "+who+" Migrate .colony/manifest.json to version 2" {
		t.Errorf("got %q", got)
	}
	if s := r.git("status", "--porcelain"); s != "" || r.version() != 2 {
		t.Errorf("there is %q", s)
	}
}

func TestColony_23_NothingToCommit(t *testing.T) {
	r := newRepo(t, strings.Replace(one(), `"schema_version": 1`, `"schema_version": 2`, 1)) // on a branch that is protected
	before := r.state()
	if m := r.migrate(r.committing()); m.Migrated || m.Commit != "" || m.Left != "" || r.state() != before {
		t.Errorf("got %+v, want nothing done", m)
	}
}

// What is changed, staged or not known to git stays out of the commit, and is as it was.
// The system before commits what is staged with it.
func TestColony_24_25_NothingElseIsCommitted(t *testing.T) {
	r := newRepo(t, one(free))
	r.put("other", "changed\n")
	r.put("staged", "staged\n")
	r.git("add", "staged")
	r.put("untracked", "x\n")
	before := r.git("status", "--porcelain", "-uall")
	m := r.migrate(r.committing())
	if c := r.changed(m.Commit); c != "M\t"+Path {
		t.Errorf("the commit has %q, want the manifest alone", c)
	}
	if after := r.git("status", "--porcelain", "-uall"); after != before {
		t.Errorf("afterwards there is %q, want %q", after, before)
	}
}

func TestColony_26_OwnDirectoriesStay(t *testing.T) {
	r := newRepo(t, one(`"extensions": {"tools": {"directory": "vendor/tools"}}`))
	r.migrate(Migrating{Dir: r.dir})
	m, err := colony.Read([]byte(r.text(Path)))
	if err != nil || m.Directories[colony.Tools] != "vendor/tools" || m.Directories[colony.Agents] != ".colony/agents/" {
		t.Errorf("got %v, %v, want the own one kept, and the others filled in", m.Directories, err)
	}
}

// A commit that fails takes the file back. The system before leaves it migrated, and never
// commits it.
func TestColony_27_CommitFails(t *testing.T) {
	for name, c := range map[string]struct {
		make func(r *repo, o *Migrating)
		want string
	}{
		"no repository":        {func(r *repo, _ *Migrating) { os.Rename(filepath.Join(r.dir, ".git"), filepath.Join(r.dir, "git")) }, "no working tree"},
		"the index is locked":  {func(r *repo, _ *Migrating) { r.put(".git/index.lock", "") }, "index.lock"},
		"the branch is locked": {func(r *repo, _ *Migrating) { r.put(".git/refs/heads/main.lock", "") }, "main.lock"},
		"a filter":             {func(r *repo, _ *Migrating) { r.put(".gitattributes", "*.json filter=x\n") }, "filter"},
		"ignored": {func(r *repo, _ *Migrating) {
			r.git("rm", "-q", "--cached", Path)
			r.git("commit", "-qm", "not the manifest")
			r.put(".gitignore", ".colony\n")
		}, "ignores"},
		"nobody":     {func(_ *repo, o *Migrating) { o.As.Name = "" }, "the agent has no name"},
		"a bad name": {func(_ *repo, o *Migrating) { o.As.Name = "x>\n<y" }, "no address has"},
		"a protected branch": {func(r *repo, _ *Migrating) {
			r.put(Path, one())
			r.git("commit", "-qam", "protect")
		}, `"main" is protected`},
		"protected as it is committed": {func(r *repo, _ *Migrating) {
			r.put(Path, one())
			r.git("commit", "-qam", "protect")
			r.put(Path, one(free))
		}, `"main" is protected`},
		"changes of somebody": {func(r *repo, _ *Migrating) { r.put(Path, one(free, `"default_branch": "mine"`)) }, "changes that are not committed"},
		"changes are staged": {func(r *repo, _ *Migrating) {
			r.put(Path, one(free, `"default_branch": "mine"`))
			r.git("add", Path)
			r.put(Path, one(free))
		}, "would be lost"},
		"the manifest is a link": {func(r *repo, _ *Migrating) {
			os.Rename(filepath.Join(r.dir, Path), filepath.Join(r.dir, "elsewhere"))
			os.Symlink("../elsewhere", filepath.Join(r.dir, Path))
		}, "a link"},
		"no manifest on the branch": {func(r *repo, o *Migrating) {
			r.git("branch", "empty")
			r.git("checkout", "-q", "empty")
			r.git("rm", "-q", Path)
			r.git("commit", "-qm", "none")
			r.git("checkout", "-q", "main")
			o.Branch = "empty"
		}, "there is no manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t, one(free))
			o := r.committing()
			c.make(r, &o)
			state := func() string { return r.text(Path) }
			if name != "no repository" {
				state = r.state
			}
			before := state()
			_, err := Migrate(t.Context(), o)
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `\"`, `"`), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if state() != before {
				t.Errorf("afterwards there is\n%s\nwant\n%s", state(), before)
			}
		})
	}
}

// A later run commits what an earlier one wrote without committing it, whatever is staged
// besides, and nothing that is more than a migration.
func TestMigrationIsResumed(t *testing.T) {
	r := newRepo(t, one(free))
	r.migrate(Migrating{Dir: r.dir})
	r.put("other", "staged\n")
	r.git("add", "other", Path)
	o := r.committing()
	o.Dry = true
	if m := r.migrate(o); m.Migrated || !m.Would || !m.Resumed || m.From != 1 {
		t.Errorf("got %+v, want it to be seen", m)
	}
	m := r.migrate(r.committing())
	if !m.Migrated || !m.Resumed || m.From != 1 || m.To != 2 || m.Commit != r.git("rev-parse", "HEAD") || r.changed("HEAD") != "M\t"+Path {
		t.Errorf("got %+v, want it committed", m)
	}
	if s := r.git("status", "--porcelain"); s != "M  other" {
		t.Errorf("there is %q", s)
	}

	r = newRepo(t, one(free))
	r.migrate(Migrating{Dir: r.dir})
	r.put(Path, strings.Replace(r.text(Path), `"acme"`, `"mine"`, 1))
	before := r.state()
	if m := r.migrate(r.committing()); m.Migrated || m.Commit != "" || !strings.Contains(m.Left, "more than a migration") || r.state() != before {
		t.Errorf("got %+v, want a change of somebody left alone", m)
	}

	r = newRepo(t, one(free))
	r.migrate(Migrating{Dir: r.dir})
	r.put(Path, strings.ReplaceAll(r.text(Path), "\n", "\r\n")) // as git checks it out on some systems
	if m := r.migrate(r.committing()); !m.Resumed || strings.Contains(r.git("show", "HEAD:"+Path), "\r") {
		t.Errorf("got %+v, want it committed with the ends of lines that git keeps", m)
	}
}

// A manifest that no commit has yet is committed where this run migrated it.
func TestManifestThatIsNew(t *testing.T) {
	r := newRepo(t, "")
	r.put(Path, one(free))
	if m := r.migrate(r.committing()); !m.Migrated || r.changed(m.Commit) != "A\t"+Path || r.git("status", "--porcelain") != "" {
		t.Errorf("got %+v, want it committed", m)
	}
	r = newRepo(t, "")
	r.put(Path, one(free))
	r.migrate(Migrating{Dir: r.dir})
	if m := r.migrate(r.committing()); m.Migrated || !strings.Contains(m.Left, "not in any commit") {
		t.Errorf("got %+v, want it left", m)
	}
}

// A branch that is not checked out is migrated as it is committed, and the working tree is
// left alone.
func TestMigrateOnABranch(t *testing.T) {
	r := newRepo(t, one())
	r.put(Path, one(`"default_branch": "mine"`))
	head, text := r.git("rev-parse", "main"), r.text(Path)
	o := r.committing()
	o.Branch = "colony/v2"
	m := r.migrate(o)
	if !m.Migrated || m.Branch != o.Branch || m.Commit != r.git("rev-parse", o.Branch) || r.git("rev-parse", o.Branch+"^") != head || r.changed(m.Commit) != "M\t"+Path {
		t.Errorf("got %+v, want a commit on a new branch", m)
	}
	if r.git("rev-parse", "HEAD") != head || r.text(Path) != text || r.git("status", "--porcelain") != " M "+Path {
		t.Error("what is checked out was changed")
	}
	if strings.Contains(r.git("show", o.Branch+":"+Path), "mine") {
		t.Error("what is not committed got in")
	}
	if m := r.migrate(o); m.Migrated || m.Commit != "" {
		t.Errorf("again: got %+v, want nothing done", m)
	}
}

// A monorepo may be a part of a repository, and be reached through a link.
func TestMigrateBelowTheTop(t *testing.T) {
	r := newRepo(t, "")
	r.put("design/"+Path, one(free))
	r.git("add", "-A")
	r.git("commit", "-qm", "design")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(r.dir, "design"), link); err != nil {
		t.Skip(err)
	}
	o := r.committing()
	o.Dir = link
	if m := r.migrate(o); r.changed(m.Commit) != "M\tdesign/"+Path || r.git("status", "--porcelain") != "" {
		t.Errorf("got %+v", m)
	}
}

func TestMigrateFaults(t *testing.T) {
	r := newRepo(t, "")
	for _, commit := range []bool{false, true} {
		o := r.committing()
		o.Commit = commit
		_, err := Migrate(t.Context(), o)
		var e *colony.Error
		if !errors.As(err, &e) || e.Faults[0].Reason != colony.Missing || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want that there is none", err)
		}
		r.put(Path, "{\n")
		if _, err := Migrate(t.Context(), o); !errors.As(err, &e) || e.Faults[0].Reason != colony.Syntax || ext.KindOf(err) != ext.Failed {
			t.Errorf("got %v, want that it is no JSON", err)
		}
		os.RemoveAll(filepath.Join(r.dir, colony.Dir))
	}
	o := r.committing()
	o.Dir = filepath.Join(r.dir, "nowhere")
	if _, err := Migrate(t.Context(), o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that it is not there", err)
	}
}

// Who changes the manifest, or commits, while it is migrated keeps that.
func TestOthersWriteMeanwhile(t *testing.T) {
	r := newRepo(t, one(free))
	o := r.committing()
	o.at = func(string) {
		r.put("other", "theirs\n")
		r.git("commit", "-qm", "theirs", "other")
	}
	if _, err := Migrate(t.Context(), o); git.KindOf(err) != git.Stale || r.version() != 1 || r.git("status", "--porcelain") != "" {
		t.Errorf("got %v, want it stale, and the file taken back", err)
	}
	o.at = func(string) {
		r.put(Path, one(free, `"default_branch": "theirs"`))
		r.put(".git/index.lock", "")
	}
	_, err := Migrate(t.Context(), o)
	if git.KindOf(err) != git.Held || !strings.Contains(err.Error(), "stays as it was written") || !strings.Contains(r.text(Path), "theirs") {
		t.Errorf("got %v, want that theirs stays", err)
	}
}

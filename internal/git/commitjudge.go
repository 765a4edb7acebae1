package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// target sees where the commit goes, and where that is now.
func (m *making) target(ctx context.Context) error {
	if err := m.look(ctx); err != nil {
		return err
	}
	branch := m.Committing.Branch
	if branch == "" {
		branch = m.WorkTree.Branch
	}
	if branch == "" { // a commit alone is checked out
		m.ref, m.here, m.tip, m.doing = "HEAD", true, m.Head, "commit on what is checked out"
	} else {
		m.ref, m.here, m.doing = heads+branch, branch == m.WorkTree.Branch, "commit on the branch "+ext.Quote(branch)
		if err := checkRef(branch); err != nil {
			return ext.AsUsage(err)
		}
		if err := m.branch(ctx); err != nil {
			return err
		}
	}
	m.base = m.tip
	if m.base == "" {
		if m.base = m.Head; m.here {
			m.base = ""
		}
	}
	switch {
	case m.Expect == "" || m.Expect == m.tip || m.Expect == NoCommit && m.tip == "":
		return nil
	case m.tip == "":
		return &Error{Kind: Stale, Doing: m.doing, Detail: "there is no such branch", Advice: kindTexts[Stale][1]}
	}
	return &Error{Kind: Stale, Doing: m.doing, Detail: "it is at " + m.tip, Advice: kindTexts[Stale][1]}
}

// branch looks at the branch, and refuses one that others use.
func (m *making) branch(ctx context.Context) (err error) {
	if m.tip, _, err = m.asked(ctx, "rev-parse", "-q", "--verify", m.ref+"^{commit}"); err != nil {
		return err
	}
	name := strings.TrimPrefix(m.ref, heads)
	if to, other, err := m.asked(ctx, "symbolic-ref", "-q", m.ref); err != nil {
		return err
	} else if other {
		return refused("the branch %s is only another name of %s; name that", ext.Quote(name), ext.Quote(strings.TrimPrefix(to, heads)))
	}
	if m.here {
		return nil
	}
	if m.rebased() {
		return refused("the branch %s is being rebased; end that first", ext.Quote(name))
	}
	list, err := m.raw(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return err
	}
	at := ""
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if dir, ok := strings.CutPrefix(line, "worktree "); ok {
			at = dir
		}
		if line == "branch "+m.ref {
			return refused("the branch %s is checked out in %s; do it there", ext.Quote(name), ext.Quote(at))
		}
	}
	return nil
}

// rebased reports whether a working tree is in the middle of rebasing the branch.
func (m *making) rebased() bool {
	dirs, _ := filepath.Glob(filepath.Join(escapeDir(m.common), "worktrees", "*"))
	for _, dir := range append(dirs, m.common) {
		for _, how := range []string{"rebase-merge", "rebase-apply"} {
			if name, err := os.ReadFile(filepath.Join(dir, how, "head-name")); err == nil && strings.TrimSpace(string(name)) == m.ref {
				return true
			}
		}
	}
	return false
}

// escapeDir is a directory as a part of a pattern.
func escapeDir(dir string) string {
	if filepath.Separator == '\\' {
		return dir // where nothing escapes
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}

// judge sees what lies at the paths, and refuses what is in the way.
func (m *making) judge(ctx context.Context) (err error) {
	paths := make([]string, len(m.Files))
	for i, f := range m.Files {
		paths[i] = f.Path
	}
	m.was = map[string]entry{}
	if m.base != "" {
		if m.was, err = m.entries(ctx, m.base, paths...); err != nil {
			return err
		}
	}
	for _, p := range paths {
		if err := m.clear(p); err != nil {
			return err
		}
	}
	if err := m.ignored(ctx, paths); err != nil {
		return err
	}
	return m.filtered(ctx, paths)
}

// clear refuses a path where something other than a file, or a directory on the way, is.
func (m *making) clear(path string) error {
	for _, p := range above(path) {
		switch e, there := m.was[p]; {
		case there && p == path && e.mode != plainMode && e.mode != execMode:
			return refused("%s is %s there, and no file", ext.Quote(p), e.word())
		case there && p != path && e.mode != dirMode:
			return refused("%s is %s there, and %s cannot be below it", ext.Quote(p), e.word(), ext.Quote(path))
		}
		if p == path || !m.here {
			continue
		}
		if _, err := os.Lstat(filepath.Join(m.Top, filepath.FromSlash(p), ".git")); err == nil {
			return refused("%s is a repository of its own; commit %s there", ext.Quote(p), ext.Quote(path))
		}
	}
	return nil
}

// ignored refuses what git ignores. What it tracks already it does not ignore.
func (m *making) ignored(ctx context.Context, paths []string) error {
	var fresh []string
	for _, p := range paths {
		if m.was[p] == (entry{}) {
			fresh = append(fresh, "./"+p) // which is no pattern
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	in, err := m.input([]byte(strings.Join(fresh, "\x00")))
	if err != nil {
		return err
	}
	defer in.Close()
	out, _, err := answer(m.WorkTree.doing(ctx, call{args: m.in("check-ignore", "-z", "--stdin"), stdin: in}))
	if err != nil {
		return err
	}
	if p, _, _ := strings.Cut(out, "\x00"); p != "" {
		return refused("git ignores %s; take the rule away that says so (git check-ignore -v shows it)", ext.Quote(strings.TrimPrefix(p, "./")))
	}
	return nil
}

// filtered refuses what git would have a program, or a recoding, change: what is committed
// here is what is written, to the byte.
func (m *making) filtered(ctx context.Context, paths []string) error {
	out, err := m.raw(ctx, m.in(append([]string{"check-attr", "-z", "filter", "working-tree-encoding", "--"}, paths...)...)...)
	if err != nil {
		return err
	}
	fields := strings.Split(out, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if value := fields[i+2]; value != "unspecified" && value != "unset" {
			return refused("the attributes of %s name a %s, %s, and nothing is run here; take it out of .gitattributes", ext.Quote(fields[i]), fields[i+1], ext.Quote(value))
		}
	}
	return nil
}

// in are arguments of a command that looks at the files of the working tree.
func (m *making) in(command ...string) []string {
	return append([]string{"-C", m.Top, "--work-tree=" + m.Top}, command...)
}

func refused(format string, args ...any) error { return ext.AsRefused(fmt.Errorf(format, args...)) }

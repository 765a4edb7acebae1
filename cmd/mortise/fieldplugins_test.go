//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// publish is a repository with the files of a plugin that is called acme; more files of
// its own may be committed to it.
func publish(t *testing.T, files map[string]string) *origin {
	t.Helper()
	o := &origin{t, filepath.Join(t.TempDir(), "acme")}
	write(t, filepath.Join(o.dir, ".claude-plugin", "plugin.json"), `{"name": "acme"}`)
	o.git("init", "-q", "-b", "main", ".")
	o.put(files)
	return o
}

// put commits files; one without text is removed.
func (o *origin) put(files map[string]string) {
	o.t.Helper()
	for name, text := range files {
		path := filepath.Join(o.dir, name)
		if text != "" {
			write(o.t, path, text)
		} else if err := os.Remove(path); err != nil {
			o.t.Fatal(err)
		}
	}
	o.git("add", "-A")
	o.git("commit", "-q", "--allow-empty", "-m", "files")
}

func (o *origin) source() string { return "file://" + o.dir }

// skillOf is a skill that says something.
func skillOf(name, says string) string {
	return fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n%s\n", name, says, says)
}

// connected is an adopted workspace whose client asks about its events.
func connected(t *testing.T, files map[string]string) place {
	t.Helper()
	if files == nil {
		files = map[string]string{"mortise.toml": ""}
	}
	p := newPlace(t, files)
	p.must("hook", "claude-code", "--install")
	p.must("trust", "--yes")
	return p
}

// edits tells of a file that the client edited, and wants that to go on without a word.
func (p place) edits(what string) {
	p.Helper()
	out, errs, code := p.hook("claude-code", "PostToolUse", fmt.Sprintf(`{"session_id": "s", "cwd": %q, "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "x"}, "tool_response": {}}`, p.dir))
	if code != 0 || out+errs != "" {
		p.Errorf("%s: a file was edited: got exit code %d, %s%s, want nothing said", what, code, out, errs)
	}
}

// shell wants the client to be told of a shell command, and returns whether it is denied.
func (p place) shell(command string) (denied bool, reason string) {
	p.Helper()
	out, errs, code := p.hook("claude-code", "PreToolUse", p.shellCall(command))
	if code != 0 && code != 2 || (code == 2) != strings.Contains(out, `"permissionDecision":"deny"`) {
		p.Errorf("%s: got exit code %d, %s%s, want a denial or none", command, code, out, errs)
	}
	return code == 2, errs
}

// installed is what mortise plugin list says of one plugin; without a name it is not
// installed.
type installed struct{ Name, Status, Scope, Source, Commit, Root, Market string }

func (p place) plugin(name string) installed {
	p.Helper()
	for _, i := range document[struct{ Plugins []installed }](p.T, p.must("plugin", "list", "--json")).Plugins {
		if i.Name == name {
			return i
		}
	}
	return installed{}
}

// entries are those of an extension that are listed, as SURFACE NAME, with their status.
func (p place) entries(extension string) map[string]string {
	p.Helper()
	out, _, _ := p.run("list", "--json")
	all := map[string]string{}
	for _, e := range document[struct {
		Entries []struct{ Extension, Surface, Name, Status string }
	}](p.T, out).Entries {
		if e.Extension == extension {
			all[e.Surface+" "+e.Name] = e.Status
		}
	}
	return all
}

// ends wants a command to end with a code and to tell each of some texts, on either
// output.
func (p place) ends(code int, args []string, tells ...string) {
	p.Helper()
	out, errs, got := p.run(args...)
	if got != code {
		p.Errorf("mortise %q: got exit code %d, want %d\n%s%s", args, got, code, out, errs)
	}
	for _, want := range tells {
		if !strings.Contains(out+errs, want) {
			p.Errorf("mortise %q: got\n%s%s, want %q in it", args, out, errs, want)
		}
	}
}

// loosen lets a test edit a checkout, which is read-only.
func loosen(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSymlink == 0 {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies a directory to one that is made anew.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	remove(t, to)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

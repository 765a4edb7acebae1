//go:build unix

package stack

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/plan"
)

// laid is a workspace, an extension's own directory beside it, and what lies outside.
func laid(t *testing.T) (workspace, own, outside string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	workspace, own, outside = filepath.Join(dir, "w"), filepath.Join(dir, "own"), filepath.Join(dir, "w-outside")
	for _, d := range []string{workspace, own, outside, filepath.Join(workspace, "dir")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(workspace, "a.yaml"), filepath.Join(own, "o.yaml"), filepath.Join(outside, "x.yaml"), filepath.Join(workspace, "a\nb.yaml")} {
		if err := os.WriteFile(f, []byte("services: {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in": "a.yaml", "out": "../w-outside/x.yaml", "away": "../w-outside", "nowhere": "gone", "loop": "loop", "own": "../own/o.yaml"} {
		if err := os.Symlink(to, filepath.Join(workspace, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := unix.Mkfifo(filepath.Join(workspace, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return workspace, own, outside
}

func TestFind(t *testing.T) {
	workspace, own, outside := laid(t)
	s := &Stack{Declared: true, worktree: workspace}
	for _, c := range []struct {
		name, file string
		anywhere   bool
		want       string // the path; or "missing", or "refused" and what it says
	}{
		{"a file", "a.yaml", false, "w/a.yaml"},
		{"a file written otherwise", "./dir/../a.yaml", false, "w/a.yaml"},
		{"an absolute file of the workspace", workspace + "/a.yaml", false, "w/a.yaml"},
		{"a link that stays", "in", false, "w/a.yaml"},
		{"a file of the extension's own", own + "/o.yaml", false, "own/o.yaml"},
		{"a link to a file of the extension's own", "own", false, "own/o.yaml"},
		{"a line end in a name", "a\nb.yaml", false, "w/a\nb.yaml"},
		{"what is not there", "gone.yaml", false, "missing"},
		{"below a file", "a.yaml/b", false, "missing"},
		{"a link that leads nowhere", "nowhere", false, "missing"},
		{"outside", outside + "/x.yaml", false, "refused lies outside"},
		{"outside, and not there", outside + "/gone", false, "refused lies outside"},
		{"upwards", "../w-outside/x.yaml", false, "refused lies outside"},
		{"a directory whose name begins alike", "../w-outside/x.yaml", false, "refused lies outside"},
		{"a link that leads outside", "out", false, "refused which lies outside"},
		{"through a link that leads outside", "away/x.yaml", false, "refused which lies outside"},
		{"links in a circle", "loop", false, "refused cannot be looked at"},
		{"a directory", "dir", false, "refused is a directory"},
		{"a pipe", "pipe", false, "refused no regular file"},
		{"a device", "/dev/null", true, "refused no regular file"},
		{"NUL", "a\x00b", false, "refused NUL"},
		{"the person's word", outside + "/x.yaml", true, "w-outside/x.yaml"},
		{"the person's link", "out", true, "w/out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := Named{As: c.file, Extension: "acme"}
			within := []string{workspace, own}
			if c.anywhere {
				n.Extension, within = "", nil
			}
			f, why := s.find(n, within)
			word, says, _ := strings.Cut(c.want, " ")
			switch {
			case why == nil && f.Path == filepath.Join(filepath.Dir(workspace), c.want):
			case why != nil && why.missing && word == "missing":
			case why != nil && !why.missing && word == "refused" && strings.Contains(why.text, says):
			default:
				t.Errorf("got %q, %+v, want %s", f.Path, why, c.want)
			}
		})
	}
}

// row is a row of the configuration.
func row(t *testing.T, trust ext.Trust, text string) plan.Row {
	t.Helper()
	d, fs := doc.YAML(ext.Origin{Path: "mortise.toml"}, []byte(text), 1)
	if fs.Failed() {
		t.Fatal(fs)
	}
	return plan.Row{Table: "overlay", Doc: d, Origin: ext.Origin{Trust: trust, Path: "mortise.toml", Line: 1}}
}

func TestOf(t *testing.T) {
	workspace, own, outside := laid(t)
	of := func(t *testing.T, base string, env []string, rows ...plan.Row) (*Stack, error) {
		r := plan.New(context.Background(), plan.Inputs{Composition: compose.Merge(nil, nil), Worktree: workspace, Rows: rows, Dirs: map[ext.Name]plan.Dirs{"acme": {Root: own}}})
		return Of(context.Background(), r.Plan(nil), Inputs{Compose: config.Value{Said: config.Said{Text: base, Origin: ext.Origin{Trust: ext.Project, Path: "mortise.toml", Line: 2}}}, Env: env})
	}
	for _, c := range []struct {
		name, base string
		env        []string
		rows       []plan.Row
		want       string // files, then -skipped, then !refused
	}{
		{"the base alone", "./a.yaml", nil, nil, "a.yaml"},
		{"no stack", "", []string{"MORTISE_COMPOSE=in"}, []plan.Row{row(t, ext.Project, "file: a.yaml")}, "-a.yaml -in"},
		{"the environment's are last", "./a.yaml", []string{"MORTISE_COMPOSE=in:" + outside + "/x.yaml::gone"}, []plan.Row{row(t, ext.Project, "file: own"), row(t, ext.Project, "file: dir/../in")}, "a.yaml in in " + outside + "/x.yaml -gone !own"},
		{"a variable instead of the file", "./a.yaml", []string{"X_COMPOSE=" + outside + "/x.yaml"}, []plan.Row{row(t, ext.Project, "{file: in, env: X_COMPOSE}")}, "a.yaml " + outside + "/x.yaml"},
		{"an empty variable says nothing", "./a.yaml", []string{"X_COMPOSE="}, []plan.Row{row(t, ext.Project, "{file: in, env: X_COMPOSE}")}, "a.yaml in"},
		{"a variable alone", "./a.yaml", nil, []plan.Row{row(t, ext.Project, "{env: X_COMPOSE}")}, "a.yaml -"},
		{"the workspace's file stays in it", "./a.yaml", nil, []plan.Row{row(t, ext.Project, "file: "+outside+"/x.yaml")}, "a.yaml !" + outside + "/x.yaml"},
		{"the person's need not", "./a.yaml", nil, []plan.Row{row(t, ext.Owner, "file: "+outside+"/x.yaml")}, "a.yaml " + outside + "/x.yaml"},
		{"a condition on an axis that there is not", "./a.yaml", nil, []plan.Row{row(t, ext.Project, "{file: in, when: {gone: on}}")}, "a.yaml"},
		{"a base that leads outside", "./out", nil, nil, "!./out"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := of(t, c.base, c.env, c.rows...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range s.Files {
				got = append(got, f.Shown)
			}
			for _, o := range s.Skipped {
				got = append(got, "-"+o.As)
			}
			for _, o := range s.Refused {
				got = append(got, "!"+o.As)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
			if s.Findings.Failed() != (len(s.Refused) > 0) {
				t.Errorf("found %v with %d refused", s.Findings, len(s.Refused))
			}
		})
	}
	for _, base := range []string{"./gone.yaml", "./nowhere"} {
		if _, err := of(t, base, nil); err == nil || ext.KindOf(err) != ext.Failed || !strings.Contains(err.Error(), base) || !strings.Contains(err.Error(), "mortise.toml:2") {
			t.Errorf("a base %s: got %v, want an error that names it and who says so", base, err)
		}
	}
}

// A file that became a pipe, or another one, after it was looked at is not waited for.
func TestMergeDoesNotWait(t *testing.T) {
	s := made(t, nil, service("a: b"))
	if err := os.Remove(s.Files[0].real); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(s.Files[0].real, 0o600); err != nil {
		t.Fatal(err)
	}
	if m := s.Merge(false); !m.Findings.Failed() {
		t.Error("got no error, want the pipe refused")
	}
}

func TestWithoutComposeCLI(t *testing.T) {
	s := made(t, nil, service("a: b"))
	s.exported["PATH"] = s.worktree
	if _, err := s.CheckCLI(context.Background()); err == nil || !strings.Contains(err.Error(), "no compose CLI") {
		t.Errorf("got %v, want that there is none", err)
	}
}

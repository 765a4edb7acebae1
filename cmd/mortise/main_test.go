package main

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/mcptest"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

func TestMain(m *testing.M) {
	child.Main()
	mcptest.Main()
	testscript.Main(m, map[string]func(){"mortise": main, "client": stdioClient})
}

const scripts = "../../testdata/script"

// TestScript runs the program as a user would type it. Each script says why.
func TestScript(t *testing.T) {
	testscript.Run(t, params(testscript.Params{Dir: scripts}))
}

// field runs the script of one field case.
func field(t *testing.T, name string) {
	testscript.Run(t, params(testscript.Params{Files: []string{filepath.Join(scripts, "field", name)}}))
}

func TestField_CLI01(t *testing.T)                                   { field(t, "cli01.txtar") }
func TestField_MOD01_trust_is_bound_to_content(t *testing.T)         { field(t, "mod01.txtar") }
func TestField_MOD02_what_is_borrowed_never_widens(t *testing.T)     { field(t, "mod02.txtar") }
func TestField_MOD04_an_untracked_guard_is_missed(t *testing.T)      { field(t, "mod04.txtar") }
func TestField_MOD06_MOD10_MOD11_each_worktree_its_own(t *testing.T) { field(t, "mod06.txtar") }

func TestField_CLI04(t *testing.T) { field(t, "cli04.txtar") }
func TestField_CLI05(t *testing.T) { field(t, "cli05.txtar") }
func TestField_CLI07(t *testing.T) { field(t, "cli07.txtar") }
func TestField_NAM07(t *testing.T) { field(t, "nam07.txtar") }
func TestField_SEC01(t *testing.T) { field(t, "sec01.txtar") }
func TestField_SEC05(t *testing.T) { field(t, "sec05.txtar") }
func TestField_STA06(t *testing.T) { field(t, "sta06.txtar") }

// params gives a script a home of its own and the example workspace.
func params(p testscript.Params) testscript.Params {
	p.UpdateScripts = *update
	p.RequireUniqueNames = true
	p.Cmds = map[string]func(*testscript.TestScript, bool, []string){
		"exits": exits, "keys": keys, "plain": plain,
	}
	maps.Copy(p.Cmds, running)
	p.Setup = func(e *testscript.Env) error {
		e.Setenv("MORTISE_HOME", filepath.Join(e.WorkDir, "home"))
		e.Setenv("HOME", e.WorkDir)
		e.Setenv("NO_COLOR", "")
		e.Values[scriptServes{}] = new(scriptServes)
		return os.CopyFS(filepath.Join(e.WorkDir, "workshop"), os.DirFS("../../examples/workshop"))
	}
	return p
}

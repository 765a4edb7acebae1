//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// running are commands for scripts in which something runs meanwhile.
var running = map[string]func(*testscript.TestScript, bool, []string){
	"declare": declare, "serving": serving, "signals": signals, "stops": stops, "await": await,
}

// declare declares servers of the owner's, in the modes of test servers:
// declare own good=normal dead=exits. What one in the mode listed offers is in a file
// of the workspace: own/NAME.list.
func declare(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: declare DIR [NAME=MODE…]")
	}
	all := map[string]fixture{}
	for _, arg := range args[1:] {
		name, mode, _ := strings.Cut(arg, "=")
		f := fixture{mode: mcptest.Mode(mode)}
		if f.mode == mcptest.Listed {
			f.env = map[string]string{mcptest.ListVar: ts.MkAbs(filepath.Join(args[0], name+".list"))}
		}
		all[name] = f
	}
	file := ts.MkAbs(filepath.Join(args[0], ".mortise", "mcp.json"))
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o755))
	ts.Check(os.WriteFile(file, []byte(servers(all)), 0o644))
}

// scriptServes is what a script has running, under itself as the key.
type scriptServes struct{ *process }

// serving starts mortise serve of a workspace at any free port and waits until
// it serves; URL and PID are variables then: serving own --trust=once.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: serving DIR [ARGUMENT…]")
	}
	cmd := exec.Command("mortise", append([]string{"serve", "--http", "127.0.0.1:0", "--workspace", ts.MkAbs(args[0])}, args[1:]...)...) //nolint:noctx // it ends with the script
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "MORTISE_HOME", "TMPDIR", "NO_COLOR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	p, err := begin(cmd)
	ts.Check(err)
	ts.Defer(p.kill)
	m, err := p.said(p.stdout, `(`+address+`)[\s\S]*^Ctrl-C`)
	ts.Check(err)
	ts.Setenv("URL", m[1])
	ts.Value(scriptServes{}).(*scriptServes).process = p
}

// named are the signals that scripts send.
var named = map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT, "TERM": syscall.SIGTERM}

func lastServed(ts *testscript.TestScript, neg bool, args []string) (*process, syscall.Signal) {
	if neg || len(args) != 1 || named[args[0]] == 0 {
		ts.Fatalf("usage: signals HUP, stops INT or stops TERM")
	}
	p := ts.Value(scriptServes{}).(*scriptServes).process
	if p == nil {
		ts.Fatalf("nothing is serving")
	}
	return p, named[args[0]]
}

// signals sends a signal to what is serving: signals HUP.
func signals(ts *testscript.TestScript, neg bool, args []string) {
	p, s := lastServed(ts, neg, args)
	ts.Check(p.cmd.Process.Signal(s))
}

// stops ends what is serving, wants 0, and leaves what it wrote in served.out
// and served.err: stops INT.
func stops(ts *testscript.TestScript, neg bool, args []string) {
	p, s := lastServed(ts, neg, args)
	code, err := p.end(s)
	ts.Check(err)
	if code != 0 {
		ts.Fatalf("serve after %s: got exit code %d, want 0\n%s", s, code, p.stderr)
	}
	for name, w := range map[string]*transcript{"served.out": p.stdout, "served.err": p.stderr} {
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), name), []byte(w.String()), 0o644))
	}
}

// await runs a command until it succeeds and its output matches: await '^x ready'
// mortise server list.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: await PATTERN PROGRAM ARGUMENT…")
	}
	re := regexp.MustCompile("(?m)" + args[0])
	if !within(patience, func() bool {
		return ts.Exec(args[1], args[2:]...) == nil && re.MatchString(ts.ReadFile("stdout"))
	}) {
		ts.Fatalf("%s: it never said %q", strings.Join(args[1:], " "), args[0])
	}
}

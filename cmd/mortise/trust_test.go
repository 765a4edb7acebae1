//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// adoptable is a workspace with something that adopting lets run.
func adoptable(t *testing.T) place {
	t.Helper()
	return newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": one("good", mcptest.Normal)})
}

func (p place) adopted() bool {
	p.Helper()
	return !strings.Contains(p.must("list"), "Not adopted:")
}

// output is all that a command writes.
func (p place) output(args ...string) string {
	p.Helper()
	out, errs, code := p.run(args...)
	if code > 3 {
		p.Fatalf("mortise %q: got exit code %d\n%s%s", args, code, out, errs)
	}
	return out + errs
}

// On a terminal trust asks once; only a yes is one.
func TestTrustAsks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer  string
		code    int
		adopted bool
	}{
		"y": {"y", 0, true}, "Yes": {"Yes", 0, true}, "nothing": {"", 1, false}, "n": {"n", 1, false}, "another word": {"hay", 1, false}, "once": {"o", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := adoptable(t)
			s := openTerminal(t, p, "trust")
			s.shows(`Adopt it\? \[y/N\] `)
			s.types(c.answer)
			out := s.exits(c.code)
			if n := times(out, `Adopt it\?`); n != 1 {
				t.Errorf("it asked %d times, want once\n%s", n, out)
			}
			if strings.Index(out, "owner:good") > strings.Index(out, "Adopt it?") {
				t.Errorf("what would run is to be shown before it asks:\n%s", out)
			}
			if p.adopted() != c.adopted {
				t.Errorf("after %q: adopted %v, want %v", c.answer, !c.adopted, c.adopted)
			}
		})
	}
}

// Who is not there cannot be asked: of what needs no answer nothing is asked.
func TestTrustAsksNoMoreThanItMust(t *testing.T) {
	t.Parallel()
	p := adoptable(t)
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"trust", "--diff"}, 1}, {[]string{"trust", "--json"}, 1}, {[]string{"trust", "--yes"}, 0}, {[]string{"trust"}, 0}} {
		if out := openTerminal(t, p, c.args...).exits(c.code); strings.Contains(out, "Adopt it?") {
			t.Errorf("mortise %q asked:\n%s", c.args, out)
		}
	}
}

// On a terminal serve asks once, and serves whatever the answer is.
func TestServeAsks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer          string
		serves, adopted bool
	}{
		"y": {"y", true, true}, "o": {"o", true, false}, "nothing": {"", false, false}, "n": {"n", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := adoptable(t)
			s := openTerminal(t, p, "serve", "--http", "127.0.0.1:0")
			s.shows(`Adopt it\? .*\[y/o/N\] `)
			s.types(c.answer)
			url := s.shows(address)
			client := connect(t, url, nil)
			if c.serves {
				client.has("owner_good__echo")
			} else if got := client.tools(); len(got) != len(ours) {
				t.Errorf("after %q: got the tools %q, want %q", c.answer, got, ours)
			}
			served{s.process, url}.ends(t, syscall.SIGINT)
			out := s.stdout.String()
			if n := times(out, `Adopt it\?`); n != 1 {
				t.Errorf("it asked %d times, want once\n%s", n, out)
			}
			if p.adopted() != c.adopted {
				t.Errorf("after %q: recorded %v, want %v", c.answer, !c.adopted, c.adopted)
			}
		})
	}
	t.Run("nothing to adopt", func(t *testing.T) {
		t.Parallel()
		s := openTerminal(t, newPlace(t, map[string]string{"notes.txt": "Nothing of ours.\n"}), "serve", "--http", "127.0.0.1:0")
		url := s.shows(address)
		served{s.process, url}.ends(t, syscall.SIGINT)
		if out := s.stdout.String(); strings.Contains(out, "Adopt it?") {
			t.Errorf("it asked where there is nothing:\n%s", out)
		}
	})
	t.Run("new code of a plugin", func(t *testing.T) {
		t.Parallel()
		p := workshop(t)
		p.run("trust", "--yes") // it is at fault as well
		p.write(map[string]string{"plugins/release-train/notes.txt": "New.\n"})
		s := openTerminal(t, p, "serve", "--http", "127.0.0.1:0")
		s.shows(`Adopt it\? `)
		s.types("y")
		url := s.shows(address)
		const tool = "release-train_timetable__next_departure"
		s.shows(`release-train:timetable offers what nobody approved as it is, and it is not in use: 1 definition; mortise approve release-train:timetable`)
		if got := connect(t, url, nil).tools(); slices.Contains(got, tool) {
			t.Errorf("got the tools %q, want not that of a plugin which nobody approved", got)
		}
		served{s.process, url}.ends(t, syscall.SIGINT)

		// The next time it is asked about what waits.
		s = openTerminal(t, p, "serve", "--http", "127.0.0.1:0")
		s.shows(`new  tool  release-train:timetable/next_departure`)
		s.shows(`Approve it\? `)
		s.types("y")
		url = s.shows(address)
		connect(t, url, nil).has(tool)
		served{s.process, url}.ends(t, syscall.SIGINT)
	})
	t.Run("adopted already", func(t *testing.T) {
		t.Parallel()
		p := adoptable(t)
		p.must("trust", "--yes")
		s := openTerminal(t, p, "serve", "--http", "127.0.0.1:0")
		url := s.shows(address)
		served{s.process, url}.ends(t, syscall.SIGINT)
		if out := s.stdout.String(); strings.Contains(out, "Adopt it?") {
			t.Errorf("it asked for what is adopted:\n%s", out)
		}
	})
}

// Ctrl-C is no answer: nothing is adopted, and it ends.
func TestServeIsInterruptedWhileItAsks(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve", "--http", "127.0.0.1:0"}, {"trust"}} {
		p := adoptable(t)
		s := openTerminal(t, p, args...)
		s.shows(`Adopt it\? `)
		if _, err := s.tty.Write([]byte{3}); err != nil {
			t.Fatal(err)
		}
		if code, err := s.end(0); err != nil || code == 0 {
			t.Errorf("mortise %q, interrupted: got exit code %d, %v, want that it did not", args, code, err)
		}
		if p.adopted() {
			t.Errorf("mortise %q, interrupted, adopted", args)
		}
	}
}

// While one waits for an answer, others are not kept from their work.
func TestServeAsksAndNobodyElseWaits(t *testing.T) {
	t.Parallel()
	p := adoptable(t)
	s := openTerminal(t, p, "serve", "--http", "127.0.0.1:0")
	s.shows(`Adopt it\? `)
	for _, args := range [][]string{{"list"}, {"server", "list"}, {"refresh"}, {"trust", "--yes"}} {
		p.must(args...)
	}
	s.types("y") // of what is adopted by now
	url := s.shows(address)
	connect(t, url, nil).has("owner_good__echo")
	served{s.process, url}.ends(t, syscall.SIGINT)
}

// Names that make a terminal lie are shown as what they are, wherever adopting
// shows them.
func TestTrustShowsWhatIsThere(t *testing.T) {
	t.Parallel()
	const config = "[plugins.\"odd\\u001b[2K\"]\npath = \"./p\\u202e\"\n[plugins.bad]\npath = \"./bad\"\n"
	server := `{"mcpServers": {"` + jsonText() + `": {"command": "./` + jsonText() + `", "args": ["` + jsonText() + `"], "env": {"A": "` + jsonText() + `"}}}}`
	p := newPlace(t, map[string]string{
		"mortise.toml": config, ".mortise/mcp.json": server,
		"bad/.claude-plugin/plugin.json": `{"name": "bad"}`, "bad/.mcp.json": server,
		"bad/" + strings.ReplaceAll(nasty, "/", "") + ".sh": "exit 0\n",
	})
	looks := [][]string{{"trust"}, {"trust", "--json"}, {"trust", "--diff"}, {"server", "list"}, {"server", "list", "--json"}, {"server", "show", nasty}, {"serve", "--upstream", nasty}, {"serve", "--http", nasty}, {"serve", "--trust", nasty}, {"trust", nasty}, {"serve", nasty}, {"refresh", nasty}, {"server", nasty}, {"server", "logs", nasty}, {"server", "restart", nasty}}
	all := ""
	look := func(more ...[]string) {
		t.Helper()
		for _, args := range append(looks, more...) {
			out := p.output(args...)
			if bad := hidden(out); bad != "" {
				t.Errorf("mortise %q: got %q, want it escaped", args, bad)
			}
			all += out
		}
	}
	look()
	if !strings.Contains(all, `\x1b[2K`) {
		t.Errorf("got %s, want the hostile names in it, escaped", all)
	}
	look([]string{"trust", "--yes"})
	p.write(map[string]string{".mortise/mcp.json": strings.ReplaceAll(server, "./a", "./b"), "mortise.toml": config + "[gateway]\nname_limit = 30\n"})
	look([]string{"list"}, []string{"trust", "--yes", "--json"})
}

// What a server says of its end is shown by every command, and as what it is.
func TestWhatAServerSaysIsEscaped(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	write(t, filepath.Join(p.dir, "words"), strings.ToValidUTF8(nasty, "")+"\nthe last words\n")
	p.write(map[string]string{".mortise/mcp.json": `{"mcpServers": {"loud": {"command": "sh", "args": ["-c", "cat '` + p.dir + `/words'; cat '` + p.dir + `/words' >&2; exit 3"]}}}`})
	p.must("trust", "--yes")
	s := p.serve()
	eventually(t, "the server has ended", func() bool { return strings.Contains(p.must("server", "show", "loud"), "the last words") })
	for _, args := range [][]string{{"server", "list"}, {"server", "show", "loud"}, {"server", "logs", "loud"}} {
		backslash := `\`
		for range 2 {
			said := func() bool { // what was said last is not shown while it is started again
				out := p.must(args...)
				if bad := hidden(out); bad != "" {
					t.Errorf("mortise %q: got %q, want it escaped", args, bad)
				}
				return args[1] == "list" || strings.Contains(out, `a`+backslash+`x1b[2K`)
			}
			eventually(t, fmt.Sprintf("mortise %q shows what the server said, escaped once", args), said)
			args, backslash = append(args, "--json"), `\\`
		}
	}
	s.tells(t, `mortise: owner:loud is (waiting|failed): .*`)
	s.ends(t, syscall.SIGINT)
	if bad := hidden(s.stderr.String()); bad != "" {
		t.Errorf("mortise serve: got %q, want it escaped", bad)
	}
}

// cloned is a workspace of somebody else's, whose server would leave a mark.
func cloned(t *testing.T) (p place, mark string) {
	t.Helper()
	p = newPlace(t, map[string]string{"mortise.toml": ""})
	mark = filepath.Join(filepath.Dir(p.dir), "MARK")
	p.write(map[string]string{".mortise/mcp.json": `{"mcpServers": {"leave": {"command": "sh", "args": ["-c", "echo >'` + mark + `'; exec cat"]}}}`})
	return p, mark
}

// SEC-01: what nobody adopted is served without a program of its own having been
// started, whatever a client asks, over either transport.
func TestField_SEC01_clients_of_an_unadopted_workspace(t *testing.T) {
	t.Parallel()
	p, mark := cloned(t)
	s := p.serve()
	transport, run, _ := over(t, p.command(context.Background(), "serve", "--stdio"))
	for how, c := range map[string]client{"HTTP": connect(t, s.url, nil), "stdio": join(t, transport, nil)} {
		if got := c.tools(); !slices.Equal(got, ours) {
			t.Errorf("over %s: got the tools %q, want %q", how, got, ours)
		}
		for _, tool := range []string{"owner_leave__anything", "mortise_list", "mortise_status"} {
			_, _ = c.ask(tool, nil) // that nothing is started is what counts
		}
		if got, err := c.ask("mortise_explain", map[string]any{"name": "owner:leave"}); err == nil || strings.Contains(err.Error(), "cat") {
			t.Errorf("mortise_explain: got %q, %v, want nothing told of it", got, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	p.must("refresh")
	s.ends(t, syscall.SIGTERM)
	if code, err := run.end(0); code != 0 || err != nil {
		t.Errorf("serve --stdio: got exit code %d, %v, want 0", code, err)
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a server of an unadopted workspace was started")
	}
}

// SEC-05: without a terminal nothing asks and nothing waits, though the input is
// open and nobody ever writes to it.
func TestField_SEC05_nobody_is_asked_without_a_terminal(t *testing.T) {
	t.Parallel()
	p, mark := cloned(t)
	in, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); w.Close() }()
	start := func(args ...string) *process {
		cmd := p.command(context.Background(), args...)
		cmd.Stdin = in
		run, err := begin(cmd)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(run.kill)
		return run
	}
	for _, args := range [][]string{{"trust"}, {"trust", "--json"}, {"trust", "--diff"}} {
		run := start(args...)
		if code, err := run.end(0); err != nil || code != 1 {
			t.Errorf("mortise %q: got exit code %d, %v, want 1", args, code, err)
		}
		if args[len(args)-1] == "trust" && !strings.Contains(run.stdout.String(), "--yes") {
			t.Errorf("mortise %q: got %q, want the flag that consents", args, run.stdout)
		}
	}
	run := start("serve", "--http", "127.0.0.1:0")
	m, err := run.said(run.stdout, address)
	if err != nil {
		t.Fatal(err)
	}
	lines(t, run.stdout.String(), `Not adopted: .*`)
	if got := connect(t, m[0], nil).tools(); !slices.Equal(got, ours) {
		t.Errorf("tools: got %q, want %q", got, ours)
	}
	served{run, m[0]}.ends(t, syscall.SIGINT)
	if _, err := os.Stat(mark); err == nil || p.adopted() {
		t.Error("an unadopted workspace was adopted, or a server of it started")
	}
}

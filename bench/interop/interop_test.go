//go:build linux && amd64

package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

// patience is how long anything is waited for: far longer than it takes.
const patience = 90 * time.Second

// TestInterop serves all servers at one endpoint and holds what comes through to
// what each of them says when it is asked directly. Then the clients connect.
func TestInterop(t *testing.T) {
	b := newBench(t)
	t.Cleanup(b.nothingLeft)
	all := servers(b)
	p := b.place("all", all)
	s := p.serve("127.0.0.1:0")
	s.offersAllOf(all)
	rows := make([]row, len(all))
	t.Run("servers", func(t *testing.T) {
		for i, one := range all {
			t.Run(one.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = one.compare(t, s)
			})
		}
	})
	t.Run("clients", func(t *testing.T) {
		few := b.place("few", slices.DeleteFunc(slices.Clone(all), func(s server) bool { return s.name != "hello" && s.name != "context7" }))
		t.Run("TypeScript", func(t *testing.T) { t.Parallel(); scripts(t, s, few) })
		t.Run("inspector", func(t *testing.T) { t.Parallel(); inspects(t, s) })
		t.Run("as serve says", func(t *testing.T) { t.Parallel(); connects(t, s) })
		t.Run("as serve says, with a token", func(t *testing.T) { t.Parallel(); connects(t, few.with(t).serve("0.0.0.0:0")) })
	})
	unseen := func(r row) bool { return r.revision == "" } // -run chose others
	if !t.Failed() && !slices.ContainsFunc(rows, unseen) {
		b.page(rows)
	}
}

// bench is what all tests share: the program, the packages, and a directory.
type bench struct {
	*testing.T
	modules, mortise, dir string
	home                  string // of servers
	web                   string // what servers take for theirs on the network
}

func newBench(t *testing.T) *bench {
	t.Helper()
	cache := os.Getenv("INTEROP_CACHE")
	if cache == "" {
		t.Skip("make interop installs the servers and clients, and runs this")
	}
	const lock = "package-lock.json"
	want, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(cache, lock)); err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s is not what %s here names (%v): run make interop", cache, lock, err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, modules: filepath.Join(cache, "node_modules"), dir: dir, home: filepath.Join(dir, "home"), mortise: filepath.Join(dir, "bin", "mortise")}
	if err := rig.Build(t.Context(), filepath.Join(dir, "bin"), "github.com/mortise-dev/mortise/cmd/mortise"); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(b.home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	web := httptest.NewServer(http.HandlerFunc(answerAll))
	t.Cleanup(web.Close)
	b.web = web.URL
	return b
}

// nothingLeft wants every server to have ended: each is known by its home.
func (b *bench) nothingLeft() {
	b.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(all) == 0 {
		b.Fatalf("processes: got %d, %v", len(all), err)
	}
	for _, file := range all {
		env, _ := os.ReadFile(file) // others' may not be read, and some are gone by now
		if !bytes.Contains(env, []byte("HOME="+b.home+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && rig.Alive(pid) {
			b.Errorf("process %d is left behind", pid)
		}
	}
}

// answerAll answers as the services of several servers do.
func answerAll(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"success":true,"resultObj":"https://example.com/chart.png","object":"user","name":"Somebody","results":[]}`)
}

// pkg is the directory of a package.
func (b *bench) pkg(name string) string {
	b.Helper()
	dir := filepath.Join(b.modules, filepath.FromSlash(name))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	return npmtest.Package(b, name)
}

// version is the version of a package, without the system that it is for.
func (b *bench) version(name string) string {
	b.Helper()
	var p struct{ Version string }
	if raw, err := os.ReadFile(filepath.Join(b.pkg(name), "package.json")); err != nil {
		b.Fatal(err)
	} else if err := json.Unmarshal(raw, &p); err != nil {
		b.Fatal(err)
	}
	return strings.TrimSuffix(p.Version, "-linux-x64")
}

// place is a workspace that is adopted.
type place struct {
	*bench
	*rig.Workspace
	T *testing.T
}

func (b *bench) place(name string, all []server) place {
	b.Helper()
	declared := map[string]rig.Server{}
	for _, s := range all {
		declared[s.name] = rig.Server{Argv: s.argv(), Env: s.environment()}
	}
	w, err := rig.NewWorkspace(b.Context(), b.mortise, filepath.Join(b.dir, name), declared, "nothing")
	if err != nil {
		b.Fatal(err)
	}
	return place{b, w, b.T}
}

// with is the place for another test.
func (p place) with(t *testing.T) place { p.T = t; return p }

// served is a running mortise serve.
type served struct {
	place
	url   string
	lines map[string]string // the line that connects a client, by the client's name
}

// serve serves a place until its test ends.
func (p place) serve(address string) served {
	p.T.Helper()
	s := served{place: p, lines: map[string]string{}}
	where := func(r io.Reader) (string, error) { return s.said(r) }
	run, err := rig.Start(context.Background(), rig.Command{
		Argv: []string{p.mortise, "--workspace", filepath.Join(p.Dir, "workspace"), "serve", "--http", address},
		Env:  p.Env(), Log: filepath.Join(p.Dir, "serve.log"), Where: where,
	})
	if err != nil {
		p.T.Fatal(err)
	}
	p.T.Cleanup(run.Stop)
	s.url = run.URL
	return s
}

// offersAllOf waits until the tools of all servers are listed.
func (s served) offersAllOf(all []server) {
	s.T.Helper()
	w := s.peer(s.T, legacy)
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for late := time.After(patience); ; {
		var missing []string
		list := fmt.Sprintf("%s", must(s.T, w, "tools/list", "tools"))
		for _, one := range all {
			if !strings.Contains(list, `"`+one.prefix()) {
				missing = append(missing, one.name)
			}
		}
		if len(missing) == 0 {
			return
		}
		select {
		case <-again.C:
		case <-late:
			log, _ := os.ReadFile(filepath.Join(s.Dir, "serve.log"))
			s.T.Fatalf("the tools of %q do not come\n%s", missing, log)
		}
	}
}

var connectRow = regexp.MustCompile(`^  (\S+(?: \S+)*)  +(\S.*)$`)

// said reads what serve prints: where it serves, and under Connect a line for each
// client.
func (s *served) said(r io.Reader) (url string, err error) {
	text := new(strings.Builder)
	for one := make([]byte, 1); !strings.Contains(text.String(), "\nCtrl-C"); text.Write(one) {
		if _, err := io.ReadFull(r, one); err != nil {
			return "", err
		}
	}
	_, after, _ := strings.Cut(text.String(), "\nServing MCP at ")
	url, after, _ = strings.Cut(after, "\n")
	for line := range strings.Lines(after) {
		if m := connectRow.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			s.lines[m[1]] = m[2]
		}
	}
	if url == "" || len(s.lines) == 0 {
		return "", fmt.Errorf("got %s", text)
	}
	return url, nil
}

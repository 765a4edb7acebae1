package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/file"
)

const space = "/work/space"

func claim(t *testing.T, dir, workspace string, kind Kind) *Claim {
	t.Helper()
	c, err := Take(dir, workspace, kind)
	if err != nil {
		t.Fatalf("Take: got error %v, want none", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close: got error %v, want none", err)
		}
	})
	return c
}

// host is a claim that is served and published.
func host(t *testing.T, dir, workspace string, kind Kind) *Claim {
	t.Helper()
	c := claim(t, dir, workspace, kind)
	if err := serve(c, true); err != nil {
		t.Fatal(err)
	}
	return c
}

func find(t *testing.T, dir, workspace string) (ids []string) {
	t.Helper()
	found, err := Find(dir, workspace)
	if err != nil {
		t.Fatalf("Find: got error %v, want none", err)
	}
	for _, r := range found {
		ids = append(ids, r.ID)
	}
	return ids
}

func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestOneOfManyWins(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for range 4 {
		var hosts []*process
		for range 5 {
			hosts = append(hosts, run(t, "http", dir, space))
		}
		for _, h := range hosts {
			h.begin(t)
		}
		var winner *process
		ids := map[string]int{}
		for _, h := range hosts {
			what, id := h.told(t)
			if ids[id]++; what == "won" {
				if winner != nil {
					t.Error("two hosts won, want one")
				}
				winner = h
			}
		}
		if winner == nil || len(ids) != 1 {
			t.Fatalf("got winner %v and these told of: %v; want one winner that all tell of", winner, ids)
		}
		if got := find(t, dir, space); len(got) != 1 || ids[got[0]] != 5 {
			t.Errorf("Find: got %q, want the winner", got)
		}
		winner.end(t)
		if got := left(t, dir); len(got) > 0 {
			t.Errorf("after it ended: got %q left, want nothing", got)
		}
	}
}

func TestCrashedHostIsTakenOver(t *testing.T) {
	for _, c := range []struct {
		name string
		dir  string // below the temporary one
	}{
		{"socket in the directory", "run"},
		{"socket elsewhere", strings.Repeat("long/", 30) + "run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), c.dir)
			crash := func() Record {
				h := run(t, "http", dir, space)
				id := h.won(t)
				found, err := Find(dir, space)
				if err != nil || len(found) != 1 || found[0].ID != id {
					t.Fatalf("Find: got %v, error %v, want %s", found, err, id)
				}
				h.kill()
				if _, err := os.Lstat(found[0].Socket); err != nil {
					t.Fatalf("after SIGKILL: got %v, want the socket left", err)
				}
				return found[0]
			}
			gone := func(what string, r Record) {
				t.Helper()
				if _, err := os.Lstat(r.Socket); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s: got %v for its socket, want it gone", what, err)
				}
				if filepath.Dir(r.Socket) != dir {
					if _, err := os.Lstat(filepath.Dir(r.Socket)); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("%s: got %v for its private directory, want it gone", what, err)
					}
				}
			}
			r := crash()
			if got := find(t, dir, space); len(got) > 0 {
				t.Errorf("Find after SIGKILL: got %q, want none", got)
			}
			gone("Find", r)
			if got := left(t, dir); len(got) > 0 {
				t.Errorf("Find after SIGKILL: got %q left, want it tidied", got)
			}
			r = crash()
			next := claim(t, dir, space, HTTP)
			gone("Take", r)
			if err := serve(next, true); err != nil {
				t.Fatal(err)
			}
			if got := find(t, dir, space); !slices.Equal(got, []string{next.Record().ID}) {
				t.Errorf("Find after it was taken over: got %q, want the new one", got)
			}
		})
	}
}

func TestCrashedHostOfAClientIsTidied(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h, other := run(t, "stdio", dir, space), run(t, "stdio", dir, space)
	h.won(t)
	id := other.won(t)
	if got := find(t, dir, space); len(got) != 2 {
		t.Errorf("Find: got %q, want both", got)
	}
	h.kill()
	if got := find(t, dir, space); !slices.Equal(got, []string{id}) {
		t.Errorf("Find after one was killed: got %q, want the other", got)
	}
	other.end(t)
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("got %q left, want nothing", got)
	}
}

// A process of the same number that started at another time is another one.
func TestNumberOfAProcessIsNotTheProcess(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h := run(t, "http", dir, space)
	h.won(t)
	p := placeOf(dir, Record{Workspace: space})
	r, ok := p.read()
	h.kill()
	if !ok || r.Process.Started == 0 {
		t.Fatalf("record: got %v with process %v, want one with its start", r, r.Process)
	}
	r.Process = child.Self()
	r.Process.Started++
	if err := p.write(r); err != nil {
		t.Fatal(err)
	}
	if got := find(t, dir, space); len(got) > 0 {
		t.Errorf("Find: got %q, want none", got)
	}
	if got := left(t, dir); len(got) > 0 {
		t.Errorf("got %q left, want it tidied", got)
	}
}

func TestTakenIsToldOfOneThatAnswers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h := run(t, "http", dir, space)
	id := h.won(t)
	lost := func(when string) {
		t.Helper()
		var taken *TakenError
		_, err := Take(dir, space, HTTP)
		if !errors.As(err, &taken) || taken.Record.ID != id || taken.Record.Address != "127.0.0.1:7777" {
			t.Errorf("%s: got %v, want a TakenError with its record", when, err)
		}
	}
	lost("while it runs")
	if err := os.Remove(placeOf(dir, Record{Workspace: space}).path(lockEnd)); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	lost("while it runs and somebody took its lock away")
	claim(t, dir, space+"/other", HTTP)
	claim(t, dir, space, Stdio)
	h.end(t)
	claim(t, dir, space, HTTP)
}

// A lock's file is taken away with the lock: who opened it before and locks it
// then has nothing.
func TestOneAtATimeHasTheLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "some.lock")
	var having, had atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for had.Load() < 2000 {
				l, err := file.TryLock(path)
				if errors.Is(err, file.ErrHeld) {
					continue
				}
				if err != nil {
					t.Errorf("TryLock: got error %v, want none", err)
					return
				}
				if n := having.Add(1); n != 1 {
					t.Errorf("%d have the lock, want one", n)
				}
				runtime.Gosched()
				having.Add(-1)
				had.Add(1)
				l.Release()
			}
		})
	}
	all.Wait()
}

// Who has the workspace and does not answer keeps it, and all that is its.
func TestSilentHostKeepsItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	h := run(t, "mute", dir, space)
	h.won(t)
	before := left(t, dir)
	_, err := take(dir, space, HTTP, time.Millisecond)
	var taken *TakenError
	if err == nil || errors.As(err, &taken) || !strings.Contains(err.Error(), fmt.Sprint("process ", h.cmd.Process.Pid)) {
		t.Errorf("Take: got %v, want an error that is no TakenError and names the process", err)
	}
	if got := find(t, dir, space); len(got) > 0 {
		t.Errorf("Find: got %q, want none", got)
	}
	if got := left(t, dir); !slices.Equal(got, before) {
		t.Errorf("got %q left, want %q", got, before)
	}
}

func TestFind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if got := find(t, dir, ""); len(got) > 0 {
		t.Errorf("Find without a directory: got %q, want none", got)
	}
	http := host(t, dir, space, HTTP).Record()
	one := host(t, dir, space+"/", Stdio).Record()
	two := host(t, dir, space, Stdio).Record()
	other := host(t, dir, space+"/other", HTTP).Record()
	claim(t, dir, space, Stdio) // which has published nothing
	for _, c := range []struct {
		workspace string
		want      []string
	}{
		{space, []string{two.ID, one.ID, http.ID}},
		{space + "/other/", []string{other.ID}},
		{space + "/none", nil},
		{"", []string{other.ID, two.ID, one.ID, http.ID}},
	} {
		if got := find(t, dir, c.workspace); !slices.Equal(got, c.want) {
			t.Errorf("Find(%q): got %q, want %q", c.workspace, got, c.want)
		}
	}
	found, err := Find(dir, space+"/other")
	if err != nil || len(found) != 1 || found[0] != other || other.Process != child.Self() {
		t.Errorf("Find: got %v, error %v, want all that was published: %v", found, err, other)
	}
}

// An answer with another ID is another host's: its record is none, but it is
// not ours to remove while the process lives.
func TestAnswerOfAnotherIsNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := host(t, dir, space, Stdio)
	r := c.Record()
	r.ID = strings.Repeat("0f", 16)
	p := placeOf(dir, r)
	if err := os.Symlink(c.Record().Socket, p.path(socketEnd)); err != nil {
		t.Skip(err)
	}
	r.Socket = p.path(socketEnd)
	if conn, err := net.Dial("unix", r.Socket); err != nil {
		t.Fatalf("the socket by another name: got %v, want it to be reached", err)
	} else {
		conn.Close()
	}
	if err := p.write(r); err != nil {
		t.Fatal(err)
	}
	if got := find(t, dir, space); !slices.Equal(got, []string{c.Record().ID}) {
		t.Errorf("Find: got %q, want the one whose ID is answered", got)
	}
	if _, err := os.Lstat(p.path(recordEnd)); err != nil {
		t.Errorf("the record of a living process: got %v, want it left", err)
	}
}

func TestControlSocketSpeaksHTTP(t *testing.T) {
	for name, below := range map[string]string{"short": "run", "long": strings.Repeat("long/", 30)} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), below)
			c := claim(t, dir, space, HTTP)
			l, err := c.Listen()
			if err != nil {
				t.Fatalf("Listen: got error %v, want none", err)
			}
			if _, err := c.Listen(); err == nil {
				t.Error("Listen again: got no error, want one")
			}
			served := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.Method, " ", r.URL.Path)
			})}
			go served.Serve(l)
			defer served.Close()
			client := Client(c.Record())
			defer client.CloseIdleConnections()
			resp, err := client.Get(BaseURL + "/refresh")
			if err != nil {
				t.Fatalf("Get: got error %v, want none", err)
			}
			defer resp.Body.Close()
			if body, err := io.ReadAll(resp.Body); string(body) != "GET /refresh" || err != nil {
				t.Errorf("got %q, error %v, want what the socket answers", body, err)
			}
			socket := c.Record().Socket
			if inside := filepath.Dir(socket) == dir; inside != (name == "short") || len(socket) > longestSocket {
				t.Errorf("the socket: got %q, want it in the directory if the path fits", socket)
			}
			if err := c.Close(); err != nil {
				t.Errorf("Close: got error %v, want none", err)
			}
			if _, err := os.Lstat(filepath.Dir(socket)); errors.Is(err, os.ErrNotExist) == (name == "short") {
				t.Errorf("after Close, the socket's directory: got %v, want a private one gone", err)
			}
			if got := left(t, dir); len(got) > 0 {
				t.Errorf("after Close: got %q left, want nothing", got)
			}
		})
	}
}

func TestCloseRemovesOnlyItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := claim(t, dir, space, HTTP)
	if err := serve(c, true); err != nil {
		t.Fatal(err)
	}
	other := c.Record()
	other.ID = strings.Repeat("ab", 16)
	if err := c.place.write(other); err != nil {
		t.Fatal(err)
	}
	socket := c.Record().Socket
	if err := os.Rename(socket, socket+".moved"); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := c.Close(); err != nil {
		t.Errorf("Close: got error %v, want none", err)
	}
	if r, ok := c.place.read(); !ok || r.ID != other.ID {
		t.Errorf("the record of another: got %v, want it left", r)
	}
	if _, err := os.Lstat(socket); err != nil {
		t.Errorf("the socket of another: got %v, want it left", err)
	}
	if err := c.Publish("", false); err == nil {
		t.Error("Publish after Close: got no error, want one")
	}
}

func TestRecordIsWrittenWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	c := claim(t, dir, space, HTTP)
	if err := c.Publish("", false); err == nil {
		t.Error("Publish before Listen: got no error, want one")
	}
	if err := serve(c, true); err != nil {
		t.Fatal(err)
	}
	since := c.Record().Since
	var reading sync.WaitGroup
	done := make(chan struct{})
	reading.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				data, err := os.ReadFile(c.place.path(recordEnd))
				if err != nil || !json.Valid(data) {
					t.Errorf("while it is published: got %q, error %v, want a whole record", data, err)
					return
				}
			}
		}
	})
	for i := range 200 {
		if err := c.Publish(fmt.Sprint("127.0.0.1:", 7000+i), i%2 == 1); err != nil {
			t.Fatalf("Publish: got error %v, want none", err)
		}
	}
	close(done)
	reading.Wait()
	if r, ok := c.place.read(); !ok || r.Address != "127.0.0.1:7199" || !r.TLS || !r.Since.Equal(since) {
		t.Errorf("got %v since %v, want the last address, since %v", r, r.Since, since)
	}
}

func TestTokenIsNotPrinted(t *testing.T) {
	r := host(t, filepath.Join(t.TempDir(), "run"), space, HTTP).Record()
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("claimed", "record", r)
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for how, got := range map[string]string{
		"%v": fmt.Sprintf("%v", r), "%+v": fmt.Sprintf("%+v", r), "%#v": fmt.Sprintf("%#v", &r),
		"in an error": (&TakenError{r}).Error(), "JSON": string(data), "a log": log.String(),
	} {
		if !strings.Contains(got, space) || strings.Contains(got, r.Token) {
			t.Errorf("%s: got %q, want the workspace and not the token", how, got)
		}
	}
}

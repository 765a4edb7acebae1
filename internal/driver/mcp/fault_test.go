package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// TestKilled wants each of a thousand calls of several peers to be answered when
// the server is killed among them: with its result or with an error that says
// how it ended.
func TestKilled(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	pid := b.self(s).Pid
	const lanes, calls = 4, 250
	var all sync.WaitGroup
	for n := range lanes {
		l, err := b.Link(context.Background(), ref(s, ""), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		for i := range calls {
			all.Go(func() {
				tool := "echo"
				if i%10 == 0 {
					tool = "never"
				}
				raw, err := l.Call(context.Background(), json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, i, tool)), nil)
				switch {
				case errors.Is(err, io.EOF): // it had ended: nothing was sent
				case err != nil:
					t.Errorf("call %d: %v", i, err)
				case string(raw.Bytes(raw.ID)) != fmt.Sprint(i):
					t.Errorf("call %d: got the answer %s", i, raw.Raw)
				case raw.Fault.There() && !strings.Contains(string(raw.Raw), "it ended"):
					t.Errorf("error: got %s, want how it ended", raw.Raw)
				case tool == "never" && !raw.Fault.There():
					t.Errorf("got %s for a call that is never answered", raw.Raw)
				}
				if n == 0 && i == calls/2 {
					kill(t, pid)
				}
			})
		}
	}
	all.Wait()
	b.until(s.Name, "a second start", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 })
	b.told(b.link(s))
}

func kill(t *testing.T, pid int) {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Error(err)
	}
}

// TestPeerSessionKilled wants the end of a peer's session to end its lanes alone,
// and the next lane to have another one.
func TestPeerSessionKilled(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	other := b.link(s)
	mine := b.linkFor(s, peer("a", `{"roots":{}}`))
	was := b.told(mine).Pid
	send(t, mine, `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"never"}}`)
	kill(t, was)
	if got := recv(t, mine); !strings.Contains(got, `"id":"n","error"`) {
		t.Errorf("in flight: got %s, want an error", got)
	}
	if _, err := mine.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("after that: got %v, want the end", err)
	}
	mine.Close()
	next, late := (*mcp.Lane)(nil), time.NewTimer(patience)
	defer late.Stop()
	for next == nil { // until it is tried again
		var err error
		if next, err = b.Link(context.Background(), ref(s, ""), peer("a", `{"roots":{}}`)); err == nil {
			break
		}
		select {
		case <-b.changed:
		case <-late.C:
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { next.Close() })
	if got := b.told(mcp.NewTalk(next)); got.Pid == was || got.Pid == 0 {
		t.Errorf("the next session: got %d, want another than %d", got.Pid, was)
	}
	b.told(other)
}

// TestOddAnswers wants answers that come twice, out of order, with an id that
// nobody has, or between noise to cost nothing but themselves.
func TestOddAnswers(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	send(t, l, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"never"}}`)
	b.waitFor(s, 1)
	send(t, l, `{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"never"}}`)
	ids := b.waitFor(s, 2)
	said := fmt.Sprintf(`[{"jsonrpc":"2.0","id":%[2]s,"result":{"of":"b"}},{"jsonrpc":"2.0","id":%[2]s,"result":{"again":1}},{"jsonrpc":"2.0","id":99999,"result":{}},{"jsonrpc":"2.0","id":"x","result":{}},"banner",{"jsonrpc":"2.0","id":%[1]s,"result":{"of":"a"}}]`, ids[0], ids[1])
	send(t, l, `{"jsonrpc":"2.0","id":"say","method":"tools/call","params":{"name":"say","arguments":`+said+`}}`)
	var got []string
	for range 3 {
		got = append(got, recv(t, l))
	}
	slices.Sort(got) // each comes when its call ends
	if want := []string{`{"jsonrpc":"2.0","id":"a","result":{"of":"a"}}`, `{"jsonrpc":"2.0","id":"b","result":{"of":"b"}}`, `{"jsonrpc":"2.0","id":"say","result":{}}`}; strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b.until(s.Name, "three lines of noise", func(st mcp.Status) bool { return st.Noise == 3 })
}

// TestEra wants a server to be found out of whatever era it is, whatever it does
// with a question that it does not know, and not to be asked again.
func TestEra(t *testing.T) {
	for _, mode := range []string{"normal", "mute", "fragile"} {
		t.Run(mode, func(t *testing.T) {
			b, s := newBench(t, nil), fixtureTarget(t, mode)
			b.Run([]mcp.Target{s})
			if d, _ := b.describe(s); d.ProtocolVersion != "2025-06-18" {
				t.Errorf("described as %s, want 2025-06-18", d.ProtocolVersion)
			}
			was := b.Status()[0].Starts
			b.call(s, "exit", "")
			b.until(s.Name, "another start", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts > was })
			if got := b.must(s, "methods", ""); mode != "fragile" && strings.Contains(got, "server/discover") {
				t.Errorf("the second time it was asked %s, want that it is not asked again what it speaks", got)
			}
		})
	}
	t.Run("slow", func(t *testing.T) { // it takes longer to begin than silence is waited for, and may answer either first
		b, s := newBench(t, func(o *mcp.Options) { o.Probe = time.Nanosecond }), fixtureTarget(t, "modern")
		b.Run([]mcp.Target{s})
		if d, _ := b.describe(s); d.ProtocolVersion != "2026-07-28" && d.ProtocolVersion != "2025-11-25" {
			t.Errorf("described as %s, want the newest revision of either era", d.ProtocolVersion)
		}
		b.must(s, "log", "{}")
	})
	t.Run("slow, and takes both", func(t *testing.T) {
		b, s := newBench(t, func(o *mcp.Options) { o.Probe = time.Nanosecond }), fixtureTarget(t, "either")
		b.Run([]mcp.Target{s})
		if d, _ := b.describe(s); d.ProtocolVersion != "2026-07-28" {
			t.Errorf("described as %s, want 2026-07-28", d.ProtocolVersion)
		}
		if st := b.Status()[0]; st.Starts != 2 {
			t.Errorf("started %d times, want once more after it was greeted in both ways", st.Starts)
		}
		if got := b.must(s, "methods", ""); strings.Contains(got, "initialize") {
			t.Errorf("it was asked %s, want no handshake", got)
		}
	})
	t.Run("slow, and of one era", func(t *testing.T) {
		b, s := newBench(t, func(o *mcp.Options) { o.Probe = time.Nanosecond }), fixtureTarget(t, "newest")
		b.Run([]mcp.Target{s})
		if d, _ := b.describe(s); d.ProtocolVersion != "2026-07-28" {
			t.Errorf("described as %s, want 2026-07-28", d.ProtocolVersion)
		}
	})
}

// TestEraOverHTTP wants whatever a server of an older revision answers to a
// question that it does not know to mean that, and a server that cannot be
// reached to be told as such.
func TestEraOverHTTP(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter){
		"400 with an error": func(w http.ResponseWriter) {
			reject(w, 400, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: no session"}}`)
		},
		"400 with text": func(w http.ResponseWriter) { http.Error(w, "no session", 400) },
		"404":           func(w http.ResponseWriter) { http.Error(w, "no session", 404) },
		"no such method": func(w http.ResponseWriter) {
			reject(w, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`)
		},
		"other revisions": func(w http.ResponseWriter) {
			reject(w, 400, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}}`)
		},
		"202":                  func(w http.ResponseWriter) { w.WriteHeader(202) },
		"500":                  func(w http.ResponseWriter) { http.Error(w, "panic", 500) },
		"a page":               func(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/html"); fmt.Fprint(w, "<html>") },
		"a result of no sense": func(w http.ResponseWriter) { reject(w, 200, `{"jsonrpc":"2.0","id":1,"result":{}}`) },
	} {
		t.Run(name, func(t *testing.T) {
			x := newWeb(t, func(w http.ResponseWriter, _ *http.Request, m message) bool {
				if m.Method != "server/discover" {
					return false
				}
				answer(w)
				return true
			})
			b, s := newBench(t, nil), remoteTarget(x.URL)
			b.Run([]mcp.Target{s})
			b.must(s, "t", "")
		})
	}
}

func reject(w http.ResponseWriter, code int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	fmt.Fprint(w, body)
}

// TestForgottenSubscriptions wants what was subscribed to and the level to be
// said again in the session that follows one that the server has forgotten, and
// the lanes to end, so that nobody waits in vain, when that cannot be.
func TestForgottenSubscriptions(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		t.Run(fmt.Sprint(refuses), func(t *testing.T) {
			said := make(chan string, 16)
			x := newWeb(t, nil)
			x.respond = func(w http.ResponseWriter, _ *http.Request, m message) bool {
				x.mu.Lock()
				session := x.session
				x.mu.Unlock()
				if m.Method != "resources/subscribe" && m.Method != "logging/setLevel" {
					return false
				}
				if refuses && session == "s2" {
					reject(w, 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"gone"}}`, m.ID))
					return true
				}
				said <- session + " " + m.Method
				reject(w, 200, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID))
				return true
			}
			b, s := newBench(t, nil), remoteTarget(x.URL)
			b.Run([]mcp.Target{s})
			l := b.link(s)
			send(t, l, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://a"}}`)
			recv(t, l)
			send(t, l, `{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}`)
			recv(t, l)
			<-said
			<-said
			x.mu.Lock()
			x.session = "s2"
			x.mu.Unlock()
			send(t, l, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t"}}`)
			if refuses {
				for {
					if _, err := l.Next(context.Background()); errors.Is(err, io.EOF) {
						return
					}
				}
			}
			answerTo(t, l, `3`)
			if one, two := <-said, <-said; one != "s2 logging/setLevel" || two != "s2 resources/subscribe" {
				t.Errorf("the new session was told %q and %q, want the level and the subscription", one, two)
			}
		})
	}
}

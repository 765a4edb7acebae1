package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// TestField_TRA01_OneDeadOthersLive wants servers that refuse connections or
// accept and never answer to cost nobody else anything.
func TestField_TRA01_OneDeadOthersLive(t *testing.T) {
	release := make(chan struct{})
	hanging := newWeb(t, func(http.ResponseWriter, *http.Request, message) bool {
		<-release
		return false
	})
	t.Cleanup(func() { close(release) })
	gone := newWeb(t, nil)
	gone.Close()
	b := newBench(t, nil)
	one, two, good := remoteTarget(hanging.URL), remoteTarget(gone.URL), fixtureTarget(t, "normal")
	two.Key, two.Name = "gone", "acme:gone"
	b.Run([]mcp.Target{one, two, good})
	b.must(good, "echo", "{}")
	b.until(two.Name, "an error", func(st mcp.Status) bool { return strings.Contains(st.Error, "refused") })
	if st := b.until(one.Name, "starting", state(mcp.Starting)); st.Tools != 0 {
		t.Errorf("the server that never answers: got %+v, want it starting", st)
	}
}

// TestField_TRA02_LargeMessages wants results and arguments of any size up to the
// limit to pass, and one above it to cost its call alone.
func TestField_TRA02_LargeMessages(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	for _, size := range []int{70 << 10, 200 << 10, 1 << 20, 8 << 20} {
		pad := strings.Repeat("x", size)
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"pad":"`+pad+`"}}}`)
		if got := recv(t, l); len(got) < size {
			t.Errorf("%d bytes: got %d back", size, len(got))
		}
	}
	send(t, l, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"big","arguments":20}}`)
	if got := recv(t, l); !strings.Contains(got, `"id":2,"error"`) || !strings.Contains(got, "16 MiB") {
		t.Errorf("20 MiB: got %.200s, want an error that names the limit", got)
	}
	if got := b.told(l); got.Pid != b.Status()[0].Pid {
		t.Error("the session did not go on")
	}
}

// TestField_TRA03_SameIDs wants two clients that number their requests alike to
// get their own answers and progress, of ids that are numbers and of such that
// are text.
func TestField_TRA03_SameIDs(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	const calls = 500
	var all sync.WaitGroup
	for who := range 2 {
		l := b.link(s)
		all.Go(func() {
			for i := range calls {
				for _, id := range []string{fmt.Sprint(i), fmt.Sprintf(`"%d"`, i)} {
					send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":%[1]s,"method":"tools/call","params":{"_meta":{"progressToken":%[1]s},"name":"echo","arguments":{"who":%[2]d,"id":%[1]s}}}`, id, who))
				}
			}
		})
		all.Go(func() {
			for range 2 * calls {
				got := recv(t, l)
				var f struct {
					ID     json.RawMessage
					Result struct {
						Got struct {
							Who int
							ID  json.RawMessage
						}
					}
				}
				decode(t, got, &f)
				if f.Result.Got.Who != who || string(f.Result.Got.ID) != string(f.ID) {
					t.Errorf("client %d: got %s, want its own answer", who, got)
				}
			}
		})
	}
	all.Wait()
}

// TestField_TRA04_OneForgets wants a server that has forgotten its session to be
// greeted anew without its clients noticing, and others not to notice at all.
func TestField_TRA04_OneForgets(t *testing.T) {
	x, y := newWeb(t, nil), newWeb(t, nil)
	b, one, two := newBench(t, nil), remoteTarget(x.URL), remoteTarget(y.URL)
	two.Key, two.Name = "other", "acme:other"
	b.Run([]mcp.Target{one, two})
	l, other := b.link(one), b.link(two)
	for _, l := range []*mcp.Talk{l, other} {
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`)
		recv(t, l)
	}
	x.mu.Lock()
	x.session = "s2"
	x.mu.Unlock()
	for _, l := range []*mcp.Talk{l, other, l} {
		send(t, l, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`)
		if got := recv(t, l); !strings.Contains(got, `"id":2,"result"`) {
			t.Errorf("got %s, want the answer", got)
		}
	}
}

// TestField_TRA10_WhoIsTold wants a changed list to be told to all, a changed
// resource to who subscribed, and progress to whose call it is.
func TestField_TRA10_WhoIsTold(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	caller, subscriber, none := b.link(s), b.link(s), b.link(s)
	send(t, subscriber, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"x://a"}}`)
	recv(t, subscriber)
	said := []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token(t, b, s, caller) + `,"progress":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://a"}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	}
	send(t, none, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"say","arguments":[`+strings.Join(said, ",")+`]}}`)
	if got := recv(t, none); got != said[2] {
		t.Errorf("who has nothing to do with it: got %s, want the changed list alone", got)
	}
	if got := recv(t, none); !strings.Contains(got, `"id":2`) {
		t.Errorf("who has nothing to do with it: got %s, want its answer", got)
	}
	if one, two := recv(t, subscriber), recv(t, subscriber); one != said[1] || two != said[2] {
		t.Errorf("who subscribed: got %s and %s, want the resource and the list", one, two)
	}
	if one, two := recv(t, caller), recv(t, caller); !strings.Contains(one, `"progressToken":"mine"`) || two != said[2] {
		t.Errorf("who called: got %s and %s, want the progress and the list", one, two)
	}
}

// token is what the server knows the progress of a call of l by that never ends.
func token(t *testing.T, b *bench, s mcp.Target, l *mcp.Talk) string {
	t.Helper()
	send(t, l, `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"_meta":{"progressToken":"mine"},"name":"never"}}`)
	return b.waitFor(s, 1)[0] // the id and the token are the same there
}

// TestField_LIF09_ManyClientsOneProcess wants clients that declare nothing, or the
// same, not to multiply the processes of a server.
func TestField_LIF09_ManyClientsOneProcess(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	var pids []int
	for i := range 20 {
		pids = append(pids, b.told(b.linkFor(s, peer(fmt.Sprint(i), `{}`))).Pid)
		pids = append(pids, b.told(b.linkFor(s, peer(fmt.Sprint(i), `{"sampling":{},"elicitation":{}}`))).Pid)
	}
	slices.Sort(pids)
	if got := len(slices.Compact(pids)); got != 2 {
		t.Errorf("40 lanes run %d processes, want 2", got)
	}
}

// TestSlowReader wants a peer that does not take what comes to hold up neither
// the server nor others.
func TestSlowReader(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	slow, quick := b.link(s), b.link(s)
	var all sync.WaitGroup
	reads := make(chan struct{})
	for i := range 200 {
		all.Go(func() {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":%d}}}`, i, i)
			told := 0
			got, err := slow.Call(context.Background(), json.RawMessage(call), func(f *rpc.Frame) error {
				<-reads
				if string(f.Bytes(f.Token)) == fmt.Sprint(i) {
					told++
				}
				return nil
			})
			if err != nil || !got.Result.There() || told != 5 {
				t.Errorf("got %v after %d notices of progress, want 5 and the answer", err, told)
			}
		})
	}
	for range 100 {
		ask(t, quick, "state")
	}
	close(reads)
	all.Wait()
	if _, err := b.Call(context.Background(), ref(s, "echo"), json.RawMessage(`{}`)); err != nil {
		t.Error(err)
	}
}

// TestLinesStayWhole wants calls that are larger than a pipe, and small ones among them,
// to reach a server over pipes whole and once, whoever writes them.
func TestLinesStayWhole(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			own := strings.Repeat(fmt.Sprint(i%10), 1+i%7*30_000)
			got, err := l.Call(context.Background(), json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"own":%q}}}`, i, own)), nil)
			if err != nil || string(got.Raw) != fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[],"got":{"own":%q}}}`, i, own) {
				t.Errorf("call %d of %d bytes: %v, want what was sent", i, len(own), err)
			}
		})
	}
	all.Wait()
}

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/child"
)

// fixtureMode names the variable that turns this test binary into a server.
const fixtureMode = "MORTISE_TEST_SERVER"

func TestMain(m *testing.M) {
	child.Main()
	switch mode := os.Getenv(fixtureMode); mode {
	case "":
		os.Exit(m.Run())
	case "modern":
		if err := modernServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "sdk":
		if err := sdkServer().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		newFixture(mode).run()
	}
}

// fixture is a server that misbehaves as its mode says.
type fixture struct {
	mode string
	in   *bufio.Reader

	mu        sync.Mutex
	out       *bufio.Writer
	answers   int
	grown     int
	cancelled []string
	waiting   []string          // ids of the calls that are never answered
	replies   []json.RawMessage // to what the server asked
	asking    json.RawMessage   // id of the call that waits for them
	declared  json.RawMessage   // what the client said that can be asked of it
	samples   map[string]string // by the id of a question: of the call that waits for its answer
	held      json.RawMessage   // id of a question that waits for the next
	methods   []string          // of what it was sent
	levels    []string          // that were set
	subs      []string          // what was subscribed to and unsubscribed from
}

func newFixture(mode string) *fixture {
	return &fixture{mode: mode, in: bufio.NewReader(os.Stdin), out: bufio.NewWriter(os.Stdout)}
}

// forever waits for the process to be ended. With a timer the runtime does not
// take it for a deadlock.
func forever() { <-time.After(time.Hour) }

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func (x *fixture) run() {
	switch x.mode {
	case "exit":
		fmt.Fprintln(os.Stderr, "no config: set \x1b[1mTHING\x1b[0m")
		os.Exit(7)
	case "hang":
		for {
			if _, err := x.in.ReadString('\n'); err != nil {
				return
			}
		}
	case "lock":
		defer x.lock()()
	case "banner":
		x.raw("Server v1.0 is listening on standard input\n\n[info] starting\n{not json}\n{\"level\":\"info\"}\n\"text\"\n42\nnull\n[]\n\uFEFF\n")
	}
	for {
		line, err := x.in.ReadString('\n')
		if err != nil {
			break
		}
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			fmt.Fprintln(os.Stderr, "cannot read", line)
			os.Exit(2)
		}
		x.handle(m)
		if x.mode == "deaf" && m.Method == "tools/list" {
			forever()
		}
	}
	if x.mode == "stubborn" {
		fmt.Fprintln(os.Stderr, "input ended, going on")
		forever()
	}
}

// lock is held by one server at a time; a second one does not start.
func (x *fixture) lock() (unlock func()) {
	path := filepath.Join(os.Getenv("PLUGIN_DATA"), "lock")
	var other child.Identity
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &other) == nil && child.Alive(other) {
		fmt.Fprintln(os.Stderr, "already running")
		os.Exit(9)
	}
	self, _ := json.Marshal(child.Self())
	if err := os.WriteFile(path, self, 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return func() { os.Remove(path) }
}

func (x *fixture) raw(s string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.out.WriteString(s)
	x.out.Flush()
}

func (x *fixture) answer(id json.RawMessage, result string) {
	switch x.mode {
	case "banner":
		x.raw("[debug] about to answer\n\uFEFF{\"jsonrpc\":\"2.0\",\"id\":" + string(id) + ",\"result\":" + result + "}\r\n\n{ done }\n")
	case "batch":
		x.raw(`[{"jsonrpc":"2.0","method":"notifications/message","params":{}},{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + "}]\n")
	default:
		x.raw(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + result + "}\n")
	}
	if x.answers++; x.mode == "once" {
		fmt.Fprintln(os.Stderr, "one answer is enough")
		os.Exit(5)
	}
}

func (x *fixture) handle(m message) {
	x.methods = append(x.methods, m.Method)
	if x.mode == "fragile" && x.methods[0] != "initialize" {
		fmt.Fprintln(os.Stderr, "initialize comes first")
		os.Exit(6)
	}
	if x.mode == "newest" && m.Method == "initialize" {
		x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32022,"message":"no handshake"}}` + "\n")
		if x.held != nil { // only now is the first question answered
			x.answer(x.held, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		}
		return
	}
	switch m.Method {
	case "server/discover":
		if x.mode == "either" { // it goes on as it is spoken to first, but for a greeting
			x.answer(m.ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
			return
		}
		if x.mode != "newest" && x.mode != "mute" {
			x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}` + "\n")
		}
		x.held = m.ID
	case "initialize":
		var p struct{ Capabilities json.RawMessage }
		json.Unmarshal(m.Params, &p)
		x.declared = p.Capabilities
		version := "2025-06-18"
		if x.mode == "future" {
			version = "2031-01-01"
		}
		x.answer(m.ID, `{"protocolVersion":"`+version+`","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}},"serverInfo":{"name":"fixture","version":"1.0"},"instructions":"Ask \u0041 me."}`)
	case "tools/list":
		x.tools(m)
	case "prompts/list":
		x.answer(m.ID, `{"prompts":[{"name":"greet"}]}`)
	case "resources/list":
		x.answer(m.ID, `{"resources":[{"uri":"x://1","name":"one"},{"uri":"x://1","name":"again"}]}`)
	case "resources/templates/list":
		x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}` + "\n")
	case "tools/call":
		x.call(m)
	case "logging/setLevel":
		var p struct{ Level string }
		json.Unmarshal(m.Params, &p)
		x.levels = append(x.levels, p.Level)
		x.answer(m.ID, `{}`)
	case "resources/subscribe", "resources/unsubscribe":
		var p struct{ URI string }
		json.Unmarshal(m.Params, &p)
		x.subs = append(x.subs, strings.TrimPrefix(m.Method, "resources/")+" "+p.URI)
		if p.URI == "x://none" {
			x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32602,"message":"no such resource"}}` + "\n")
			return
		}
		x.answer(m.ID, `{}`)
	case "notifications/cancelled":
		var p struct {
			RequestID json.RawMessage `json:"requestId"`
		}
		json.Unmarshal(m.Params, &p)
		x.mu.Lock()
		x.cancelled = append(x.cancelled, string(p.RequestID))
		x.mu.Unlock()
	case "":
		x.replied(m)
	default:
		if m.ID != nil && x.mode != "mute" {
			x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"Method not found"}}` + "\n")
		}
	}
}

// oddTool has what typed readers lose.
const oddTool = `{"name":"echo", "inputSchema":{"type":"object","x-odd":1.50e+1},"execution":{"taskSupport":"optional"}, "annotations":{"mine":true},"é":"\u00e9"}`

func (x *fixture) tools(m message) {
	var p struct{ Cursor string }
	json.Unmarshal(m.Params, &p)
	switch x.mode {
	case "pages":
		from, _ := strconv.Atoi(p.Cursor)
		var items []string
		for i := from; i < min(from+100, 250); i++ {
			items = append(items, fmt.Sprintf(`{"name":"t%03d","inputSchema":{"type":"object"}}`, i))
		}
		next := ""
		if from+100 < 250 {
			next = fmt.Sprintf(`,"nextCursor":"%d"`, from+100)
		}
		x.answer(m.ID, `{"tools":[`+strings.Join(items, ",")+`]`+next+`}`)
	case "cursor":
		var items []string
		for i := range 8 {
			items = append(items, fmt.Sprintf(`{"name":"t%d"}`, i))
		}
		x.answer(m.ID, `{"nextCursor":"more","tools":[`+strings.Join(items, ",")+`]}`)
	case "endless":
		n, _ := strconv.Atoi(p.Cursor)
		x.answer(m.ID, fmt.Sprintf(`{"nextCursor":"%d","tools":[{"name":"t%d"}]}`, n+1, n))
	case "toolless":
		x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32603,"message":"disk is full"}}` + "\n")
	default:
		items := []string{oddTool}
		for i := range x.grown {
			items = append(items, fmt.Sprintf(`{"name":"new%d"}`, i))
		}
		x.answer(m.ID, `{"tools":[`+strings.Join(items, ",")+`]}`)
	}
}

func (x *fixture) call(m message) {
	var p struct {
		Name      string
		Arguments json.RawMessage
		Meta      struct{ ProgressToken json.RawMessage } `json:"_meta"`
	}
	json.Unmarshal(m.Params, &p)
	switch p.Name {
	case "echo":
		x.answer(m.ID, `{"content":[],"got":`+string(p.Arguments)+`}`)
	case "self":
		self := map[string]any{"pid": os.Getpid(), "env": os.Environ(), "args": os.Args[1:]}
		self["cwd"], _ = os.Getwd()
		b, _ := json.Marshal(self)
		x.answer(m.ID, string(b))
	case "odd":
		x.answer(m.ID, `{"content":[{"type":"hologram","depth":1.0e+2}], "n":12345678901234567890.10, "half":"\ud800","twice":1,"twice":2, "isError" : false}`)
	case "fault":
		x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32050,"message":"no\nway","data":{"n":1.0}}}` + "\n")
	case "exit":
		fmt.Fprintln(os.Stderr, "panic: asked to")
		os.Exit(3)
	case "mute":
		os.Stdout.Close()
	case "never":
		x.mu.Lock()
		x.waiting = append(x.waiting, string(m.ID))
		x.mu.Unlock()
	case "cancelled":
		x.mu.Lock()
		b, _ := json.Marshal(map[string]any{"cancelled": x.cancelled, "waiting": x.waiting})
		x.mu.Unlock()
		x.answer(m.ID, string(b))
	case "progress":
		for i := range 5 {
			x.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d.0,"x-odd":1e0}}`+"\n", p.Meta.ProgressToken, i))
		}
		x.raw(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half way"}}` + "\n")
		x.answer(m.ID, `{"content":[]}`)
	case "log":
		x.raw(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"for one"}}` + "\n")
		x.answer(m.ID, `{"content":[]}`)
	case "grow":
		x.grown++
		x.answer(m.ID, `{"content":[]}`)
		x.raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
	case "big":
		mib := 1
		json.Unmarshal(p.Arguments, &mib)
		x.answer(m.ID, `{"content":"`+strings.Repeat("x", mib<<20)+`"}`)
	case "huge":
		x.answer(m.ID, `{"content":"`+strings.Repeat("x", 3<<20)+`"}`)
	case "sample": // a call that asks the client first
		if x.samples == nil {
			x.samples = map[string]string{}
		}
		id := fmt.Sprintf(`"q%d"`, len(x.samples))
		x.samples[id] = string(m.ID)
		x.raw(`{"jsonrpc":"2.0","id":` + id + `,"method":"sampling/createMessage","params":{"n":1.0,"_meta":{"progressToken":"mine"}}}` + "\n")
	case "unask": // the last question is not asked any more
		x.raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"q%d"}}`+"\n", len(x.samples)-1))
		x.answer(m.ID, `{}`)
	case "state":
		b, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "declared": x.declared, "levels": x.levels, "subs": x.subs})
		x.answer(m.ID, string(b))
	case "methods":
		b, _ := json.Marshal(x.methods)
		x.answer(m.ID, string(b))
	case "say": // whatever the arguments spell
		var lines []json.RawMessage
		json.Unmarshal(p.Arguments, &lines)
		for _, l := range lines {
			x.raw(string(l) + "\n")
		}
		x.answer(m.ID, `{}`)
	case "ask":
		x.asking = m.ID
		x.raw(`{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":7,"method":"roots/list"}` + "\n")
	case "repeat":
		x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"id":1,"result":{}}` + "\n")
		x.answer(m.ID, `{"content":[]}`)
	case "broken-text":
		x.raw(`{"jsonrpc":"2.0","id":` + string(m.ID) + ",\"result\":{\"content\":\"caf\xe9\"}}\n")
	case "close-input":
		os.Stdin.Close()
		x.answer(m.ID, `{}`)
		forever()
	case "stop-reading":
		x.answer(m.ID, `{}`)
		forever()
	case "secret":
		fmt.Fprintln(os.Stderr, "the key is", os.Getenv("API_KEY"))
		os.Exit(4)
	}
}

// replied takes in what was answered to us. Two answers complete the call.
func (x *fixture) replied(m message) {
	if call, ok := x.samples[string(m.ID)]; ok {
		x.answer(json.RawMessage(call), fmt.Sprintf(`{"result":%s,"error":%s}`, orNull(m.Result), orNull(m.Error)))
		return
	}
	b, _ := json.Marshal(map[string]json.RawMessage{"id": m.ID, "result": orNull(m.Result), "error": orNull(m.Error)})
	if x.replies = append(x.replies, b); len(x.replies) == 2 {
		all, _ := json.Marshal(x.replies)
		x.answer(x.asking, `{"replies":`+string(all)+`}`)
	}
}

func orNull(b json.RawMessage) json.RawMessage {
	if b == nil {
		return json.RawMessage("null")
	}
	return b
}

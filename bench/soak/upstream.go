package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// The servers behind: one that is well, one that is killed, and one that does
// everything that a server must not do.
const (
	steady = "steady"
	mortal = "mortal"
	odd    = "odd"
)

// answers are the tools of the servers, by what comes for a call.
var answers = map[string]func(o *output, id json.RawMessage, text string){
	"echo": func(o *output, id json.RawMessage, text string) { o.answer(id, text) },
	"late": func(o *output, id json.RawMessage, text string) {
		time.AfterFunc(rand.N(200*time.Millisecond), func() { o.answer(id, text) }) // others overtake it
	},
	"twice": func(o *output, id json.RawMessage, text string) {
		o.answer(id, text)
		o.answer(id, text)
	},
	"wrong": func(o *output, id json.RawMessage, text string) {
		o.answer(json.RawMessage(`"nobody asked"`), "not "+text)
		o.answer(json.RawMessage(`987654321`), "not "+text)
		o.answer(id, text)
	},
	"never": func(*output, json.RawMessage, string) {},
	"noise": func(o *output, id json.RawMessage, text string) {
		o.line("*** starting up, please wait ***")
		o.line("")
		o.line(`{"level":"info","message":"a line of a log"}`)
		o.answer(id, text)
	},
	"flood": func(o *output, id json.RawMessage, text string) {
		_, _ = io.WriteString(os.Stderr, strings.Repeat(strings.Repeat("e", 99)+"\n", 10_000))
		for range 200 {
			o.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a lot of this"}}`)
		}
		o.answer(id, text)
	},
	"big": func(o *output, id json.RawMessage, text string) { o.answer(id, strings.Repeat("b", 1<<20)+text) },
}

// offered are the tools of a server.
func offered(server string) []string {
	switch server {
	case odd:
		return []string{"echo", "late", "twice", "wrong", "never", "noise", "flood", "big"}
	case mortal:
		return []string{"echo", "late"} // so that calls are under way when it is killed
	}
	return []string{"echo"}
}

// upstream speaks MCP on standard input and output until that ends. It leaves its
// number in a file in dir, so that it can be killed.
func upstream(server, dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, server+".pids"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, os.Getpid())
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	o := &output{}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params json.RawMessage
		}
		if json.Unmarshal(line, &m) == nil && len(m.ID) > 0 && m.Method != "" {
			o.handle(server, m.ID, m.Method, m.Params)
		}
	}
}

// output is the stream to Mortise.
type output struct{ mu sync.Mutex }

func (o *output) handle(server string, id json.RawMessage, method string, params json.RawMessage) {
	switch method {
	case "initialize":
		o.result(id, `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"`+server+`","version":"1"}}`)
	case "ping":
		o.result(id, `{}`)
	case "tools/list":
		var tools []string
		for _, name := range offered(server) {
			tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"Answers with the text, or does not.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`, name))
		}
		o.result(id, `{"tools":[`+strings.Join(tools, ",")+`]}`)
	case "tools/call":
		var call struct {
			Name      string
			Arguments struct{ Text string }
		}
		if err := json.Unmarshal(params, &call); err == nil && answers[call.Name] != nil {
			answers[call.Name](o, id, call.Arguments.Text)
			return
		}
		fallthrough
	default:
		o.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"there is no %s"}}`, id, method))
	}
}

func (o *output) answer(id json.RawMessage, text string) {
	o.result(id, fmt.Sprintf(`{"content":[{"type":"text","text":%q}]}`, text))
}

func (o *output) result(id json.RawMessage, result string) {
	o.line(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result))
}

func (o *output) line(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = io.WriteString(os.Stdout, text+"\n") // whoever reads it is gone, or is not
}

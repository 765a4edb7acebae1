// Command rawgw is what a hop costs at least that knows MCP: it reads the method
// and the tool's name, takes the server's prefix off, forwards the bytes over
// connections that are kept and streams the answer back undecoded. The list of
// tools is rewritten once and then served from memory. It is a yardstick, no
// gateway: one upstream, whose session IDs it hands on. It prints its address.
//
//	rawgw -listen 127.0.0.1:0 -to http://127.0.0.1:9100/mcp
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
)

// prefix is put before the names of tools.
const prefix = "up__"

// peek is what is decoded of a request.
type peek struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Cursor string `json:"cursor"`
	} `json:"params"`
}

type gateway struct {
	to        string
	transport *http.Transport

	mu   sync.Mutex
	list []byte // the result of tools/list with our names; nil until it was asked for
}

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` to serve at")
	to := flag.String("to", "", "`URL` of the endpoint behind")
	flag.Parse()
	if err := run(*listen, *to); err != nil {
		fmt.Fprintln(os.Stderr, "rawgw:", err)
		os.Exit(1)
	}
}

func run(listen, to string) error {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 256
	t.DisableCompression = true
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	return http.Serve(l, &gateway{to: to, transport: t})
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.Method == http.MethodPost {
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20)); err != nil {
			http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
			return
		}
		var p peek
		if err := json.Unmarshal(body, &p); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch {
		case p.Method == "tools/list" && p.Params.Cursor == "":
			g.serveList(w, r, body, p.ID)
			return
		case p.Method == "tools/call":
			body = bytes.Replace(body, []byte(`"name":"`+prefix), []byte(`"name":"`), 1)
		}
	}
	g.forward(w, r, body)
}

// forward hands a request on and its answer back.
func (g *gateway) forward(w http.ResponseWriter, r *http.Request, body []byte) {
	res, err := g.send(r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = res.Body.Close() }()
	for k, v := range res.Header {
		w.Header()[k] = v
	}
	w.WriteHeader(res.StatusCode)
	flush := http.NewResponseController(w).Flush
	buf := make([]byte, 8<<10)
	for {
		n, err := res.Body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			if res.ContentLength < 0 {
				_ = flush() // the next write tells of it
			}
		}
		if err != nil {
			return
		}
	}
}

var forwarded = []string{"Content-Type", "Accept", "Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-Id", "Authorization", "Mcp-Method", "Mcp-Name"}

func (g *gateway) send(r *http.Request, body []byte) (*http.Response, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, g.to, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for _, k := range forwarded {
		if v := r.Header.Get(k); v != "" {
			out.Header.Set(k, v)
		}
	}
	return g.transport.RoundTrip(out)
}

func (g *gateway) serveList(w http.ResponseWriter, r *http.Request, body []byte, id json.RawMessage) {
	list, err := g.tools(r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, list) // the client is gone, or it is not
}

// tools is the result of tools/list. Only the first page is rewritten.
func (g *gateway) tools(r *http.Request, body []byte) ([]byte, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.list != nil {
		return g.list, nil
	}
	res, err := g.send(r, body)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	g.list, err = renamed(b)
	return g.list, err
}

// renamed is the result of an answer, plain or in an event stream, with the
// prefix before each name.
func renamed(answer []byte) ([]byte, error) {
	if i := bytes.Index(answer, []byte("data: {")); i >= 0 {
		answer, _, _ = bytes.Cut(answer[i+len("data: "):], []byte("\n"))
	}
	var m struct {
		Result map[string]any `json:"result"`
	}
	if err := json.Unmarshal(answer, &m); err != nil {
		return nil, err
	}
	tools, _ := m.Result["tools"].([]any)
	for _, t := range tools {
		if o, ok := t.(map[string]any); ok {
			o["name"] = prefix + fmt.Sprint(o["name"])
		}
	}
	return json.Marshal(m.Result)
}

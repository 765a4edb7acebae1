// Command sdkgw is the smallest gateway that the official SDK gives: an SDK
// server whose tools call through one session of an SDK client. It shows what
// decoding and encoding every message costs. It prints its address.
//
//	sdkgw -listen 127.0.0.1:0 -to http://127.0.0.1:9100/mcp
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` to serve at")
	to := flag.String("to", "", "`URL` of the endpoint behind")
	asJSON := flag.Bool("json", false, "answer with plain JSON instead of an event stream")
	flag.Parse()
	if err := run(context.Background(), *listen, *to, *asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "sdkgw:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, listen, to string, asJSON bool) error {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 256
	c := mcp.NewClient(&mcp.Implementation{Name: "sdkgw", Version: "1"}, nil)
	up, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: to, HTTPClient: &http.Client{Transport: t}}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "sdkgw", Version: "1"}, nil)
	for tool, err := range up.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		offered := *tool
		offered.Name = "up__" + tool.Name
		s.AddTool(&offered, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return up.CallTool(ctx, &mcp.CallToolParams{Meta: req.Params.Meta, Name: tool.Name, Arguments: req.Params.Arguments})
		})
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{JSONResponse: asJSON}))
	return http.Serve(l, mux)
}

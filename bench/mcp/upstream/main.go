// Command upstream is the server behind every gateway that is measured: it
// offers a tool "echo" and fillers of about the size that real tools have, over
// Streamable HTTP or stdio.
//
//	upstream -http 127.0.0.1:0 -tools 100   # prints its address, which ends in /mcp
//	upstream -stdio -tools 100
//
// With -rich it also offers what "bench fidelity" looks at: one thing of each
// kind that a gateway may lose on the way.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	addr := flag.String("http", "", "serve Streamable HTTP at this `address` of loopback")
	stdio := flag.Bool("stdio", false, "serve on standard input and output")
	tools := flag.Int("tools", 10, "how many tools, echo counted")
	page := flag.Int("page", 1000, "how many tools in a page")
	delay := flag.Duration("delay", 0, "how long a call of a tool takes")
	asJSON := flag.Bool("json", false, "answer with plain JSON instead of an event stream")
	stateless := flag.Bool("stateless", false, "keep no sessions")
	rich := flag.Bool("rich", false, "offer what bench fidelity looks at, too")
	flag.Parse()
	o := offer{tools: *tools, page: *page, delay: *delay, rich: *rich}
	if err := run(*addr, *stdio, o.server(), &mcp.StreamableHTTPOptions{JSONResponse: *asJSON, Stateless: *stateless, SessionTimeout: 10 * time.Minute}); err != nil {
		fmt.Fprintln(os.Stderr, "upstream:", err)
		os.Exit(1)
	}
}

func run(addr string, stdio bool, s *mcp.Server, o *mcp.StreamableHTTPOptions) error {
	switch {
	case stdio:
		return s.Run(context.Background(), &mcp.StdioTransport{})
	case addr == "":
		return fmt.Errorf("say -http ADDRESS or -stdio")
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, o))
	return http.Serve(l, mux)
}

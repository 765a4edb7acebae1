package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The tools of a crew, one of each of its servers.
const busyTool, deafTool = "owner_busy__pid", "owner_deaf__pid"

// stdioClient is a program that starts the server that its arguments name, waits
// for the tools of a crew, says so, and stays.
func stdioClient() {
	ctx := context.Background()
	cmd := exec.Command(os.Args[1], os.Args[2:]...) //nolint:noctx // it ends with this program, or shows that it does not
	cmd.Stderr = os.Stderr
	changed := make(chan struct{}, 1)
	o := &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
		select {
		case changed <- struct{}{}:
		default:
		}
	}}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, o).Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	for err == nil {
		var list *mcp.ListToolsResult
		if list, err = cs.ListTools(ctx, nil); err != nil {
			break
		}
		names := map[string]bool{}
		for _, tool := range list.Tools {
			names[tool.Name] = true
		}
		if names[busyTool] && names[deafTool] {
			fmt.Println("connected")
			err = cs.Wait()
			break
		}
		<-changed
	}
	fmt.Fprintln(os.Stderr, "client:", err)
	os.Exit(1)
}

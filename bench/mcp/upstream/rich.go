package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// richOptions are instructions, completion and subscriptions.
func richOptions(o *mcp.ServerOptions) {
	o.Instructions = "Bench instructions."
	o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"alpha", "beta"}}}, nil
	}
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}

// addRich adds one feature of each kind that gateways tend to lose.
func addRich(s *mcp.Server) {
	addFields(s)
	addConversation(s)
	addChanges(s)
	addCancellation(s)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "item", URITemplate: "bench://item/{id}", MIMEType: "text/plain"}, reads("item"))
}

// plain adds a tool without arguments.
func plain(s *mcp.Server, name, description string, h mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(`{"type":"object"}`)}, h)
}

// addFields adds tools whose definition and answer have every optional field.
func addFields(s *mcp.Server) {
	closed := false
	s.AddTool(&mcp.Tool{
		Name: "rich", Title: "Rich title", Description: "Return every optional field.",
		Meta:         mcp.Meta{"bench.example/tool": "kept"},
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed, Title: "Annotated title"},
		Icons:        []mcp.Icon{{Source: "data:image/svg+xml;base64,PHN2Zy8+", MIMEType: "image/svg+xml"}},
		InputSchema:  json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","x-bench-keyword":"kept"}},"additionalProperties":false}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
	}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		meta := mcp.Meta{"bench.example/result": "kept"}
		if v, ok := req.Params.Meta["bench.example/request"]; ok {
			meta["bench.example/seen-request-meta"] = v
		}
		return &mcp.CallToolResult{
			Meta: meta,
			Content: []mcp.Content{
				&mcp.TextContent{Text: `{"n":7}`, Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant"}, Priority: 0.5}},
				&mcp.ResourceLink{URI: readme, Name: "readme"},
			},
			StructuredContent: json.RawMessage(`{"n":7}`),
		}, nil
	})
	plain(s, "failing", "Answer with isError.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := text("bench failure")
		r.IsError = true
		return r, nil
	})
}

// asking is how long the client may take to answer.
const asking = 4 * time.Second

// addConversation adds tools that send something to the client while they run.
func addConversation(s *mcp.Server) {
	plain(s, "progress", "Report progress twice.", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if token := req.Params.GetProgressToken(); token != nil {
			for i := 1; i <= 2; i++ {
				if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i), Total: 2}); err != nil {
					return nil, err
				}
			}
			time.Sleep(50 * time.Millisecond) // clients of the SDK may see an answer before what came ahead of it
		}
		return text("done"), nil
	})
	plain(s, "ask", "Elicit a name.", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, asking)
		defer cancel()
		r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: "Your name?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
		if err != nil {
			return nil, fmt.Errorf("elicit: %w", err)
		}
		return text(fmt.Sprintf("elicit %s %v", r.Action, r.Content["name"])), nil
	})
	plain(s, "sample", "Ask the client's model.", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx, cancel := context.WithTimeout(ctx, asking)
		defer cancel()
		r, err := req.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}}) //nolint:staticcheck // deprecated, and what gateways have to get through
		if err != nil {
			return nil, fmt.Errorf("sample: %w", err)
		}
		said, ok := r.Content.(*mcp.TextContent)
		if !ok {
			return text("sample no text"), nil
		}
		return text("sample " + said.Text), nil
	})
}

// addChanges adds tools that change what the server offers.
func addChanges(s *mcp.Server) {
	const shy = "sometimes"
	appear := func() {
		plain(s, shy, "Be there every other time.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("here"), nil
		})
	}
	appear()
	// A tool that goes and comes back: one that is new may rightly wait for somebody
	// to approve it.
	var gone atomic.Bool
	plain(s, "toggle", "Take a tool away or put it back, so that the list changes.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if gone.CompareAndSwap(true, false) {
			appear()
		} else {
			gone.Store(true)
			s.RemoveTools(shy)
		}
		return text("toggled"), nil
	})
	plain(s, "touch", "Say that the readme resource changed.", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("touched"), s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: readme})
	})
}

// addCancellation adds a tool that takes long, and one that tells how often it
// was cancelled.
func addCancellation(s *mcp.Server) {
	var cancelled atomic.Int64
	plain(s, "slow", "Wait three seconds or until cancelled.", func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case <-ctx.Done():
			cancelled.Add(1)
			return nil, ctx.Err()
		case <-time.After(3 * time.Second):
			return text("slept"), nil
		}
	})
	plain(s, "cancelled", "How often slow was cancelled.", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(fmt.Sprint(cancelled.Load())), nil
	})
}

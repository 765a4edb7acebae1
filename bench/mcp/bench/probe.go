package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// probe is a session that looks at what gets through.
type probe struct {
	target
	kept  map[string]bool // by feature
	s     *mcp.ClientSession
	tools []*mcp.Tool

	progress, changed, updated atomic.Int64 // notices that came
}

func (p *probe) run(ctx context.Context, h *http.Client, protocol string) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	s, err := p.connect(ctx, h, protocol, p.abilities())
	if err != nil {
		p.note("connect", err)
		return
	}
	defer func() { _ = s.Close() }() // of a target that may be gone
	p.s = s
	if init := s.InitializeResult(); init != nil {
		p.set("instructions", strings.Contains(init.Instructions, "Bench instructions."))
	}
	if p.tools, err = listAll(ctx, s); err != nil {
		p.note("tools/list", err)
	}
	for _, look := range []func(context.Context){p.definition, p.result, p.conversation, p.changes, p.prompts, p.resources, p.templates, p.cancellation} {
		look(ctx)
	}
}

// abilities are those of a client that answers whatever a server asks.
func (p *probe) abilities() *mcp.ClientOptions {
	return &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "bench"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) { //nolint:staticcheck // deprecated, and what gateways have to get through
			return &mcp.CreateMessageResult{Role: "assistant", Model: "bench", Content: &mcp.TextContent{Text: "sampled"}}, nil //nolint:staticcheck // as above
		},
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { p.progress.Add(1) },
		ResourceUpdatedHandler:      func(context.Context, *mcp.ResourceUpdatedNotificationRequest) { p.updated.Add(1) },
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { p.changed.Add(1) },
	}
}

func (p *probe) set(feature string, ok bool) { p.kept[feature] = p.kept[feature] || ok }

// call calls a tool of the upstream by whatever name the target offers it; nil
// when that did not work.
func (p *probe) call(ctx context.Context, tool string, meta mcp.Meta, token any) *mcp.CallToolResult {
	name := named(p.tools, tool)
	if name == "" {
		p.note(tool, fmt.Errorf("the tool is not listed"))
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	params := &mcp.CallToolParams{Name: name, Arguments: map[string]any{}, Meta: meta}
	if token != nil {
		params.SetProgressToken(token)
	}
	r, err := p.s.CallTool(ctx, params)
	if err != nil {
		p.note(tool, err)
		return nil
	}
	return r
}

// said is the text that a tool answered with.
func said(r *mcp.CallToolResult) string {
	if r == nil || len(r.Content) == 0 {
		return ""
	}
	c, _ := r.Content[0].(*mcp.TextContent)
	if c == nil {
		return ""
	}
	return c.Text
}

// holds reports whether a value, as JSON, contains a text.
func holds(v any, text string) bool {
	b, err := json.Marshal(v)
	return err == nil && strings.Contains(string(b), text)
}

// definition looks at the optional fields of a tool.
func (p *probe) definition(context.Context) {
	name := named(p.tools, "rich")
	for _, t := range p.tools {
		if t.Name != name {
			continue
		}
		p.set("tool title", t.Title == "Rich title")
		p.set("tool annotations", t.Annotations != nil && t.Annotations.ReadOnlyHint && t.Annotations.OpenWorldHint != nil && !*t.Annotations.OpenWorldHint)
		p.set("tool outputSchema", holds(t.OutputSchema, `"n"`))
		p.set("tool _meta", t.Meta["bench.example/tool"] == "kept")
		p.set("tool icons", len(t.Icons) == 1)
		p.set("unknown schema keyword", holds(t.InputSchema, "x-bench-keyword"))
	}
}

// result looks at the optional fields of an answer.
func (p *probe) result(ctx context.Context) {
	if r := p.call(ctx, "rich", mcp.Meta{"bench.example/request": "sent"}, nil); r != nil {
		p.set("structuredContent", holds(r.StructuredContent, `"n":7`))
		p.set("result _meta", r.Meta["bench.example/result"] == "kept")
		p.set("request _meta", r.Meta["bench.example/seen-request-meta"] == "sent")
		for _, c := range r.Content {
			switch c := c.(type) {
			case *mcp.TextContent:
				p.set("content annotations", c.Annotations != nil && c.Annotations.Priority == 0.5)
			case *mcp.ResourceLink:
				p.set("resource link", strings.Contains(c.URI, "bench://readme"))
			}
		}
	}
	r := p.call(ctx, "failing", nil, nil)
	p.set("isError kept", r != nil && r.IsError && strings.Contains(said(r), "bench failure"))
}

// conversation looks at what a server sends while a call runs.
func (p *probe) conversation(ctx context.Context) {
	p.call(ctx, "progress", nil, "tok-1")
	p.set("progress", within(ctx, time.Second, func() bool { return p.progress.Load() >= 2 }))
	p.set("elicitation", strings.Contains(said(p.call(ctx, "ask", nil, nil)), "elicit accept bench"))
	p.set("sampling", strings.Contains(said(p.call(ctx, "sample", nil, nil)), "sample sampled"))
}

func (p *probe) changes(ctx context.Context) {
	before := p.changed.Load()
	if p.call(ctx, "toggle", nil, nil) != nil {
		p.set("tools/list_changed", within(ctx, 3*time.Second, func() bool { return p.changed.Load() > before }))
	}
}

func (p *probe) prompts(ctx context.Context) {
	l, err := p.s.ListPrompts(ctx, nil)
	if err != nil {
		p.note("prompts/list", err)
		return
	}
	for _, prompt := range l.Prompts {
		if !strings.HasSuffix(prompt.Name, "greet") {
			continue
		}
		p.set("prompts", true)
		if g, err := p.s.GetPrompt(ctx, &mcp.GetPromptParams{Name: prompt.Name}); err != nil {
			p.note("prompts/get", err)
		} else {
			p.set("prompts/get", len(g.Messages) == 1)
		}
		ref := &mcp.CompleteReference{Type: "ref/prompt", Name: prompt.Name}
		if c, err := p.s.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: "x", Value: "a"}}); err != nil {
			p.note("completion", err)
		} else {
			p.set("completion", len(c.Completion.Values) == 2)
		}
	}
}

func (p *probe) resources(ctx context.Context) {
	l, err := p.s.ListResources(ctx, nil)
	if err != nil {
		p.note("resources/list", err)
		return
	}
	for _, r := range l.Resources {
		if !strings.Contains(r.URI, "bench://readme") {
			continue
		}
		p.set("resources", true)
		p.read(ctx, "resources/read", r.URI, "readme")
		if err := p.s.Subscribe(ctx, &mcp.SubscribeParams{URI: r.URI}); err != nil {
			p.note("resources/subscribe", err)
		} else if p.call(ctx, "touch", nil, nil) != nil {
			p.set("resource updated", within(ctx, 2*time.Second, func() bool { return p.updated.Load() > 0 }))
		}
	}
}

func (p *probe) templates(ctx context.Context) {
	l, err := p.s.ListResourceTemplates(ctx, nil)
	if err != nil {
		p.note("resources/templates/list", err)
		return
	}
	for _, t := range l.ResourceTemplates {
		if strings.Contains(t.URITemplate, "bench://item/") {
			p.set("resource templates", true)
			p.read(ctx, "template read", strings.Replace(t.URITemplate, "{id}", "5", 1), "item")
		}
	}
}

func (p *probe) read(ctx context.Context, feature, uri, want string) {
	r, err := p.s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		p.note(feature, err)
		return
	}
	p.set(feature, len(r.Contents) == 1 && r.Contents[0].Text == want)
}

// cancellation gives up a call and asks the upstream whether it heard of it.
func (p *probe) cancellation(ctx context.Context) {
	count := func() string { return said(p.call(ctx, "cancelled", nil, nil)) }
	name, before := named(p.tools, "slow"), count()
	if name == "" || before == "" {
		return
	}
	short, stop := context.WithTimeout(ctx, 500*time.Millisecond)
	defer stop()
	if _, err := p.s.CallTool(short, &mcp.CallToolParams{Name: name, Arguments: map[string]any{}}); err == nil {
		p.note("slow", fmt.Errorf("a call that was given up was answered"))
		return
	}
	p.set("cancellation", within(ctx, time.Second, func() bool {
		after := count()
		return after != "" && after != before
	}))
}

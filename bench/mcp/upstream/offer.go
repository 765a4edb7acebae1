package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offer is what the server offers.
type offer struct {
	tools, page int
	delay       time.Duration
	rich        bool
}

func (o offer) server() *mcp.Server {
	opts := &mcp.ServerOptions{PageSize: o.page}
	if o.rich {
		richOptions(opts)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "bench-upstream", Version: "1.0.0"}, opts)
	if o.rich {
		addRich(s)
	}
	readOnly := &mcp.ToolAnnotations{ReadOnlyHint: true}
	s.AddTool(&mcp.Tool{Name: "echo", Description: "Return the text argument unchanged.", InputSchema: schema(0), Annotations: readOnly}, o.echo)
	for i := 1; i < o.tools; i++ {
		verb, noun := verbs[(i/10)%len(verbs)], nouns[i%len(nouns)]
		s.AddTool(&mcp.Tool{
			Name: fmt.Sprintf("%s_%s_%04d", verb, noun, i),
			Description: fmt.Sprintf("%s a %s in workspace %d. Use this when the user asks to %s a %s; prefer search first when the identifier is unknown. Returns the affected %s with its current state and links.",
				verb, noun, i, verb, noun, noun),
			InputSchema: schema(i), Annotations: readOnly,
		}, o.echo)
	}
	s.AddPrompt(&mcp.Prompt{Name: "greet", Description: "A prompt"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "hello"}}}}, nil
	})
	s.AddResource(&mcp.Resource{Name: "readme", URI: readme, MIMEType: "text/plain"}, reads("readme"))
	return s
}

// readme is the address of the one resource.
const readme = "bench://readme"

func (o offer) echo(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	time.Sleep(o.delay)
	var a struct {
		Text string `json:"text"`
	}
	if len(req.Params.Arguments) > 0 {
		if err := json.Unmarshal(req.Params.Arguments, &a); err != nil {
			return nil, err
		}
	}
	return text(a.Text), nil
}

func text(t string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: t}}}
}

// reads answers resources/read with a text.
func reads(t string) mcp.ResourceHandler {
	return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: "text/plain", Text: t}}}, nil
	}
}

var nouns = []string{"issue", "branch", "invoice", "calendar", "ticket", "file", "message", "customer", "metric", "deployment"}
var verbs = []string{"create", "list", "search", "update", "delete", "archive", "export", "assign", "merge", "inspect"}

// schema is an input schema as tools of real servers have them.
func schema(i int) json.RawMessage {
	noun := nouns[i%len(nouns)]
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{`+
		`"dryRun":{"type":"boolean","description":"Validate the request without applying it."},`+
		`"id":{"type":"string","description":"Identifier of the %s to act on, as returned by a previous listing."},`+
		`"labels":{"type":"array","items":{"type":"string"},"description":"Labels that every returned %s must carry."},`+
		`"limit":{"type":"integer","minimum":1,"maximum":100,"description":"Maximum number of results per page."},`+
		`"state":{"type":"string","enum":["open","closed","all"],"description":"Only return entries in this state."},`+
		`"text":{"type":"string","description":"Free text to send back."}}}`, noun, noun))
}

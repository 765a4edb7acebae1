package mcptest_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

// both runs a test over each transport.
func both(t *testing.T, test func(t *testing.T, modes func(...mcptest.Mode) mcp.Transport)) {
	t.Run("stdio", func(t *testing.T) {
		test(t, func(modes ...mcptest.Mode) mcp.Transport {
			path, env := mcptest.Command(modes...)
			cmd := exec.CommandContext(lasting(t), path)
			cmd.Env = append(os.Environ(), env...)
			return &mcp.CommandTransport{Command: cmd}
		})
	})
	t.Run("http", func(t *testing.T) {
		test(t, func(modes ...mcptest.Mode) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: mcptest.HTTP(t, modes...)}
		})
	})
}

// lasting is a context that ends after what the test tidies up later.
func lasting(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, transport mcp.Transport, opt *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "mcptest", Version: "1"}, opt).Connect(ctx, transport, nil)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		if err := cs.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return cs
}

func said(res *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func names(t *testing.T, cs *mcp.ClientSession) []string {
	t.Helper()
	var names []string
	for tool, err := range cs.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatalf("tools/list: %v", err)
		}
		names = append(names, tool.Name)
	}
	return names
}

func TestNormalServerThroughTheSDK(t *testing.T) {
	both(t, func(t *testing.T, modes func(...mcptest.Mode) mcp.Transport) {
		steps := make(chan float64, 8)
		cs := connect(t, modes(), &mcp.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				steps <- r.Params.Progress
			},
			ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"asked": r.Params.Message}}, nil
			},
		})
		if got := cs.InitializeResult().Instructions; got != mcptest.Instructions {
			t.Errorf("instructions: got %q, want %q", got, mcptest.Instructions)
		}
		if diff := cmp.Diff(mcptest.Tools(), names(t, cs)); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		for _, c := range []struct {
			tool string
			args map[string]any
			want string
			bad  bool
		}{
			{"echo", map[string]any{"text": "<a & b>"}, "<a & b>", false},
			{"fail", map[string]any{"text": "no"}, "no", true},
			{"add", map[string]any{"a": 1.5, "b": 2}, `{"sum":3.5}`, false},
			{"sleep", map[string]any{"ms": 1}, "awake", false},
			{"progress", map[string]any{"n": 3}, "3 steps", false},
			{"ask", map[string]any{"method": "ping", "params": map[string]any{}}, "{}", false},
			{"ask", map[string]any{"method": "elicitation/create", "params": map[string]any{"message": "Who?", "requestedSchema": map[string]any{
				"type": "object", "properties": map[string]any{"asked": map[string]any{"type": "string"}},
			}}}, `{"action":"accept","content":{"asked":"Who?"}}`, false},
		} {
			params := &mcp.CallToolParams{Name: c.tool, Arguments: c.args}
			params.SetProgressToken("p")
			res, err := cs.CallTool(t.Context(), params)
			if err != nil {
				t.Errorf("%s: %v", c.tool, err)
				continue
			}
			if got := said(res); got != c.want || res.IsError != c.bad {
				t.Errorf("%s: got %q, error %t, want %q, error %t", c.tool, got, res.IsError, c.want, c.bad)
			}
		}
		for want := range 3 {
			if got := <-steps; got != float64(want+1) {
				t.Errorf("progress: got %v, want %d", got, want+1)
			}
		}
	})
}

func TestTextsThroughTheSDK(t *testing.T) {
	both(t, func(t *testing.T, modes func(...mcptest.Mode) mcp.Transport) {
		cs := connect(t, modes(), nil)
		prompts, err := cs.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 1 || len(prompts.Prompts[0].Arguments) != 2 {
			t.Errorf("prompts/list: got %+v, %v, want one with two arguments", prompts, err)
		}
		prompt, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: mcptest.Prompt, Arguments: map[string]string{"name": "Ada", "tone": "warmly"}})
		if err != nil || prompt.Messages[0].Content.(*mcp.TextContent).Text != "Greet Ada, warmly." {
			t.Errorf("prompts/get: got %+v, %v", prompt, err)
		}
		if _, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: mcptest.Prompt}); err == nil {
			t.Error("prompts/get without its argument: got no error, want one")
		}
		templates, err := cs.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != mcptest.Template {
			t.Errorf("resources/templates/list: got %+v, %v", templates, err)
		}
		resources, err := cs.ListResources(t.Context(), nil)
		if err != nil || len(resources.Resources) != 1 || resources.Resources[0].URI != mcptest.Resource {
			t.Errorf("resources/list: got %+v, %v", resources, err)
		}
		for uri, want := range map[string]string{mcptest.Resource: mcptest.ResourceText, "mcptest://number/7": "7"} {
			read, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || read.Contents[0].Text != want {
				t.Errorf("resources/read %s: got %+v, %v, want %q", uri, read, err, want)
			}
		}
		if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "mcptest://nothing"}); err == nil {
			t.Error("resources/read of nothing: got no error, want one")
		}
	})
}

func TestListsOfModes(t *testing.T) {
	both(t, func(t *testing.T, modes func(...mcptest.Mode) mcp.Transport) {
		for _, c := range []struct {
			mode        mcptest.Mode
			tools       int
			first, last string
		}{
			{mcptest.Pages, 250, "tool_000", "tool_249"},
			{mcptest.LongNames, 2, mcptest.LongCreate, mcptest.LongDelete},
			{mcptest.Poison, 2, mcptest.HiddenName, "good"},
			{mcptest.Unknown, len(mcptest.Tools()) + 1, "echo", "odd"},
		} {
			cs := connect(t, modes(c.mode), nil)
			got := names(t, cs)
			if len(got) != c.tools || got[0] != c.first || got[len(got)-1] != c.last {
				t.Errorf("%s: got %q, want %d from %s to %s", c.mode, got, c.tools, c.first, c.last)
			}
		}
		if len(mcptest.LongCreate) != 60 || len(mcptest.LongDelete) != 60 {
			t.Errorf("long names have %d and %d characters, want 60", len(mcptest.LongCreate), len(mcptest.LongDelete))
		}
	})
}

func TestCursorRepeats(t *testing.T) {
	both(t, func(t *testing.T, modes func(...mcptest.Mode) mcp.Transport) {
		cs := connect(t, modes(mcptest.Cursor), nil)
		cursor := ""
		for range 3 {
			page, err := cs.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: cursor})
			if err != nil || len(page.Tools) == 0 || page.NextCursor != "again" {
				t.Fatalf("tools/list at %q: got %+v, %v, want the same page and cursor", cursor, page, err)
			}
			cursor = page.NextCursor
		}
	})
}

func TestChangesAreTold(t *testing.T) {
	both(t, func(t *testing.T, modes func(...mcptest.Mode) mcp.Transport) {
		told := make(chan struct{}, 8)
		cs := connect(t, modes(mcptest.Changes), &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
		})
		for _, want := range []string{"grown_1", "grown_2"} {
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "grow"})
			if err != nil || said(res) != want {
				t.Fatalf("grow: got %+v, %v, want %s", res, err, want)
			}
			select {
			case <-told:
			case <-time.After(time.Minute):
				t.Fatal("tools/list_changed did not come")
			}
			if got := names(t, cs); got[len(got)-1] != want {
				t.Errorf("tools/list: got %q, want %s last", got, want)
			}
		}
	})
}

func TestEnvironmentIsThatOfTheProcess(t *testing.T) {
	path, env := mcptest.Command()
	cmd := exec.CommandContext(lasting(t), path, "--flag")
	cmd.Dir = t.TempDir()
	cmd.Env = append(env, "COLOR=blue", "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))
	cs := connect(t, &mcp.CommandTransport{Command: cmd}, nil)
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "environment"})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Arguments []string
		Variables map[string]string
	}
	if err := json.Unmarshal([]byte(said(res)), &got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Arguments, []string{"--flag"}) || got.Variables["COLOR"] != "blue" || got.Variables["PATH"] != "" {
		t.Errorf("got %+v, want the flag, the color, and no PATH", got)
	}
}

func TestEachHTTPSessionIsItsOwn(t *testing.T) {
	url := mcptest.HTTP(t, mcptest.Changes)
	one := connect(t, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	two := connect(t, &mcp.StreamableClientTransport{Endpoint: url}, nil)
	if _, err := one.CallTool(t.Context(), &mcp.CallToolParams{Name: "grow"}); err != nil {
		t.Fatal(err)
	}
	if got, want := len(names(t, one))-len(names(t, two)), 1; got != want {
		t.Errorf("the session that grew has %d tools more, want %d", got, want)
	}
}

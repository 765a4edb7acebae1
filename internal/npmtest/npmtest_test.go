package npmtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/npmtest"
)

// lasting is a context that ends after what the test tidies up later.
func lasting(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestServersListTheirTools(t *testing.T) {
	for _, c := range []struct {
		name  string
		args  []string
		tools int
		one   string
	}{
		{"everything", nil, 14, "echo"},
		{"filesystem", []string{t.TempDir()}, 14, "read_text_file"},
		{"memory", nil, 9, "create_entities"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := lasting(t)
			command, args := npmtest.Server(t, c.name)
			cmd := exec.CommandContext(ctx, command, append(args, c.args...)...)
			cmd.Env = npmtest.Env(t)
			// Not every one of them ends with its input: it is told to soon.
			transport := &mcp.CommandTransport{Command: cmd, TerminateDuration: 100 * time.Millisecond}
			cs, err := mcp.NewClient(&mcp.Implementation{Name: "npmtest", Version: "1"}, nil).Connect(ctx, transport, nil)
			if err != nil {
				t.Fatalf("connect: %v", err)
			}
			t.Cleanup(func() { cs.Close() })
			list, err := cs.ListTools(ctx, nil)
			if err != nil {
				t.Fatalf("tools/list: %v", err)
			}
			if !slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == c.one }) || len(list.Tools) != c.tools {
				t.Errorf("tools/list: got %d tools, want %d, and %s among them", len(list.Tools), c.tools, c.one)
			}
		})
	}
}

// loopback serves two tools with the SDK until the test ends.
func loopback(t *testing.T) (url string) {
	server := mcp.NewServer(&mcp.Implementation{Name: "loopback", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "echo"}, func(_ context.Context, _ *mcp.CallToolRequest, a in) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: a.Text}}}, nil, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, in) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("it went wrong")
	})
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// run runs a command line to its end.
func run(t *testing.T, env []string, line []string, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := exec.CommandContext(lasting(t), line[0], append(line[1:], args...)...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		t.Logf("%s: %v: %s", args, err, exit.Stderr)
	case err != nil:
		t.Fatalf("%s: %v", args, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func TestInspectorListsAndCalls(t *testing.T) {
	inspector, env, url := npmtest.Inspector(t), npmtest.Env(t), loopback(t)
	out, code := run(t, env, inspector, "--cli", url, "--transport", "http", "--method", "tools/list", "--format", "json")
	var list struct {
		Result struct {
			Tools []struct{ Name string }
		}
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("tools/list: got code %d and %q, %v", code, out, err)
	}
	if tools := list.Result.Tools; len(tools) != 2 || tools[0].Name != "echo" || tools[1].Name != "fail" {
		t.Errorf("tools/list: got %v, want echo and fail", tools)
	}
	for _, c := range []struct {
		tool, want string
		code       int
	}{{"echo", `"hello"`, 0}, {"fail", "it went wrong", 5}} {
		out, code := run(t, env, inspector, "--cli", url, "--transport", "http", "--method", "tools/call", "--tool-name", c.tool, "--tool-arg", "text=hello")
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: got code %d and %q, want %d and %s", c.tool, code, out, c.code, c.want)
		}
	}
}

func TestInspectorMissesAServer(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	if _, code := run(t, npmtest.Env(t), npmtest.Inspector(t), "--cli", srv.URL, "--transport", "http", "--method", "tools/list"); code != 4 {
		t.Errorf("nobody there: got code %d, want 4", code)
	}
}

func TestClaudeConnects(t *testing.T) {
	claude, env := npmtest.Claude(t), npmtest.Env(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, url := range map[string]string{"here": loopback(t), "gone": gone.URL} {
		if out, code := run(t, env, claude, "mcp", "add", "--transport", "http", "--scope", "user", name, url); code != 0 {
			t.Fatalf("mcp add: got code %d and %s", code, out)
		}
	}
	out, code := run(t, env, claude, "mcp", "list")
	if code != 0 {
		t.Errorf("mcp list: got code %d, want 0", code)
	}
	for name, want := range map[string]string{"here": "✔ Connected", "gone": "✘ Failed to connect"} {
		_, line, _ := strings.Cut(out, name+": ")
		if line, _, _ = strings.Cut(line, "\n"); !strings.Contains(line, want) {
			t.Errorf("mcp list: got %q for %s, want %s", line, name, want)
		}
	}
}

func TestGeminiValidates(t *testing.T) {
	gemini, env := npmtest.Gemini(t), npmtest.GeminiEnv(t)
	for manifest, want := range map[string]int{`{"name": "x", "version": "1.0.0"}`: 0, `{"name": "x"}`: 1} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "gemini-extension.json"), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, code := run(t, env, gemini, "extensions", "validate", dir); code != want {
			t.Errorf("extensions validate of %s: got code %d, want %d", manifest, code, want)
		}
	}
}

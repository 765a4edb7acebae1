//go:build linux && amd64

package interop

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/npmtest"
)

// run runs a client to its end, in a directory.
func run(t *testing.T, dir string, env, argv []string) (stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, errs strings.Builder
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, dir, &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%q: %v, want 0\n%s%s", argv, err, &out, &errs)
	}
	return out.String(), errs.String()
}

// scripts connects the clients of both lines of the TypeScript SDK over HTTP, and
// to a mortise serve --stdio that they start.
func scripts(t *testing.T, over served, few place) {
	workspace := filepath.Join(few.Dir, "workspace")
	for _, c := range []struct{ name, line, mode, revision string }{
		{"sdk", "v1", "legacy", legacy},
		{"client", "v2", "legacy", legacy},
		{"client, auto", "v2", "auto", modern},
		{"client, pinned", "v2", modern, modern},
	} {
		for way, target := range map[string][]string{
			"HTTP":  {over.url},
			"stdio": {"--", over.mortise, "--workspace", workspace, "serve", "--stdio"},
		} {
			t.Run(c.name+" over "+way, func(t *testing.T) {
				argv := []string{npmtest.Node(t), "client.mjs", over.modules, c.line, c.mode, "owner_hello__add", `{"a": 1, "b": 2}`}
				out, _ := run(t, "", append(npmtest.Env(t), few.Env()...), append(argv, target...))
				var got struct {
					Revision, Text string
					Tools          int
				}
				if err := json.Unmarshal([]byte(out), &got); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				if got.Revision != c.revision || got.Text != "The sum is: 3" || got.Tools < 6 {
					t.Errorf("got %+v, want %s, the sum, and all tools", got, c.revision)
				}
			})
		}
	}
}

// inspects has the inspector list and call, in both eras.
func inspects(t *testing.T, s served) {
	inspector, env := npmtest.Inspector(t), npmtest.Env(t)
	for _, era := range []string{"legacy", "modern"} {
		ask := func(args ...string) string {
			line := slices.Concat(inspector, []string{"--cli", s.url, "--transport", "http", "--protocol-era", era}, args)
			out, _ := run(t, t.TempDir(), env, line)
			return out
		}
		list := ask("--method", "tools/list", "--format", "json")
		for _, tool := range []string{`"mortise_list"`, `"owner_hello__add"`, `"owner_mongodb__find"`} {
			if !strings.Contains(list, tool) {
				t.Errorf("%s, tools/list: got %.2000s, want %s", era, list, tool)
			}
		}
		if out := ask("--method", "tools/call", "--tool-name", "owner_everything__echo", "--tool-arg", "message=hello"); !strings.Contains(out, "Echo: hello") {
			t.Errorf("%s, tools/call: got %s, want the echo", era, out)
		}
	}
}

// A client is told of Mortise by the line that serve prints for it, and of another
// server that is not there. What it then says of each is what counts: most end with
// 0 whatever they found.
type cli struct {
	name, program string
	argv          func(*testing.T, served) []string
	env           func(testing.TB) []string
	lists         string // the command that says how its servers are
	here, gone    string // what it says of one that it could connect to, and of the other; URL is the address
}

var clis = []cli{
	{name: "Claude Code", program: "claude", env: npmtest.Env, lists: "claude mcp list",
		argv: func(t *testing.T, _ served) []string { return npmtest.Claude(t) },
		here: `mortise: URL \(HTTP\) - ✔ Connected`, gone: `gone: URL \(HTTP\) - ✘ Failed to connect`},
	{name: "Codex", program: "codex", env: quiet, lists: "codex mcp list",
		argv: func(_ *testing.T, s served) []string {
			return []string{filepath.Join(s.pkg("@openai/codex-linux-x64"), "vendor", "x86_64-unknown-linux-musl", "bin", "codex")}
		},
		here: `mortise +URL .* enabled`, gone: `gone +URL .* enabled`}, // it reads, and connects to nothing
	{name: "Gemini CLI", program: "gemini", env: quiet, lists: "gemini mcp list",
		argv: func(t *testing.T, _ served) []string { return npmtest.Gemini(t) },
		here: `✓ mortise: URL \(http\) - Connected`, gone: `✗ gone: URL \(http\) - Disconnected`},
	{name: "OpenCode", program: "opencode", env: quiet, lists: "opencode mcp list",
		argv: func(_ *testing.T, s served) []string {
			return []string{filepath.Join(s.pkg("opencode-linux-x64"), "bin", "opencode")}
		},
		here: `✓ mortise connected\n.*URL`, gone: `✗ gone failed\n(.*\n)?.*URL`},
}

// quiet is the environment of clients that are kept from the network, with a home
// of their own.
func quiet(t testing.TB) []string {
	t.Helper()
	return append(npmtest.GeminiEnv(t), "GEMINI_CLI_TRUST_WORKSPACE=true", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1")
}

var styled = regexp.MustCompile("\x1b\\[[0-9;]*m")

// connects gives each client the line that serve prints for it.
func connects(t *testing.T, s served) {
	const nobody = "http://127.0.0.1:9/mcp"
	for _, c := range clis {
		t.Run(c.name, func(t *testing.T) {
			line, env, dir, bin := s.lines[c.name], c.env(t), t.TempDir(), t.TempDir()
			if line == "" {
				t.Fatalf("serve has no line for it: %q", s.lines)
			}
			program := filepath.Join(bin, c.program)
			script := "#!/bin/sh\nexec '" + strings.Join(c.argv(t, s), "' '") + "' \"$@\"\n"
			if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			env = append(env, "PATH="+bin+":/usr/bin:/bin")
			shell := func(line string) string {
				out, errs := run(t, dir, env, []string{"/bin/sh", "-c", line})
				return styled.ReplaceAllString(out+errs, "")
			}
			shell(line)
			shell(strings.ReplaceAll(strings.Replace(line, " mortise ", " gone ", 1), s.url, nobody))
			said := shell(c.lists)
			for want, url := range map[string]string{c.here: s.url, c.gone: nobody} {
				if want = strings.ReplaceAll(want, "URL", regexp.QuoteMeta(url)); !regexp.MustCompile(want).MatchString(said) {
					t.Errorf("%s: got %s, want %s", c.lists, said, want)
				}
			}
		})
	}
}

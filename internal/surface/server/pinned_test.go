package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// TestPinned wants every way to fetch a package at the start to be told where it
// does not name one version, and none that does, or that fetches nothing.
func TestPinned(t *testing.T) {
	for line, want := range map[string]string{
		"npx -y some-server": `npx "some-server"`, "npx some-server@latest": `npx "some-server@latest"`, "npx some-server@^1.2.3": `npx "some-server@^1.2.3"`,
		"npx some-server@1.2": `npx "some-server@1.2"`, "npx @scope/some-server": `npx "@scope/some-server"`, "npx.cmd x": `npx "x"`, "cmd /c npx -y x": `npx "x"`,
		"/usr/bin/npx x": `npx "x"`, "npx -p x x-bin": `npx "x"`, "npx --package=x@1.2.3 -p y bin": `npx "y"`, "npx --registry https://r.example/ x": `npx "x"`,
		"npm exec -- x": `npm exec "x"`, "bunx x": `bunx "x"`, "bun x y": `bun x "y"`, "pnpm dlx x": `pnpm dlx "x"`, "pnpx x": `pnpx "x"`, "yarn dlx x": `yarn dlx "x"`,
		"npx github:a/b": `npx "github:a/b"`, "uvx x": `uvx "x"`, "uvx x>=1.2": `uvx "x>=1.2"`, "uvx x==1.*": `uvx "x==1.*"`, "uvx --from x y": `uvx "x"`,
		"uvx --python 3.12 x": `uvx "x"`, "uv tool run x": `uv tool run "x"`, "pipx run x": `pipx run "x"`, "pipx run --spec x y": `pipx run "x"`,
		"uvx --from git+https://h.example/x y": `uvx "git+https://h.example/x"`, "uvx --from git+https://h.example/x@main y": `uvx "git+https://h.example/x@main"`,

		"npx some-server@1.2.3": "", "npx -y @scope/some-server@1.2.3-beta.1": "", "npx -p x@1.2.3 bin": "", "npx ./bin": "", "npx ${PLUGIN_ROOT}/x": "",
		"npx github:a/b#0123456789012345678901234567890123456789": "", "uvx x==1.2": "", "uvx x@1.2.3": "", "uvx x[cli]==1.2.3": "", "uvx --from ./x y": "",
		"uvx --from git+https://h.example/x@0123456789012345678901234567890123456789 y": "", "pipx run --spec x==1 y": "",
		"npx": "", "npx -y": "", "npx -p": "", "npm run x": "", "uv run x": "", "node x": "", "cmd /c": "", "bun": "",
	} {
		words := strings.Fields(line)
		raw, err := json.Marshal(map[string]any{"$schema": server.Schema, "mcpServers": map[string]any{"s": map[string]any{"type": "stdio", "command": words[0], "args": words[1:]}}})
		if err != nil {
			t.Fatal(err)
		}
		o := ext.Origin{Extension: "acme", Source: "path:acme", Trust: ext.Plugin}
		d, findings := doc.JSON(o, raw)
		if findings.Failed() {
			t.Fatal(findings)
		}
		got := ""
		for _, e := range server.Surface.Decode([]surface.Document{{Origin: o, Path: "mcp.json", Doc: d}}) {
			for _, f := range e.Findings {
				if f.Check == server.Unpinned {
					got += strings.TrimSuffix(f.Message, " names no exact version")
				}
			}
		}
		if got != want {
			t.Errorf("%s: got %q told, want %q", line, got, want)
		}
	}
}

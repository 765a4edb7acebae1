package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// serve times a start: from the process's to the first answered tools/list of
// ten tools, seven of which a server offers that is not there yet. The state is
// warm: what the server said is remembered.
func (b *bench) serve() ([]row, error) {
	dir := filepath.Join(b.dir, "served")
	if err := tenTools(dir); err != nil {
		return nil, err
	}
	if _, err := b.time(program{name: b.bin("mortise"), args: []string{"--workspace", dir, "trust", "--yes"}}); err != nil {
		return nil, err
	}
	if _, err := b.start(dir, 10, true); err != nil { // so that the server's tools are remembered
		return nil, err
	}
	db := filepath.Join(b.dir, "home", "state", "state.db")
	var floors, starts []time.Duration
	for round := range b.rounds + 1 {
		f, err := b.time(program{name: b.bin("bare"), args: []string{db}})
		if err != nil {
			return nil, err
		}
		s, err := b.start(dir, 10, false)
		if err != nil {
			return nil, err
		}
		if round > 0 {
			floors, starts = append(floors, f), append(starts, s)
		}
	}
	f, s := median(floors), median(starts)
	return []row{{
		name: "serve to the first tools/list, 10 tools", subject: s, floor: f, floorIs: "(a bare command with SQLite)",
		ratio: ratio(s, f), target: 60.0 / 15.0, promised: 60 * time.Millisecond,
	}}, nil
}

// tenTools writes a workspace with a server of seven tools.
func tenTools(dir string) error {
	var tools []string
	for i := range 7 {
		tools = append(tools, fmt.Sprintf(`{"name":"tool_%d","description":"Number %d.","inputSchema":{"type":"object"}}`, i, i))
	}
	script := `#!/bin/sh
while IFS= read -r message; do
  id=$(printf '%s' "$message" | sed -n 's/.*"id" *: *\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case $message in
  *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"seven","version":"1"}}' ;;
  *'"tools/list"'*) result='{"tools":[` + strings.Join(tools, ",") + `]}' ;;
  *) result='{"content":[]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
`
	for name, text := range map[string]string{
		"mortise.toml": "", ".mortise/mcp.json": `{"mcpServers":{"seven":{"command":"./seven"}}}`, ".mortise/seven": script,
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o755)); err != nil {
			return err
		}
	}
	return nil
}

// start serves a workspace and returns how long it took to the first answered
// tools/list, which must have so many tools; waiting asks until it has.
func (b *bench) start(dir string, tools int, waiting bool) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeout(b.ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.bin("mortise"), "--workspace", dir, "serve", "--http", "127.0.0.1:0", "--json")
	cmd.Env = append(os.Environ(), "MORTISE_HOME="+filepath.Join(b.dir, "home"))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // it was asked to end
	}()
	var said struct{ URL string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		return 0, fmt.Errorf("read what serve says: %w", err)
	}
	c := client{url: said.URL}
	if _, err := c.ask(ctx, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`); err != nil {
		return 0, err
	}
	for {
		answer, err := c.ask(ctx, "tools/list", "{}")
		took = time.Since(began)
		n := strings.Count(answer, `"inputSchema"`)
		switch {
		case err != nil || n == tools:
			return took, err
		case !waiting:
			return took, fmt.Errorf("%d tools are listed, want %d", n, tools)
		}
	}
}

// client is the least that speaks MCP over HTTP.
type client struct{ url, session string }

func (c *client) ask(ctx context.Context, method, params string) (string, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewBufferString(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		err = errors.Join(err, fmt.Errorf("%s: %s", method, res.Status))
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return string(text), err
}

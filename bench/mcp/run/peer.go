package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// hub is the version of mcp-hub that is measured.
const hub = "mcp-hub@4.2.1"

// startPeer starts another gateway in front of an address, as a target.
func (s *stage) startPeer(up string) {
	if s.peer != "mcp-hub" {
		s.faults = append(s.faults, fmt.Errorf("no peer %q is known here: say mcp-hub", s.peer))
		return
	}
	dir := filepath.Join(s.peers, hub)
	program := filepath.Join(dir, "node_modules", "mcp-hub", "dist", "cli.js")
	if _, err := os.Stat(program); err != nil {
		cmd := exec.CommandContext(s.ctx, "npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, hub)
		if out, err := cmd.CombinedOutput(); err != nil {
			s.faults = append(s.faults, fmt.Errorf("install %s: %w\n%s", hub, err, out))
			return
		}
	}
	url, p, err := s.hub(program, up)
	if s.keep("", p, err) != "" {
		s.targets = append(s.targets, fmt.Sprintf("mcp-hub=sse:%s@%d", url, p.PID()))
	}
}

// hub starts mcp-hub and waits until it serves, since it says so in no way that a
// program reads.
func (s *stage) hub(program, up string) (url string, p *rig.Process, err error) {
	dir := s.fresh("hub")
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]string{"url": up}}})
	if err != nil {
		return "", nil, err
	}
	address, err := rig.FreeAddress()
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(dir, "servers.json")
	if err := os.WriteFile(file, config, 0o644); err != nil {
		return "", nil, err
	}
	url = "http://" + address + "/mcp"
	port := address[len("127.0.0.1:"):]
	p, err = rig.Start(s.ctx, rig.Command{
		Argv: []string{"node", program, "--port", port, "--config", file},
		Env:  []string{"HOME=" + dir, "XDG_STATE_HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_DATA_HOME=" + dir},
		Log:  filepath.Join(dir, "log"),
		Where: func(io.Reader) (string, error) {
			return url, healthy(s.ctx, "http://"+address+"/api/health")
		},
	})
	return url, p, err
}

// healthy waits until an address answers that its one server is connected.
func healthy(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var last error
	for {
		var state struct{ Servers []struct{ Status string } }
		if last = get(ctx, url, &state); last == nil && len(state.Servers) == 1 && state.Servers[0].Status == "connected" {
			return nil
		}
		if rig.Pause(ctx, 50*time.Millisecond) != nil {
			return errors.Join(fmt.Errorf("mcp-hub is not ready: %+v", state), last)
		}
	}
}

func get(ctx context.Context, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return json.NewDecoder(res.Body).Decode(into)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// hook times what a client waits for before each call of its own tools: a whole
// process of mortise hook, answered by the host that runs.
func (b *bench) hook() ([]row, error) {
	dir := filepath.Join(b.dir, "hooked")
	if err := hooked(dir); err != nil {
		return nil, err
	}
	if _, err := b.time(program{name: b.bin("mortise"), args: []string{"--workspace", dir, "trust", "--yes"}}); err != nil {
		return nil, err
	}
	stop, err := b.background(dir)
	if err != nil {
		return nil, err
	}
	defer stop()
	event := fmt.Sprintf(`{"session_id":"s","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, dir)
	asked := program{name: b.bin("mortise"), args: []string{"--workspace", dir, "hook", "claude-code", "PreToolUse"}, stdin: event}
	took, err := b.interleave(program{name: b.bin("bare"), args: []string{filepath.Join(b.dir, "home", "state", "state.db")}}, asked)
	if err != nil {
		return nil, err
	}
	return []row{{
		name: "mortise hook, answered by a running host", subject: took[1], floor: took[0], floorIs: "(a bare command with SQLite)",
		ratio: ratio(took[1], took[0]), target: 25.0 / 15.0, promised: 25 * time.Millisecond,
	}}, nil
}

// hooked writes a workspace with a policy for the shell.
func hooked(dir string) error {
	for name, text := range map[string]string{
		"mortise.toml":                "",
		".mortise/policies/calm.yaml": "outcome: deny\nmessage: not here\ntools: [Bash]\nwhen: arguments.command.startsWith(\"rm \")\n",
	} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// background serves a workspace until stop is called.
func (b *bench) background(dir string) (stop func(), err error) {
	ctx, cancel := context.WithCancel(b.ctx)
	cmd := exec.CommandContext(ctx, b.bin("mortise"), "--workspace", dir, "serve", "--http", "127.0.0.1:0", "--json")
	cmd.Env = append(os.Environ(), "MORTISE_HOME="+filepath.Join(b.dir, "home"))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	stop = func() {
		cancel()
		_ = cmd.Wait() // it was asked to end
	}
	var said struct{ URL string }
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		stop()
		return nil, fmt.Errorf("read what serve says: %w", err)
	}
	return stop, nil
}

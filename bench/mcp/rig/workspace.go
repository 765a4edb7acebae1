package rig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Server is how a server is declared: by its URL, or by its command.
type Server struct {
	URL  string
	Argv []string
	Env  map[string]string // besides what Mortise gives it
}

// Workspace is a workspace of Mortise with a home of its own, so that nothing of
// the person who measures is read or written.
type Workspace struct {
	Mortise string // the program
	Dir     string
}

// NewWorkspace writes a workspace with these servers and 100 policies, of which
// three are about calls of a tool named tool, and adopts it. The log of calls is
// on, as it always is, and what the servers first say is pinned when they run.
func NewWorkspace(ctx context.Context, mortise, dir string, servers map[string]Server, tool string) (*Workspace, error) {
	w := &Workspace{Mortise: mortise, Dir: dir}
	declared, err := declare(servers)
	if err != nil {
		return nil, err
	}
	files := policies(tool)
	files["mortise.toml"] = ""
	files[".mortise/mcp.json"] = declared
	for name, text := range files {
		if err := write(filepath.Join(w.dir(), filepath.FromSlash(name)), text); err != nil {
			return nil, err
		}
	}
	if _, err := w.Run(ctx, "trust", "--yes"); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *Workspace) dir() string { return filepath.Join(w.Dir, "workspace") }

// Env is what the environment must say besides for commands of the workspace.
func (w *Workspace) Env() []string { return []string{"MORTISE_HOME=" + filepath.Join(w.Dir, "home")} }

// Run runs a command of Mortise in the workspace and is what it printed.
func (w *Workspace) Run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, w.Mortise, append([]string{"--workspace", w.dir()}, args...)...)
	cmd.Env = append(os.Environ(), w.Env()...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("mortise %s: %w\n%s", args[0], err, out)
	}
	return out, nil
}

// Serve serves the workspace at a free address, with args besides.
func (w *Workspace) Serve(ctx context.Context, args ...string) (*Process, error) {
	return Start(ctx, Command{Argv: w.Argv("127.0.0.1:0", args...), Env: w.Env(), Log: filepath.Join(w.Dir, "serve.log"), Where: jsonURL})
}

// Argv is the command that serves the workspace at an address, with args besides.
// It needs Env.
func (w *Workspace) Argv(address string, args ...string) []string {
	return append([]string{w.Mortise, "--workspace", w.dir(), "serve", "--json", "--http", address}, args...)
}

func declare(servers map[string]Server) (string, error) {
	all := map[string]any{}
	for name, s := range servers {
		if s.URL != "" {
			all[name] = map[string]any{"type": "streamable-http", "url": s.URL}
			continue
		}
		entry := map[string]any{"type": "stdio", "command": s.Argv[0], "args": s.Argv[1:]}
		if s.Env != nil {
			entry["env"] = s.Env
		}
		all[name] = entry
	}
	b, err := json.MarshalIndent(map[string]any{"mcpServers": all}, "", "  ")
	return string(b), err
}

// policies are 100, none of which denies a call that is made here: three are
// about the tool, and are judged at each call; the others are about tools that
// are not there, half of them by their fields and half by their conditions.
func policies(tool string) map[string]string {
	texts := []string{
		fmt.Sprintf("tools: [%q]\nwhen: arguments.text == \"forbidden\"\n", "*"+tool),
		fmt.Sprintf("when: tool.endsWith(%q) && client == \"somebody else\"\n", tool),
		fmt.Sprintf("tools: [%q]\nwhen: size(arguments.text) > 1000000\n", "*"+tool),
	}
	for i := len(texts); i < 100; i++ {
		text := fmt.Sprintf("tools: [\"absent%d_*\"]\nwhen: session.startsWith(\"z\")\n", i)
		if i%2 == 0 {
			text = fmt.Sprintf("when: tool == \"absent%d\" && session.startsWith(\"z\")\n", i)
		}
		texts = append(texts, text)
	}
	files := map[string]string{}
	for i, text := range texts {
		files[".mortise/policies/p"+strconv.Itoa(i)+".yaml"] = "outcome: deny\nmessage: Not here.\n" + text
	}
	return files
}

func write(file, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
}

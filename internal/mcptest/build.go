package mcptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Build makes the server as a program of its own in dir, which it creates, and
// returns its path. The program takes modes as arguments, and needs nothing in
// its environment; it is for plugins that bring their server along.
func Build(t testing.TB, dir string) (path string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "mcptestserver")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/mortise-dev/mortise/internal/mcptest/mcptestserver")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build mcptestserver: %v\n%s", err, out)
	}
	return path
}

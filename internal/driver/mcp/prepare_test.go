package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDataDirectoryCannotBeMade wants the error to say what to do.
func TestDataDirectoryCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := prepare(&Target{Root: t.TempDir(), Data: filepath.Join(file, "data")}, nil)
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "set MORTISE_HOME to another directory") {
		t.Errorf("got %v, want the directory and what to do", err)
	}
}

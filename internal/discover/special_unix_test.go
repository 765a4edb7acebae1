//go:build unix

package discover_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
)

func mkfifo(name string) error { return syscall.Mkfifo(name, 0o644) }

// TestContentOpensNoSpecialFile wants a pipe to count as one and never to be
// waited for.
func TestContentOpensNoSpecialFile(t *testing.T) {
	with, without := golden.Dir(t, golden.Files("f", "f")), golden.Dir(t, golden.Files("f", "f"))
	if err := mkfifo(filepath.Join(with, "pipe")); err != nil {
		t.Skip("no pipes here: ", err)
	}
	a, b := contentOf(t, with, nil), contentOf(t, without, nil)
	if a == b {
		t.Error("a pipe more: got the same digest, want another")
	}
	plain := golden.Dir(t, golden.Files("f", "f", "pipe", ""))
	if contentOf(t, plain, nil) == a {
		t.Error("a file in the pipe's place: got the same digest, want another")
	}
}

//go:build !windows

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// queries are the sequences by which a program asks a terminal something: for
// its colours, its kind, the place of its cursor, a setting.
var queries = regexp.MustCompile(`\x1b\][^\x07]*|\x1b\[[0-9;?>=]*[cnptux]|\x1bP|\x1b\[\?[0-9;]*\$p`)

// inTerminal runs a command in a pseudo-terminal that nobody answers for.
func inTerminal(t *testing.T, columns uint16, args ...string) []byte {
	t.Helper()
	const patience = 20 * time.Second // far longer than it takes, on any machine
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "mortise", args...)
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "MORTISE_HOME="+t.TempDir())
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: columns})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	defer tty.Close()
	var out bytes.Buffer
	if _, err := io.Copy(&out, tty); err != nil && !errors.Is(err, syscall.EIO) { // EIO is the end of a pty on Linux
		t.Fatalf("read the terminal: %v", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("mortise %q in a terminal that answers nothing: %v, want it to end promptly\n%s", args, err, out.Bytes())
	}
	return out.Bytes()
}

// TestTerminalIsNotAsked: a program that asks for the terminal's colours blocks
// for seconds where nobody answers.
func TestTerminalIsNotAsked(t *testing.T) {
	for _, args := range [][]string{
		{"list"}, {"--workspace", "../../examples/workshop", "list"}, {"--help"}, {"session"}, {"--workspace", "../../examples/workshop", "explain", "release"},
	} {
		out := inTerminal(t, 80, args...)
		if q := queries.Find(out); q != nil {
			t.Errorf("mortise %q wrote %q, want nothing that asks the terminal", args, q)
		}
		if !bytes.Contains(out, []byte("\x1b[1m")) {
			t.Errorf("mortise %q: got no colours in a terminal:\n%s", args, out)
		}
	}
}

// TestTerminalLinesFit: on a terminal descriptions are shortened to its width,
// so that a table stays one.
func TestTerminalLinesFit(t *testing.T) {
	codes := regexp.MustCompile(`\x1b\[[0-9]*m`)
	out := codes.ReplaceAll(inTerminal(t, 80, "--workspace", "../../examples/workshop", "list", "skill"), nil)
	for line := range bytes.Lines(out) {
		line = bytes.TrimRight(line, "\r\n")
		if n := len(bytes.Runes(line)); n > 80 && bytes.HasPrefix(line, []byte("  ")) {
			t.Errorf("a line of %d characters, want at most 80: %s", n, line)
		}
	}
}

// TestTaskIsEditedInTheEditor: on a terminal a task is opened with the person's own
// editor. What it wrote is taken when it ends; where that would be refused, the text
// is not lost. Nothing of the place where that was done stays.
func TestTaskIsEditedInTheEditor(t *testing.T) {
	work, drafts := t.TempDir(), t.TempDir()
	editor := filepath.Join(t.TempDir(), "editor")
	t.Setenv("TMPDIR", drafts)
	t.Setenv("VISUAL", "")
	edit := func(script string) string {
		t.Helper()
		if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("EDITOR", editor+" --wait")
		return string(inTerminal(t, 80, "--workspace", work, "task", "edit", "tidy"))
	}
	write(t, filepath.Join(work, ".mortise", "tasks", "tidy", "TASK.md"), "---\ndescription: Tidy.\n---\nTidy.\n")
	if out := edit(`test "$1" = --wait && sed 's/^Tidy.$/Tidy up./' "$2" > "$2.x" && mv "$2.x" "$2"`); !strings.Contains(out, "Edited") {
		t.Errorf("mortise task edit: got %s", out)
	}
	data, err := os.ReadFile(filepath.Join(work, ".mortise", "tasks", "tidy", "TASK.md"))
	if err != nil || string(data) != "---\ndescription: Tidy.\n---\nTidy up.\n" {
		t.Errorf("the task: got %q and error %v, want what the editor wrote", data, err)
	}
	if out := edit(`true`); !strings.Contains(out, "nothing was changed") {
		t.Errorf("mortise task edit of nothing: got %s", out)
	}
	left, err := os.ReadDir(drafts)
	if err != nil || len(left) != 0 {
		t.Errorf("left of editing: got %v and error %v, want nothing", left, err)
	}
}

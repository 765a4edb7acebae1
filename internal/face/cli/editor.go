package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/internal/surface/task"
)

// edited has a person edit a text with their editor. draft is the file in which
// that was done; who is done with it discards it.
func (c *call) edited(ctx context.Context, text []byte) (now []byte, draft string, err error) {
	editor := strings.Fields(cmp.Or(c.getenv("VISUAL"), c.getenv("EDITOR")))
	if len(editor) == 0 {
		return nil, "", usage("no editor is named: set $EDITOR, or give the new text with --file FILE, or - for standard input")
	}
	dir, err := os.MkdirTemp("", "mortise-task-")
	if err != nil {
		return nil, "", fmt.Errorf("make a place to edit in: %w", err)
	}
	draft = filepath.Join(dir, task.File)
	if err := os.WriteFile(draft, text, 0o600); err != nil {
		c.discard(draft)
		return nil, "", fmt.Errorf("make a place to edit in: %w", err)
	}
	if err := c.flush(); err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], draft)...) //nolint:gosec // the person's own editor
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = c.In, c.Out, c.Err, c.Env
	if err := cmd.Run(); err != nil {
		return nil, "", fmt.Errorf("run the editor %s: %w; what was written there is in %s", quote(editor[0]), err, quote(draft))
	}
	if now, err = os.ReadFile(draft); err != nil {
		return nil, "", fmt.Errorf("read what was edited: %w", err)
	}
	return now, draft, tooLarge(now)
}

// discard takes a draft away, with the directory that was made for it.
func (c *call) discard(draft string) {
	_ = os.Remove(draft)               // what an editor left beside it stays, and so does
	_ = os.Remove(filepath.Dir(draft)) // then the directory
}

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/surface"
)

// programs reach the programs of extensions that answer hooks of plans, and leave all else
// to next.
type programs struct {
	dirs     map[ext.Name]plan.Dirs
	worktree string
	run      guard.Runner // nil: none is run
	next     call.Caller
}

// Call runs a program of the extension that the reference's target names. It gets the
// question on its standard input, and what it writes is its answer.
func (p programs) Call(ctx context.Context, ref ext.Ref, question json.RawMessage) (json.RawMessage, error) {
	if ref.Driver != surface.Program {
		return p.next.Call(ctx, ref, question)
	}
	if p.run == nil {
		return nil, fmt.Errorf("its program %s is not run here", ext.Quote(ref.Name))
	}
	dirs := p.dirs[ext.Name(ref.Target)]
	file, err := within(dirs.Root, ref.Name)
	if err != nil {
		return nil, err
	}
	ran, err := p.run(ctx, guard.Program{
		Argv: []string{file}, Within: WithinHook, Dir: p.worktree, Input: append(bytes.Clone(question), '\n'), Data: dirs.Data,
		Env: []string{"PLUGIN_ROOT=" + dirs.Root, "PLUGIN_DATA=" + dirs.Data},
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("its program %s: %w", ext.Quote(ref.Name), err)
	case ran.Exit != 0:
		return nil, fmt.Errorf("its program %s ended with %d%s", ext.Quote(ref.Name), ran.Exit, lastLine(ran.Stderr))
	}
	return bytes.TrimSpace(ran.Stdout), nil
}

// within is a file below a root, which no link leads out of, nor to what the digest of an
// extension leaves out: that could change after it was granted.
func within(root, name string) (string, error) {
	if root == "" {
		return "", errors.New("its extension has no directory")
	}
	base, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", err
	}
	file, err := filepath.EvalSymlinks(filepath.Join(base, filepath.FromSlash(name)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(base, file)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		return "", fmt.Errorf("its program %s leads out of its extension", ext.Quote(name))
	case !discover.Counts(filepath.ToSlash(rel)):
		return "", fmt.Errorf("its program %s is at %s, which no grant covers", ext.Quote(name), ext.Quote(filepath.ToSlash(rel)))
	}
	return file, nil
}

// lastLine is what a program said last, as the end of a sentence; "" where it said
// nothing. Who shows it escapes it.
func lastLine(out []byte) string {
	text := strings.TrimSpace(string(out))
	if text == "" {
		return ""
	}
	return ": " + ext.Shorten(text[strings.LastIndexByte(text, '\n')+1:], 300)
}

// answering is what runs programs that answer hooks.
func (o *Options) answering() guard.Runner {
	if o.Within {
		return nil
	}
	return o.Run
}

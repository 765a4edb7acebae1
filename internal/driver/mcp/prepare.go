package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
)

// prepare is the process that an expanded target is. It makes the plugin's
// data directory.
func prepare(t *Target, host []string) (child.Spec, error) {
	var s child.Spec
	if t.Root == "" {
		return s, refuse("its plugin has no root directory")
	}
	if t.Data != "" {
		if err := os.MkdirAll(t.Data, 0o700); err != nil {
			return s, fmt.Errorf("make its data directory: %w: make it writable for this user, or set MORTISE_HOME to another directory", err)
		}
	}
	s.Args = t.Args
	s.Env = Environment(host, t.Env, t.Root, t.Data)
	var err error
	if s.Dir, err = directory(t); err == nil {
		s.Path, err = program(t)
	}
	return s, err
}

// directory is where a process starts: the root, or what was declared, which
// has to lie inside the root or the data directory when links are followed.
func directory(t *Target) (string, error) {
	if t.Cwd == "" {
		return t.Root, nil
	}
	dir := t.Cwd
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(t.Root, filepath.FromSlash(dir))
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", refuse("its working directory %s is not there", ext.Quote(t.Cwd))
	}
	if !inside(resolved, t.Root) && (t.Data == "" || !inside(resolved, t.Data)) {
		return "", refuse("its working directory %s lies outside its plugin and its data", ext.Quote(t.Cwd))
	}
	if info, err := os.Stat(resolved); err != nil || !info.IsDir() {
		return "", refuse("its working directory %s is no directory", ext.Quote(t.Cwd))
	}
	return resolved, nil
}

// inside reports whether the resolved path is dir or lies below it.
func inside(path, dir string) bool {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(resolved, path)
	return err == nil && filepath.IsLocal(rel)
}

// program is what to run: a path below the root, an absolute path, or a bare
// name, which is looked for along the process's own PATH.
func program(t *Target) (string, error) {
	name := t.Command
	switch {
	case name == "":
		return "", refuse("it has no command")
	case filepath.IsAbs(name) || !strings.ContainsAny(name, `/`+string(filepath.Separator)):
		return name, nil
	}
	return below(t.Root, name)
}

// below is the path of a program in the plugin. Links are followed to see
// where it lies, and left as they are: a program may look at its own name.
func below(root, name string) (string, error) {
	path := filepath.Join(root, filepath.FromSlash(name))
	resolved, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("start it: there is no file %s in its plugin", ext.Quote(name))
	case err != nil:
		return "", fmt.Errorf("start it: %s cannot be followed to a file", ext.Quote(name))
	case !inside(resolved, root):
		return "", refuse("its command %s leads outside its plugin", ext.Quote(name))
	}
	return path, nil
}

// Found is where the program of a target lies that is a process, as it would be started
// now, or why it would not be. It starts nothing and makes nothing.
func Found(t Target, host []string) (string, error) {
	out, err := expand(&t, host)
	if err != nil {
		return "", err
	}
	if out.Root == "" {
		return "", refuse("its plugin has no root directory")
	}
	if _, err := directory(out); err != nil {
		return "", err
	}
	path, err := program(out)
	if err != nil {
		return "", err
	}
	return child.Find(path, Environment(host, out.Env, out.Root, out.Data))
}

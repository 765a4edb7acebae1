package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// find is the program's absolute path, or why it cannot run.
func (s Spec) find() (string, error) {
	switch {
	case s.Path == "":
		return "", errors.New("no program is named")
	case filepath.IsAbs(s.Path):
		return executable(s.Path, s.Env)
	case filepath.Base(s.Path) != s.Path || s.Path == "." || s.Path == "..":
		return "", errors.New("a program is named by an absolute path or a bare name")
	}
	path := variable(s.Env, "PATH")
	var denied error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // it would mean the current directory, or below
		}
		found, err := executable(filepath.Join(dir, s.Path), s.Env)
		if err == nil {
			return found, nil
		}
		if denied == nil && errors.Is(err, fs.ErrPermission) {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	return "", fmt.Errorf("not found in its PATH %s: %w", ext.Quote(path), fs.ErrNotExist)
}

// variable is the value of the first variable of that name, as a C program
// would see it.
func variable(env []string, name string) string {
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok && sameVariable(k, name) {
			return v
		}
	}
	return ""
}

// directory says why a program cannot start in dir, nil if nothing is known
// against it.
func directory(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return fmt.Errorf("its directory %s: %w", ext.Quote(dir), bare(err))
	case !info.IsDir():
		return fmt.Errorf("its directory %s is not a directory", ext.Quote(dir))
	}
	return nil
}

// explain says what the system's answer to starting o means.
func (o order) explain(answer error) error {
	if o.dir != "" {
		if err := directory(o.dir); err != nil {
			return err
		}
	}
	if _, err := executable(o.path, o.env); err != nil {
		return err
	}
	if errors.Is(answer, fs.ErrNotExist) {
		return fmt.Errorf("%s is there, but not the interpreter that it names: %w", ext.Quote(o.path), answer)
	}
	return fmt.Errorf("%s: %w", ext.Quote(o.path), answer)
}

// bare is err without the path that our messages name already.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// Find is where a program lies that Start would start: an absolute path, or a bare name
// that is looked up in the PATH of env. It starts nothing.
func Find(program string, env []string) (string, error) { return Spec{Path: program, Env: env}.find() }

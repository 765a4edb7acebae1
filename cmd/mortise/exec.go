package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// program is the file of a program: looked up in the PATH of an environment, unless the
// name says where it is.
func program(name string, environ []string) (string, error) {
	if strings.ContainsRune(name, filepath.Separator) || strings.ContainsRune(name, '/') {
		return name, nil
	}
	search := ""
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			search = value
		}
	}
	for _, dir := range filepath.SplitList(search) {
		if !filepath.IsAbs(dir) {
			continue // the current directory is no place for programs
		}
		if file, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return file, nil
		}
	}
	return "", ext.AsUsage(fmt.Errorf("there is no program %s in the PATH", ext.Quote(ext.Shorten(name, 80))))
}

var errNoProgram = errors.New("no program is named")

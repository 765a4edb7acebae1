package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// place is where the files of one claim lie.
type place struct{ dir, stem string }

const (
	recordEnd = ".json"
	lockEnd   = ".lock"
	socketEnd = ".sock"
)

// placeOf is the place of r, named after its workspace, and by the beginning of
// its ID where there may be several. The names are short for the sockets' sake.
func placeOf(dir string, r Record) place {
	stem := hashed(r.Workspace) + "." + r.Kind.String()
	if r.Kind != HTTP {
		stem += "." + r.ID[:min(len(r.ID), 12)]
	}
	return place{dir, stem}
}

func hashed(workspace string) string {
	sum := sha256.Sum256([]byte(filepath.Clean(workspace)))
	return hex.EncodeToString(sum[:10])
}

func (p place) path(end string) string { return filepath.Join(p.dir, p.stem+end) }

// prepare makes dir if it is missing, as a place for secrets.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return secluded(dir)
}

// secluded says why dir cannot hold secrets, nil if it can.
func secluded(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", ext.Quote(dir))
	case !owned(info):
		return fmt.Errorf("%s belongs to somebody else", ext.Quote(dir))
	case !private(info):
		return fmt.Errorf("others can look into %s: chmod 700 it", ext.Quote(dir))
	}
	return nil
}

const (
	// privatePrefix begins the name of a directory that holds one socket.
	privatePrefix = "mortise-"
	privateSocket = "control" + socketEnd
)

// socket is the path that the control socket of p can have, with nothing there.
func (p place) socket() (string, error) {
	if path := p.path(socketEnd); len(path) <= longestSocket {
		return path, clear(path)
	}
	var errs []error
	for _, parent := range temporary() {
		dir, err := os.MkdirTemp(parent, privatePrefix)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		path := filepath.Join(dir, privateSocket)
		if len(path) <= longestSocket {
			return path, nil
		}
		errs = append(errs, fmt.Errorf("%s is too long a path", ext.Quote(path)), os.Remove(dir))
	}
	return "", errors.Join(errs...)
}

// temporary is where private directories are made, shortest first.
func temporary() []string {
	if shortTemporary == "" {
		return []string{filepath.Clean(os.TempDir())}
	}
	return []string{shortTemporary, filepath.Clean(os.TempDir())}
}

// clear removes the socket that a host which is gone left at path.
func clear(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !socket(info) || !owned(info):
		return fmt.Errorf("%s is in the way: it is no socket of ours", ext.Quote(path))
	}
	return os.Remove(path)
}

// contains reports whether a control socket of p may lie at path: in the
// records' directory, or in a private one.
func (p place) contains(path string) bool {
	if path == p.path(socketEnd) {
		return true
	}
	if !inPrivate(path) {
		return false
	}
	info, err := os.Lstat(filepath.Dir(path))
	return err == nil && info.IsDir() && owned(info) && private(info)
}

// inPrivate reports whether path is named like a socket in a private directory.
func inPrivate(path string) bool {
	dir, name := filepath.Split(path)
	parent, private := filepath.Split(filepath.Clean(dir))
	number, ok := strings.CutPrefix(private, privatePrefix)
	return ok && name == privateSocket && number != "" && strings.Trim(number, "0123456789") == "" &&
		filepath.Clean(path) == path && slices.Contains(temporary(), filepath.Clean(parent))
}

// removePrivate removes the private directory of a socket that was removed, if
// it had one and nothing else is in it.
func removePrivate(path string) {
	if inPrivate(path) {
		_ = os.Remove(filepath.Dir(path))
	}
}

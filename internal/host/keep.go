package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// KeepIn keeps bytes in files of a directory, which is made when there is
// something to keep. Only the person may read them.
func KeepIn(dir string) Keep { return folderKeep(dir) }

type folderKeep string

func (k folderKeep) file(d ext.Digest) string {
	return filepath.Join(string(k), strings.TrimPrefix(d.String(), "sha256:")+".json")
}

// Put writes beside and renames, so that what is there is whole.
func (k folderKeep) Put(raw []byte) error {
	name := k.file(ext.Sum(raw))
	if k.Get(ext.Sum(raw)) != nil {
		return nil
	}
	if err := os.MkdirAll(string(k), 0o700); err != nil {
		return fmt.Errorf("keep it: %w", err)
	}
	f, err := os.CreateTemp(string(k), ".keep-*")
	if err != nil {
		return fmt.Errorf("keep it: %w", err)
	}
	_, err = f.Write(raw)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("keep it: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// Get reads what was kept, if it is what was.
func (k folderKeep) Get(d ext.Digest) []byte {
	info, err := os.Lstat(k.file(d))
	if err != nil || info.Mode().Type() != fs.FileMode(0) {
		return nil
	}
	raw, err := os.ReadFile(k.file(d))
	if err != nil || ext.Sum(raw) != d {
		return nil
	}
	return raw
}

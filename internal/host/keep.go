package host

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
)

// KeepIn keeps bytes in files of a directory, which is made when there is
// something to keep. Only the person may read them.
func KeepIn(dir string) Keep { return folderKeep{dir, file.ReplaceSynced} }

// KeepLooselyIn is KeepIn where nothing waits until the bytes are on the disk: for
// many, of which it is no harm when some are lost with the machine's power.
func KeepLooselyIn(dir string) Keep { return folderKeep{dir, file.Replace} }

type folderKeep struct {
	dir     string
	replace func(name string, data []byte) error
}

func (k folderKeep) file(d ext.Digest) string {
	return filepath.Join(k.dir, strings.TrimPrefix(d.String(), "sha256:")+".json")
}

// Put writes beside and renames, so that what is there is whole.
func (k folderKeep) Put(raw []byte) error {
	name := k.file(ext.Sum(raw))
	if k.Get(ext.Sum(raw)) != nil {
		return nil
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return fmt.Errorf("keep it: %w", err)
	}
	if err := k.replace(name, raw); err != nil {
		return fmt.Errorf("keep it: %w", err)
	}
	return nil
}

// Get reads what was kept, if it is what was.
func (k folderKeep) Get(d ext.Digest) []byte {
	f, err := file.Open(k.file(d))
	if err != nil {
		return nil
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	if err != nil || ext.Sum(raw) != d {
		return nil
	}
	return raw
}

package source

import (
	"errors"
	"io/fs"
	"path"
)

// Absent reports whether err, which looking at name gave, means that there is
// nothing of that name: no link that leads nowhere is there, nor on the way
// there, and nothing keeps anybody from looking.
func Absent(fsys fs.FS, name string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	for ; name != "."; name = path.Dir(name) {
		if info, err := fs.Lstat(fsys, name); err == nil {
			return info.Mode()&fs.ModeSymlink == 0
		}
	}
	return true
}

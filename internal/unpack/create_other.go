//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package unpack

import (
	"os"

	"github.com/mortise-dev/mortise/internal/root"
)

// folder is a directory that files are made in.
type folder struct{ open *os.Root }

func openFolder(in *os.Root, name string) (folder, error) {
	r, err := in.OpenRoot(name)
	return folder{r}, err
}

func (f folder) close() { f.open.Close() }

// create makes a file, under a name that has no slash and was judged.
func (f folder) create(name string, mode os.FileMode) (*fresh, error) {
	to, err := f.open.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	return &fresh{to}, nil
}

// fresh is a new file that is written.
type fresh struct{ *os.File }

func (f *fresh) stamp() (root.Stamp, error) { return root.StampFile(f.File) }

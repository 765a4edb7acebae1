//go:build !unix

package host

import (
	"io/fs"
	"os"
)

func keepOwner(*os.File, fs.FileInfo) error { return nil }

// hardLinks is how many names a file has; here that is not known.
func hardLinks(fs.FileInfo) uint64 { return 1 }

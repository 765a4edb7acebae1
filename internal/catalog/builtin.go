package catalog

import (
	"embed"
	"io/fs"
)

//go:embed builtin
var embedded embed.FS

// builtinFiles is the extension that is compiled in, in the canonical layout.
func builtinFiles() fs.FS {
	files, err := fs.Sub(embedded, "builtin")
	if err != nil {
		panic(err) // the path is a constant and valid
	}
	return files
}

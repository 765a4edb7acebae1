package source

import "io/fs"

// Type is the type of what a name leads to, which a file system often knows
// without looking. An error is that of fs.Stat.
func Type(fsys fs.FS, name string) (fs.FileMode, error) {
	if f, ok := fsys.(interface {
		Type(name string) (fs.FileMode, error)
	}); ok {
		return f.Type(name)
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return 0, err
	}
	return info.Mode().Type(), nil
}

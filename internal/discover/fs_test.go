package discover_test

import "io/fs"

// counting counts which files are opened.
type counting struct {
	fs.FS
	opened map[string]int
}

func (c *counting) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err == nil {
		if info, statErr := f.Stat(); statErr == nil && !info.IsDir() {
			c.opened[name]++
		}
	}
	return f, err
}

func (c *counting) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS, name) }
func (c *counting) Stat(name string) (fs.FileInfo, error)      { return fs.Stat(c.FS, name) }

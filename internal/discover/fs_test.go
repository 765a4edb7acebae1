package discover_test

import "io/fs"

// counting counts which files are opened, and how often one is looked at.
type counting struct {
	fs.FS
	opened map[string]int
	looks  int
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

func (c *counting) Stat(name string) (fs.FileInfo, error) {
	c.looks++
	return fs.Stat(c.FS, name)
}

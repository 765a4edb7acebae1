//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package watch

import "os"

// defaultDirs is small where descriptors are spent.
const defaultDirs = 2048

// weight is how many descriptors it costs to watch dir: one for each entry.
func weight(dir string) int {
	f, err := os.Open(dir)
	if err != nil {
		return 1
	}
	defer f.Close()
	names, _ := f.Readdirnames(2 * defaultDirs)
	return 1 + len(names)
}

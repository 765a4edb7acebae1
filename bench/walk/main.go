// Command walk visits every file below a directory in one thread and asks for
// its size and times. It is what a warm check is measured against: the plain
// way to find out whether anything changed.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	files := 0
	err := filepath.WalkDir(os.Args[1], func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if _, err := d.Info(); err != nil {
			return err
		}
		files++
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
	fmt.Println(files)
}

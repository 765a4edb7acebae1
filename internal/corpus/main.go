// Command corpus writes the page that says what became of the public
// repositories below a directory: what Mortise found in them, and what a script
// counted. It fails when the two disagree about one file. With -check it writes
// nothing and fails when the page is stale.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/mortise-dev/mortise/internal/corpus/tally"
)

func main() {
	dir := flag.String("dir", os.Getenv("MORTISE_CORPUS"), "`directory` of unpacked repositories, one sub-directory each")
	check := flag.Bool("check", false, "write nothing; fail when the page is stale")
	flag.Parse()
	if err := run(context.Background(), *dir, flag.Arg(0), *check); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// run reads the repositories and writes the page, or compares it.
func run(ctx context.Context, dir, page string, check bool) error {
	if dir == "" || page == "" {
		return errors.New("usage: corpus -dir DIR [-check] PAGE; without -dir, MORTISE_CORPUS names the directory of repositories")
	}
	all, err := tally.Read(ctx, dir)
	if err != nil {
		return err
	}
	n := 0
	for _, r := range all {
		for _, what := range r.Amiss {
			fmt.Fprintln(os.Stderr, "corpus:", what)
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("what was found differs from what was counted in %d places; %s is left as it was", n, page)
	}
	made := tally.Page(all)
	was, err := os.ReadFile(page)
	switch {
	case err == nil && bytes.Equal(was, made):
		return nil
	case check:
		return fmt.Errorf("%s is stale; run make corpus", page)
	}
	return os.WriteFile(page, made, 0o644)
}

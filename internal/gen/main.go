// Command gen writes the documents that are made from the code: the extension
// points, the checks, the formats, the commands, and the configuration with
// its JSON Schema. With -check it writes nothing and fails when one is stale.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/config"
)

// document is one generated file.
type document struct {
	name string
	make func() ([]byte, error)
}

var documents = []document{
	{"docs/points.md", text(points)},
	{"docs/checks.md", text(checks)},
	{"docs/formats.md", text(formats)},
	{"docs/commands.md", text(commands)},
	{"docs/configuration.md", text(config.Reference)},
	{"docs/mortise.schema.json", config.Schema},
}

func text(f func() string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(f()), nil }
}

func main() {
	check := flag.Bool("check", false, "write nothing; fail when a document is stale")
	flag.Parse()
	stale := 0
	for _, d := range documents {
		made, err := d.make()
		if err != nil {
			fail(err)
		}
		made = append(bytes.TrimRight(made, "\n"), '\n')
		was, err := os.ReadFile(d.name)
		if err == nil && bytes.Equal(was, made) {
			continue
		}
		if *check {
			fmt.Fprintf(os.Stderr, "gen: %s is stale; run make gen\n", d.name)
			stale++
			continue
		}
		if err := os.MkdirAll(filepath.Dir(d.name), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(d.name, made, 0o644); err != nil {
			fail(err)
		}
	}
	if stale > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gen:", err)
	os.Exit(1)
}

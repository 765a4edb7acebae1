package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/discover"
)

// bench is one run.
type bench struct {
	ctx    context.Context
	dir    string // ours alone
	corpus string
	rounds int
	short  bool
	home   string // what the program keeps; "" is dir/home
}

func (b *bench) bin(name string) string { return filepath.Join(b.dir, "bin", name) }

// build makes the programs that are measured.
func (b *bench) build() error {
	for name, pkg := range map[string]string{"mortise": "./cmd/mortise", "floor": "./bench/floor", "walk": "./bench/walk", "bare": "./bench/bare", "gitserve": "./bench/gitserve"} {
		cmd := exec.CommandContext(b.ctx, "go", "build", "-o", b.bin(name), pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	return nil
}

// program is one whole process to be timed.
type program struct {
	name  string
	args  []string
	stdin string
	exits []int // besides 0
}

func (b *bench) time(p program) (time.Duration, error) {
	cmd := exec.CommandContext(b.ctx, p.name, p.args...)
	cmd.Env = append(os.Environ(), "MORTISE_HOME="+cmp.Or(b.home, filepath.Join(b.dir, "home")))
	cmd.Stdin = strings.NewReader(p.stdin)
	cmd.Stdout = io.Discard
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil && !(cmd.ProcessState != nil && slices.Contains(p.exits, cmd.ProcessState.ExitCode())) {
		return 0, fmt.Errorf("%s: %w: %s", filepath.Base(p.name), err, ext.Escape(stderr.String()))
	}
	return took, nil
}

// interleave times the programs in turn, round by round, and returns the
// median of each. One round before is not counted.
func (b *bench) interleave(programs ...program) ([]time.Duration, error) {
	times := make([][]time.Duration, len(programs))
	for round := range b.rounds + 1 {
		for i, p := range programs {
			took, err := b.time(p)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	medians := make([]time.Duration, len(times))
	for i := range times {
		medians[i] = median(times[i])
	}
	return medians, nil
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

// checks times a recursive check of the corpus, cold and warm.
func (b *bench) checks() ([]row, error) {
	files, err := b.read()
	if err != nil {
		return nil, err
	}
	dirs, err := b.directories()
	if err != nil {
		return nil, err
	}
	const findings = 1 // a corpus has faults, which is an answer
	t, err := b.interleave(
		program{name: b.bin("floor"), stdin: strings.Join(slices.Concat(dirs, files), "\n") + "\n"},
		program{name: b.bin("mortise"), args: []string{"check", "--recursive", "--fresh", b.corpus}, exits: []int{findings}},
		program{name: b.bin("walk"), args: []string{b.corpus}},
		program{name: b.bin("mortise"), args: []string{"check", "--recursive", b.corpus}, exits: []int{findings}},
		program{name: b.bin("floor"), stdin: strings.Join(files, "\n") + "\n"},
	)
	if err != nil {
		return nil, err
	}
	return []row{
		{name: fmt.Sprintf("check --recursive, cold: %d directories, %d files", len(dirs), len(files)), subject: t[1], floor: t[0], floorIs: "(list and read the same)", ratio: ratio(t[1], t[0]), target: 2.5},
		{name: "the same, against the files alone", subject: t[1], floor: t[4], floorIs: "(read the files, named)", ratio: ratio(t[1], t[4])},
		{name: "check --recursive, warm", subject: t[3], floor: t[2], floorIs: "(WalkDir and stat)", ratio: ratio(t[3], t[2]), target: 0.8},
	}, nil
}

// directories lists what the search for extensions has to look into, each with
// a slash at its end.
func (b *bench) directories() ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(b.corpus, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == ".git" || d.Name() == "node_modules" {
			return fs.SkipDir
		}
		dirs = append(dirs, name+"/")
		return nil
	})
	return dirs, err
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// read lists the files that a check of the corpus reads: every manifest and
// every document.
func (b *bench) read() ([]string, error) {
	seen := map[string]bool{}
	for t, err := range catalog.Below(b.corpus, ext.DefaultLimits, catalog.Workers, false).Trees(b.ctx) {
		if err != nil {
			return nil, err
		}
		if t.Manifest != nil && t.Manifest.File != "" {
			seen[filepath.Join(t.Root, t.Manifest.File)] = true
		}
		c, err := discover.Scan(b.ctx, t, discover.Options{Specs: catalog.Specs, Limits: ext.DefaultLimits})
		if t.Close != nil {
			t.Close()
		}
		if err != nil {
			return nil, err
		}
		for _, f := range c.Found() {
			name := filepath.Join(t.Root, f.Document.Origin.Path)
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				seen[name] = true
			}
		}
	}
	files := make([]string, 0, len(seen))
	for name := range seen {
		files = append(files, name)
	}
	slices.Sort(files)
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no extension", b.corpus)
	}
	return files, nil
}

// list times the listing of the example workspace.
func (b *bench) list() ([]row, error) {
	db := filepath.Join(b.dir, "home", "state", "state.db")
	t, err := b.interleave(
		program{name: b.bin("bare"), args: []string{db}},
		program{name: b.bin("mortise"), args: []string{"--workspace", "examples/workshop", "list"}},
	)
	if err != nil {
		return nil, err
	}
	return []row{{
		name: "list of the example", subject: t[1], floor: t[0], floorIs: "(a bare command with SQLite)",
		ratio: ratio(t[1], t[0]), target: 35.0 / 15.0, promised: 35 * time.Millisecond,
	}}, nil
}

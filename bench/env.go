package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/internal/builtin/inject"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
)

// env times what a shell waits for, with forty extensions that each give a variable, and
// in this process finding the axes of two hundred rows of the configuration.
func (b *bench) env() ([]row, error) {
	dir, home := filepath.Join(b.dir, "shelled"), filepath.Join(b.dir, "shelled-home")
	var cfg strings.Builder
	for i := range 40 {
		name := fmt.Sprintf("p%d", i)
		fmt.Fprintf(&cfg, "[plugins.%s]\npath = \"./plugins/%s\"\n", name, name)
		for file, text := range map[string]string{
			"plugin.json":                         `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "` + name + `", "version": "1.0.0"}`,
			"skills/s/SKILL.md":                   "---\nname: s\ndescription: Something.\n---\nText.\n",
			"dev.mortise/hooks/derive_env/e.json": fmt.Sprintf(`{"answer": [{"name": "P%d_URL", "value": "http://localhost:%d"}]}`, i, 8000+i),
		} {
			if err := writeFile(filepath.Join(dir, "plugins", name, filepath.FromSlash(file)), text); err != nil {
				return nil, err
			}
		}
	}
	if err := writeFile(filepath.Join(dir, "mortise.toml"), cfg.String()); err != nil {
		return nil, err
	}
	whole := *b
	whole.home = home
	if _, err := whole.time(program{name: b.bin("mortise"), args: []string{"--workspace", dir, "trust", "--yes"}}); err != nil {
		return nil, err
	}
	t, err := whole.interleave(
		program{name: b.bin("bare"), args: []string{filepath.Join(home, "state", "state.db")}},
		program{name: b.bin("mortise"), args: []string{"version"}},
		program{name: b.bin("mortise"), args: []string{"--workspace", dir, "env"}},
	)
	if err != nil {
		return nil, err
	}
	const bare = "(a bare command with SQLite)"
	rows := []row{
		{name: "mortise version, whole process", subject: t[1], floor: t[0], floorIs: bare, ratio: ratio(t[1], t[0])},
		{name: "mortise env, 40 extensions, whole process", subject: t[2], floor: t[0], floorIs: bare, ratio: ratio(t[2], t[0])}, // twice a bare one was promised, and is missed: docs/performance.md
	}
	built, err := b.registry()
	return append(rows, built...), err
}

// registry times making the registry of two hundred rows, and asking for it again.
func (b *bench) registry() ([]row, error) {
	dir := filepath.Join(b.dir, "rows")
	var cfg strings.Builder
	for i := range 200 {
		fmt.Fprintf(&cfg, "[[%s]]\naxis = \"a%d\"\nhost = \"h%d.example\"\n", inject.Table, i, i)
	}
	p, err := place(dir, filepath.Join(b.dir, "rows-home"))
	if err != nil {
		return nil, err
	}
	if err := writeFile(p.Paths.User, cfg.String()); err != nil {
		return nil, err
	}
	h, done, err := catalog.Open(b.ctx, p, host.Looking, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = done() }() // it is thrown away
	var g *host.Generation
	times, err := b.inTurn([]func() error{
		func() (err error) { g, err = h.Refresh(b.ctx); return err },
		func() error {
			if n := len(g.Registry(b.ctx).Axes()); n != 200 {
				return fmt.Errorf("%d axes of 200 rows", n)
			}
			return nil
		},
		func() error { g.Registry(b.ctx); return nil },
	})
	if err != nil {
		return nil, err
	}
	return []row{
		{name: "make a registry of 200 rows of the configuration", subject: times[1], floor: times[0], floorIs: "(the pass before)", ratio: ratio(times[1], times[0]), promised: b.promise(10 * time.Millisecond)},
		{name: "ask for it again", subject: times[2], floor: times[1], floorIs: "(making it)", ratio: ratio(times[2], times[1]), promised: b.promise(time.Millisecond)},
	}, nil
}

// promise is what was promised, of which a short run on a busy machine says nothing.
func (b *bench) promise(d time.Duration) time.Duration {
	if b.short {
		return 0
	}
	return d
}

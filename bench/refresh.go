package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// refresh times a pass over 10,000 entries after one edited file, against one
// merge of as many, and how a call finds out that nothing moved, against looking
// at the two files that it depends on.
func (b *bench) refresh() ([]row, error) {
	const plugins, skills = 100, 100
	dir := filepath.Join(b.dir, "many")
	if err := writeMany(dir, plugins, skills); err != nil {
		return nil, err
	}
	w, err := config.FindWorkspace(dir, dir)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(b.dir, "refresh")
	place := host.Place{Workspace: w, Env: os.Environ(), Paths: config.Paths{
		State: filepath.Join(home, "state"), Data: filepath.Join(home, "data"), Cache: filepath.Join(home, "cache"), User: filepath.Join(home, "config.toml"),
	}}
	h, done, err := catalog.Open(b.ctx, place, host.Changing, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = done() }() // it is thrown away
	shown, _, err := h.Propose(b.ctx)
	if err == nil {
		err = h.Adopt(b.ctx, "bench", shown)
	}
	if err == nil {
		_, err = h.Refresh(b.ctx)
	}
	if err != nil {
		return nil, err
	}
	merge, pass, err := b.passes(h, dir, plugins)
	if err != nil {
		return nil, err
	}
	look, ask, err := b.revisions(filepath.Join(place.Paths.State, "state.db"))
	if err != nil {
		return nil, err
	}
	return []row{
		{
			name: fmt.Sprintf("refresh after one edited file, %d entries", plugins*skills), subject: pass, floor: merge, floorIs: "(one merge of as many)",
			ratio: ratio(pass, merge), target: 6, promised: 60 * time.Millisecond,
		},
		{
			name: "revision check, 1,000 times", subject: ask, floor: look, floorIs: "(stat of its two files)",
			ratio: ratio(ask, look), target: 2.5, promised: 5 * time.Millisecond,
		},
	}, nil
}

func (b *bench) passes(h *host.Host, dir string, plugins int) (merge, pass time.Duration, err error) {
	large, err := extensions(b.ctx, 10_000)
	if err != nil {
		return 0, 0, err
	}
	var merges, passes []time.Duration
	for round := range b.rounds + 1 {
		m := timed(func() { mergeAll(large) })
		root := filepath.Join(dir, pluginName(round%plugins))
		if err := os.WriteFile(skillFile(root, 1), []byte(skillText(1, fmt.Sprint("round ", round))), 0o644); err != nil {
			return 0, 0, err
		}
		var failed error
		p := timed(func() { _, failed = h.Reread(b.ctx, []string{root}) })
		if failed != nil {
			return 0, 0, failed
		}
		if round > 0 {
			merges, passes = append(merges, m), append(passes, p)
		}
	}
	return median(merges), median(passes), nil
}

// revisions times a thousand looks at the files and a thousand questions.
func (b *bench) revisions(path string) (look, ask time.Duration, err error) {
	s, err := sqlstore.Open(b.ctx, path)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = s.Close() }()   // nothing was written
	time.Sleep(200 * time.Millisecond) // what was written a moment ago is asked for each time
	var looks, asks []time.Duration
	for round := range b.rounds + 1 {
		l := timed(func() {
			for range 1000 {
				_, _ = os.Stat(path)
				_, _ = os.Stat(path + "-wal")
			}
		})
		a := timed(func() {
			for range 1000 {
				if _, failed := state.RevisionOf(b.ctx, s); failed != nil {
					err = failed
				}
			}
		})
		if round > 0 {
			looks, asks = append(looks, l), append(asks, a)
		}
	}
	return median(looks), median(asks), err
}

func pluginName(i int) string { return fmt.Sprintf("p%03d", i) }

func skillFile(root string, i int) string {
	return filepath.Join(root, "skills", fmt.Sprintf("s%03d", i), "SKILL.md")
}

func skillText(i int, word string) string {
	return fmt.Sprintf("---\nname: s%03d\ndescription: Skill %d, the %s.\n---\nDo it.\n", i, i, word)
}

// writeMany writes a workspace of plugins with skills.
func writeMany(dir string, plugins, skills int) error {
	conf := ""
	for p := range plugins {
		root := filepath.Join(dir, pluginName(p))
		conf += fmt.Sprintf("[plugins.%s]\npath = \"./%s\"\n", pluginName(p), pluginName(p))
		if err := writeFile(filepath.Join(root, ".claude-plugin", "plugin.json"), `{"name":"`+pluginName(p)+`"}`); err != nil {
			return err
		}
		for s := range skills {
			if err := writeFile(skillFile(root, s), skillText(s, "first")); err != nil {
				return err
			}
		}
	}
	return writeFile(filepath.Join(dir, "mortise.toml"), conf)
}

func writeFile(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

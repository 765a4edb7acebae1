package main

import (
	"context"
	"fmt"
	"runtime"
	"testing/fstest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
)

// compose times the composition of many entries, digest included.
func (b *bench) compose() ([]row, error) {
	const few, many = 1_000, 10_000
	small, err := extensions(b.ctx, few)
	if err != nil {
		return nil, err
	}
	large, err := extensions(b.ctx, many)
	if err != nil {
		return nil, err
	}
	var one, ten []time.Duration
	for round := range b.rounds + 1 {
		// Ten small compositions are timed as one, so that both sides last alike.
		a := timed(func() {
			for range many / few {
				compose.Merge(catalog.Specs, small).Digest()
			}
		})
		c := timed(func() { mergeAll(large) })
		if round > 0 {
			one, ten = append(one, a), append(ten, c)
		}
	}
	a, c := median(one), median(ten)
	return []row{{
		name: fmt.Sprintf("compose %d entries with digest", many), subject: c, floor: a,
		floorIs: fmt.Sprintf("(%d times %d entries)", many/few, few), ratio: ratio(c, a), target: 2, promised: 40 * time.Millisecond,
	}}, nil
}

func mergeAll(xs []admit.Extension) { compose.Merge(catalog.Specs, xs).Digest() }

// timed is how long work takes from a clean heap.
func timed(work func()) time.Duration {
	runtime.GC()
	start := time.Now()
	work()
	return time.Since(start)
}

// extensions are n skills in extensions of fifty each.
func extensions(ctx context.Context, n int) ([]admit.Extension, error) {
	const each = 50
	return admitted(ctx, n/each, each, func(x, i int) (surface, path, text string) {
		name := fmt.Sprintf("skill-%d", x*each/2+i) // half of the names are taken twice
		return "skill", "skills/" + name + "/SKILL.md", fmt.Sprintf("---\nname: %s\ndescription: Does thing %d.\n---\nBody %d.\n", name, i, i)
	})
}

// admitted are n extensions of so many entries each, in their order.
func admitted(ctx context.Context, n, each int, entry func(x, i int) (surface, path, text string)) ([]admit.Extension, error) {
	var cs []discover.Candidate
	for x := range n {
		name := ext.Name(fmt.Sprintf("ext%d", x))
		files := fstest.MapFS{}
		t := ext.Tree{Extension: name, Origin: ext.Origin{Extension: name, Trust: ext.Plugin}, FS: files}
		for i := range each {
			surface, file, text := entry(x, i)
			files[file] = &fstest.MapFile{Data: []byte(text)}
			t.Places = append(t.Places, ext.Place{Surface: surface, Path: file, File: file})
		}
		c, err := discover.Scan(ctx, t, discover.Options{Specs: catalog.Specs, Limits: ext.DefaultLimits})
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	out := admit.Extensions(admit.Decide(cs, admit.Rules{Adopted: true}))
	if len(out) != n {
		return nil, fmt.Errorf("%d of %d extensions were admitted", len(out), n)
	}
	return compose.Order(out, nil), nil
}

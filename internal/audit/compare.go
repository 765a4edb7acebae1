package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compare holds what is there against what checkpoints, and segments, say of
// others. It comes when all of them have been read.
func (v *verifier) compare(ctx context.Context) error {
	for chain, list := range v.dropped {
		v.dropped[chain] = join(list)
	}
	v.between()
	missing := map[string]string{} // file: who knows it
	for next, before := range v.follows {
		if v.there(next) || v.covered(next.chain, next.number) != nil {
			continue
		}
		missing[next.String()] = before
	}
	if err := v.heads(ctx, missing); err != nil {
		return err
	}
	v.tell(missing)
	v.accounted()
	return nil
}

// there is whether a segment is, be it that it was made since the first look.
func (v *verifier) there(n segmentName) bool {
	if v.present[n] {
		return true
	}
	_, err := os.Lstat(filepath.Join(v.dir, n.String()))
	return err == nil
}

// covered is what accounts for a segment, nil if nothing does.
func (v *verifier) covered(chain string, number int) *Dropped {
	for i, d := range v.dropped[chain] {
		if d.From <= number && number <= d.name().number {
			return &v.dropped[chain][i]
		}
	}
	return nil
}

// between looks at the gaps before segments that are there.
func (v *verifier) between() {
	for _, g := range v.gaps {
		name, given := g.next.String(), g.header.After
		for number := g.from; number < g.next.number; number++ {
			d := v.covered(g.next.chain, number)
			switch {
			case d != nil && (number < g.next.number-1 || given != nil || d.Fault != "" || d.Last+1 == g.header.Seq && d.Hash == g.header.Prev):
				number = d.name().number
			case d != nil:
				v.report.broken(name, 1, "it does not continue the segment that was dropped before it")
				number = d.name().number
			case given != nil && given.Size == 0 && number == g.next.number-1:
				v.report.note(name, 1, fmt.Sprintf("the segment before was given up before anything of it was sure (%s), and is not there", given.Why))
			default:
				n := segmentName{g.next.chain, number}
				add(&v.report, &v.report.MissingSegments, n.String())
			}
			if len(v.report.MissingSegments) == listMax {
				return // a number can be anything
			}
		}
	}
}

// heads looks for each line that a checkpoint of another chain names.
func (v *verifier) heads(ctx context.Context, missing map[string]string) error {
	named := make([]Head, 0, len(v.named))
	for h := range v.named {
		named = append(named, h)
	}
	slices.SortFunc(named, func(a, b Head) int { return strings.Compare(v.named[a].String()+a.File, v.named[b].String()+b.File) })
	told := map[string]bool{} // once for each file
	for _, h := range named {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, ok := parseName(h.File)
		if !ok || told[h.File] {
			continue
		}
		what, err := headAt(v.dir, h)
		if errors.Is(err, fs.ErrNotExist) {
			if v.present[n] {
				return errMoving
			}
			if what, err = v.gone(h, n), nil; what == "" {
				continue
			}
			if v.covered(n.chain, n.number) == nil {
				missing[h.File] = v.named[h].String()
				continue
			}
		}
		if err != nil {
			what = err.Error()
		}
		if what != "" {
			told[h.File] = true
			at := v.named[h]
			v.report.broken(h.File, 0, fmt.Sprintf("%s, when %s:%d was written", what, at.File, at.Line))
		}
	}
	return nil
}

// gone says what is wrong with a head whose file is not there, "" if it is
// accounted for.
func (v *verifier) gone(h Head, n segmentName) string {
	d := v.covered(n.chain, n.number)
	last := d != nil && d.name() == n
	switch {
	case d == nil:
		return "it is missing"
	case d.Fault == "" && (last && h.Seq > d.Last || h.Seq == d.Last && h.Hash != d.Hash):
		return fmt.Sprintf("it was dropped with %d as its last record, and was another one", d.Last)
	}
	return ""
}

// tell sorts what is missing into chains and segments.
func (v *verifier) tell(missing map[string]string) {
	chains := map[string]bool{}
	for n := range v.present {
		chains[n.chain] = true
	}
	lost := map[string]bool{}
	for file := range missing {
		n, _ := parseName(file)
		switch {
		case !chains[n.chain]:
			lost[n.chain] = true
		case !slices.Contains(v.report.MissingSegments, file):
			add(&v.report, &v.report.MissingSegments, file)
		}
	}
	for chain := range lost {
		add(&v.report, &v.report.MissingChains, chain)
	}
	slices.Sort(v.report.MissingSegments)
	slices.Sort(v.report.MissingChains)
}

// accounted lists what was dropped.
func (v *verifier) accounted() {
	var chains []string
	for chain := range v.dropped {
		chains = append(chains, chain)
	}
	slices.Sort(chains)
	for _, chain := range chains {
		for _, d := range v.dropped[chain] {
			if v.present[d.name()] {
				v.report.note(d.File, 0, "it is accounted for as dropped, and is still there: dropping it was interrupted")
			}
			add(&v.report, &v.report.Gaps, d)
		}
	}
}

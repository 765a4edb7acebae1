package source

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// flatten gives the entries that lie deep canonical paths of one directory: the
// name of an entry's own directory, or, where another has that, all names on the
// way, and where another has that as well, a number besides. Who lies less deep
// is asked first, so that an entry keeps its name whatever lies below its
// neighbours.
func (m *matcher) flatten(places []ext.Place) {
	depth := func(i int) int { return strings.Count(places[i].Path, "/") }
	order := make([]int, len(places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(depth(x), depth(y)) })
	names := flatNames{taken: map[string]bool{}, numbers: map[string]int{}}
	for _, i := range order {
		p := &places[i]
		if rest, below := strings.CutPrefix(p.Path, m.spec.Dir+"/"); below { // else it is the directory of entries itself
			dir, file := path.Split(rest)
			p.Path = path.Join(m.spec.Dir, names.of(strings.TrimSuffix(dir, "/")), file)
		}
	}
}

type flatNames struct {
	taken   map[string]bool // folded
	numbers map[string]int  // the last that a name was given, folded
}

// of is the name of the entry in a directory. Two that do not lie deep keep
// theirs, whatever they are: that they are alike is told where names are.
func (f *flatNames) of(dir string) string {
	name := path.Base(dir)
	if name != dir && f.taken[surface.Fold(name)] {
		name = f.long(strings.ReplaceAll(dir, "/", "-"))
	}
	f.taken[surface.Fold(name)] = true
	return name
}

func (f *flatNames) long(name string) string {
	key, try := surface.Fold(name), name
	for f.taken[surface.Fold(try)] {
		f.numbers[key] = max(f.numbers[key]+1, 2)
		try = fmt.Sprintf("%s-%d", name, f.numbers[key])
	}
	return try
}

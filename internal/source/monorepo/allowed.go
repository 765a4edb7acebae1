package monorepo

import (
	"context"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// none is what is made of a file that is only judged.
type none struct{}

// tellJudged tells what the files that hold something use and is not on the list, of a
// file that is read for several surfaces once. Who wrote it nobody can know who reads it,
// so that it is told and refuses nothing.
func tellJudged[T any](k *reading, found []pythonFile[T], holds func(path string) bool) {
	for i := range found {
		f := &found[i]
		if f.judged.OK() || k.judged[f.path] || !holds(f.path) {
			continue
		}
		k.judged[f.path] = true
		k.notes.Add(f.judged.Findings(k.at(f.path, 0))...)
	}
}

// holding reports of a file whether it has a class of a kind, one that may be one, or
// what makes a class of another file one.
func holding(as kind, set *pysrc.Set) func(path string) bool {
	files := map[string]bool{}
	for i := range set.Classes {
		if c := &set.Classes[i]; c.Kind == as.as {
			files[c.File] = true
			for _, s := range c.Evidence {
				files[s.File] = true
			}
		}
	}
	return func(path string) bool { return files[path] }
}

// judgeTools judges the files of the directory of tools that were read for the classes
// behind the catalogue. Of those that lie elsewhere in the repository nothing is said:
// they are no surface's.
func (k *reading) judgeTools(ctx context.Context, dir string, classes *tools.Repository) error {
	var files []file
	for _, name := range classes.Files() {
		if dir != "" && strings.HasPrefix(name, dir+"/") {
			files = append(files, file{path: name, name: path.Base(name)})
		}
	}
	if len(files) == 0 {
		return nil
	}
	of := k.memo(dir, toolSurface)
	found, err := readPython(ctx, k, files, k.source.Memory.judged(of), func(ctx context.Context, f pysrc.File) (none, *syntax.Tree, error) {
		tree, fault, err := syntax.Parse(ctx, f.Source)
		if fault != nil { // told with the tool
			tree = nil
		}
		return none{}, tree, err
	})
	if err != nil {
		return err
	}
	k.source.Memory.keepJudged(of, found)
	tellJudged(k, found, func(string) bool { return true })
	return nil
}

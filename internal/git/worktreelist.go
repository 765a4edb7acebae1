package git

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Listed is what lies directly in a directory of a commit.
type Listed struct {
	Name string
	Dir  bool
	Data []byte // of a file that was wanted, and has no more bytes than it may; else nil
}

// List is what lies directly in a directory of a commit, by name, with what files hold that
// are wanted and have at most so many bytes. A directory that is not there is empty.
func (w *WorkTree) List(ctx context.Context, commit, dir string, wanted func(name string) bool, most int64) ([]Listed, error) {
	doing := "list " + ext.Quote(dir) + " at the commit " + commit
	if !IsCommit(commit) || !fs.ValidPath(dir) {
		return nil, ext.AsUsage(fmt.Errorf("%s: it is not the whole hash of a commit, or no path", doing))
	}
	args := []string{"ls-tree", "-z", "-l", "--full-tree", commit}
	if dir != "." {
		args = append(args, "--", dir+"/")
	}
	out, err := w.doing(ctx, call{args: args, env: []string{"GIT_LITERAL_PATHSPECS=1"}})
	if err != nil {
		return nil, failure(doing, err)
	}
	var all []Listed
	ids := map[string]string{}
	for line := range strings.SplitSeq(out, "\x00") {
		meta, at, ok := strings.Cut(line, "\t")
		words := strings.Fields(meta)
		if !ok || len(words) != 4 {
			continue
		}
		l := Listed{Name: path.Base(at), Dir: words[0] == dirMode}
		all = append(all, l)
		size := int64(0)
		if _, err := fmt.Sscan(words[3], &size); err == nil && size <= most && wanted(l.Name) && (words[0] == plainMode || words[0] == execMode) {
			ids[l.Name] = words[2]
		}
	}
	slices.SortFunc(all, func(a, b Listed) int { return strings.Compare(a.Name, b.Name) })
	return all, failure(doing, w.contents(ctx, all, ids, most))
}

// contents reads what is wanted of what is listed.
func (w *WorkTree) contents(ctx context.Context, all []Listed, ids map[string]string, most int64) error {
	if len(ids) == 0 {
		return nil
	}
	o, err := w.git.openObjects(ctx, w.dir)
	if err != nil {
		return err
	}
	for i := range all {
		id, ok := ids[all[i].Name]
		if !ok {
			continue
		}
		if all[i].Data, err = o.whole(id, "blob", most); err != nil {
			o.abandon()
			return err
		}
	}
	return o.Close()
}

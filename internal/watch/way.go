package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hinge is a name that decides what a root is.
type hinge struct{ dir, name string }

// way is how a root leads to what it is. Directories on it are no links.
type way struct {
	hinges []hinge // the links on the way, and the last name, or the first that leads to nothing
	end    string  // where it leads, "" when nothing is there
	fact   fact    // of what is there
}

func (w way) same(o way) bool { return w.outcome(o) && slices.Equal(w.hinges, o.hinges) }

// outcome reports whether w and o end at the same thing in the same state.
func (w way) outcome(o way) bool { return w.end == o.end && w.fact == o.fact }

const mostLinks = 40

// lead follows the absolute path link by link.
func lead(path string) (w way) {
	volume := filepath.VolumeName(path)
	at := volume + string(filepath.Separator)
	names := parts(path[len(volume):])
	if len(names) == 0 {
		return w.reach(at)
	}
	for links := 0; len(names) > 0; {
		name := names[0]
		names = names[1:]
		if name == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		info, err := os.Lstat(next)
		link := err == nil && info.Mode()&fs.ModeSymlink != 0
		ends := err != nil || len(names) == 0 || !link && !info.IsDir()
		if link || ends {
			w.hinges = append(w.hinges, hinge{at, name})
		}
		switch {
		case link:
			to, err := os.Readlink(next)
			if links++; err != nil || links > mostLinks {
				return w
			}
			if filepath.IsAbs(to) {
				volume = filepath.VolumeName(to)
				at, to = volume+string(filepath.Separator), to[len(volume):]
			}
			names = append(parts(to), names...)
		case err != nil || ends && len(names) > 0:
			return w
		default:
			at = next
		}
	}
	return w.reach(at)
}

func (w way) reach(end string) way {
	if info, err := os.Lstat(end); err == nil {
		w.end, w.fact = end, factOf(info)
	}
	return w
}

// parts is the names of a path, ".." among them.
func parts(path string) []string {
	path = strings.Trim(filepath.ToSlash(path), "/")
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return s == "" || s == "." })
}

package scribe

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/git"
)

// A directory is listed as it is on the branch: in the working tree, or as it is committed.
func TestList(t *testing.T) {
	r := newRepo(t, one(free))
	r.put("d/a.py", "a\n")
	r.put("d/e/f", "f\n")
	r.put("d/long.py", strings.Repeat("x", 100))
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "d")
	r.git("branch", "other")
	r.put("d/new.py", "new\n")
	g, err := git.New(git.Options{Env: environ()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, branch, dir, want string }{
		{"here", "", "d", `a.py="a\n" e/ long.py new.py="new\n"`},
		{"committed", "other", "d", `a.py="a\n" e/ long.py`},
		{"committed, below", "other", "d/e", `f`},
		{"not there", "", "nothing", ""},
		{"not committed", "other", "nothing", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := Open(t.Context(), Options{Git: g, Dir: r.dir, Branch: c.branch})
			if err != nil {
				t.Fatal(err)
			}
			all, err := b.List(t.Context(), c.dir, func(name string) bool { return strings.HasSuffix(name, ".py") }, 50)
			var got []string
			for _, l := range all {
				switch {
				case l.Dir:
					got = append(got, l.Name+"/")
				case l.Data != nil:
					got = append(got, l.Name+`="`+strings.ReplaceAll(string(l.Data), "\n", `\n`)+`"`)
				default:
					got = append(got, l.Name)
				}
			}
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("List(%s): got %v, %v, want %s", c.dir, got, err, c.want)
			}
		})
	}
}

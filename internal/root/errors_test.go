package root

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestMessages_say_what_is_there_and_where_links_lead(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		base, dir := field(t)
		r := open(t, dir, opt)
		for _, c := range []struct{ call, name, want string }{
			{"ReadFile", "out-file", `read out-file: the link leads outside, to "BASE/secret/key"`},
			{"ReadFile", "skills/via/key", `read skills/via/key: the link "out-dir" leads outside, to "BASE/secret/key"`},
			{"ReadFile", ".agents/skills/y", `read .agents/skills/y: the link leads to "BASE/tree/.agents/.claude/skills/x", which does not exist`},
			{"ReadFile", "skills", `read skills: is a directory, not a file`},
			{"ReadDir", "file/below", `list file: is a file, not a directory`},
			{"ReadLimit", "big", `read big: is 200 bytes large, at most 100 are read`},
			{"Lstat", "out-dir/key", `lstat out-dir/key: the link "out-dir" leads outside, to "BASE/secret"`},
			{"Stat", "loop-a", `stat loop-a: leads through too many links; they may form a loop`},
			{"Open", "none", `open none: no such file or directory`},
		} {
			write(t, filepath.Join(dir, "big"), strings.Repeat("x", 200))
			for _, call := range calls(r, c.name) {
				if call.name != c.call {
					continue
				}
				want := strings.ReplaceAll(c.want, "BASE", base)
				if err := call.do(); err == nil || err.Error() != want {
					t.Errorf("%s(%s):\n got %v\nwant %s", c.call, c.name, err, want)
				}
			}
		}
	})
}

package mend_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/mend"
)

// FuzzFile mends any text by any finding, whether that is true or not: the text
// then means what it meant.
func FuzzFile(f *testing.F) {
	f.Add("\ufeff---\nname: a\nb: c: d\n---\nText.\n", "skill-name-differs", 2, "")
	f.Add("```\n---\nname: a\n---\n```\n", "frontmatter-fenced", 1, "")
	f.Add("---\r\nname: a\r\n\r\n# T\r\n", "frontmatter-unended", 3, "")
	f.Add(`{"skills": ["more"]}`, "manifest-path", 1, `the path "more" of key "skills" lacks ./`)
	f.Fuzz(func(t *testing.T, data, code string, line int, message string) {
		all := append(findings(data), mend.Finding{Code: code, Line: line, Message: message})
		for _, path := range []string{"/x/s/SKILL.md", "/x/plugin.json"} {
			r := mend.File(path, []byte(data), all)
			now := string(r.Apply([]byte(data)))
			if r.Empty() && (now != data || r.Rename != "") {
				t.Fatalf("nothing is mended and %q becomes %q", data, now)
			}
			if !strings.HasSuffix(path, ".md") || r.Empty() {
				continue
			}
			was, is := frontmatter.Read(ext.Origin{}, []byte(data)), frontmatter.Read(ext.Origin{}, []byte(now))
			if strings.TrimSpace(was.Body) != strings.TrimSpace(is.Body) || was.Front.Kind != is.Front.Kind {
				t.Fatalf("%q becomes %q, which means something else", data, now)
			}
		}
	})
}

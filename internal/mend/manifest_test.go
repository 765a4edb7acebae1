package mend_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/mend"
)

// TestManifest begins the paths that were found with ./ and touches no other
// string, however like it is and wherever it stands.
func TestManifest(t *testing.T) {
	at := func(pointer, path string) mend.Finding {
		return mend.Finding{Code: "manifest-path", Line: 1, Field: pointer, Want: "./" + path}
	}
	const flat = `{"name":"skills","description":"skills","skills":"skills"}`
	const lists = `{"keywords": ["agents", "a"], "agents": ["agents", "a", "b"], "x": {"agents": "a"}, "a/b~c": {"source": "é"}}`
	for _, c := range []struct {
		name, in string
		x        []mend.Finding
		want     string
	}{
		{"the same text elsewhere on the line", flat, []mend.Finding{at("/skills", "skills")}, `{"name":"skills","description":"skills","skills":"./skills"}`},
		{"some of a list", lists, []mend.Finding{at("/agents/0", "agents"), at("/agents/2", "b")}, strings.Replace(lists, `["agents", "a", "b"]`, `["./agents", "a", "./b"]`, 1)},
		{"further in", lists, []mend.Finding{at("/x/agents", "a")}, strings.Replace(lists, `{"agents": "a"}`, `{"agents": "./a"}`, 1)},
		{"a key with signs of a pointer", lists, []mend.Finding{at("/a~1b~0c/source", "é")}, strings.Replace(lists, `"é"`, `"./é"`, 1)},
		{"the same finding twice", flat, []mend.Finding{at("/skills", "skills"), at("/skills", "skills")}, strings.Replace(flat, `"skills"}`, `"./skills"}`, 1)},
		{"an escape", `{"skills": "a\u0062"}`, []mend.Finding{at("/skills", "ab")}, `{"skills": "./a\u0062"}`},
		{"behind a mark", "\ufeff" + flat, []mend.Finding{{Code: "bom", Line: 1}, at("/skills", "skills")}, strings.Replace(flat, `"skills"}`, `"./skills"}`, 1)},
		{"another text than was found", flat, []mend.Finding{at("/skills", "agents")}, flat},
		{"a pointer to nothing", flat, []mend.Finding{at("/agents", "skills"), at("", "skills"), at("/skills/0", "skills")}, flat},
		{"a pointer to what is no string", `{"skills": {"a": 1}}`, []mend.Finding{at("/skills", ""), at("/skills/a", "1")}, `{"skills": {"a": 1}}`},
		{"a key twice", `{"skills": "a", "skills": "a"}`, []mend.Finding{at("/skills", "a")}, `{"skills": "a", "skills": "a"}`},
		{"a file that is cut off", `{"skills": "a"`, []mend.Finding{at("/skills", "a")}, `{"skills": "a"`},
	} {
		r := mend.File("/x/.claude-plugin/plugin.json", []byte(c.in), c.x)
		if got := string(r.Apply([]byte(c.in))); got != c.want || r.Empty() != (c.want == c.in) {
			t.Errorf("%s: got\n%s\nand %v, want\n%s", c.name, got, r.Codes, c.want)
		}
	}
}

package config

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// Rows of arrays of tables add up from the widest file to the narrowest. A row of a name
// takes the place of that of a wider file, disabled takes it away, and no file of a
// workspace replaces what is the person's own.
func TestRows(t *testing.T) {
	c, findings := lay(t, map[string]string{
		"home/config.toml": "[[axis]]\nname = \"mine\"\nlevels = [\"a\"]\nblurb = { a = \"x\" }\n",
		"ws/mortise.toml": "[[axis]]\nname = \"data\"\nlevels = [\"fake\", \"real\"]\n[[axis]]\nname = \"net\"\nlevels = \"off\"\n[[axis]]\nname = \"gone\"\n" +
			"[[require]]\naxis = \"data\"\nwhen = \"real\"\nneeds = \"net\"\n",
		"ws/mortise.local.toml": "[[axis]]\nname = \"data\"\nlevels = [\"other\"]\n[[axis]]\nname = \"gone\"\ndisabled = true\n[[axis]]\nname = \"mine\"\nlevels = [\"evil\"]\n[[axis]]\nname = \"net2\"\n" +
			"[[require]]\naxis = \"net\"\n",
	}).load(t)
	var got []string
	for _, r := range c.Rows() {
		level := ""
		if l := r.Doc.Get("levels").Items(); len(l) > 0 {
			level = l[0].Text
		}
		got = append(got, r.Table+" "+r.Doc.Word("name")+r.Doc.Word("axis")+" "+level+" "+r.Layer.String())
	}
	want := "axis mine a user|axis data other local|axis net off shared|axis net2  local|require data  shared|require net  local"
	if strings.Join(got, "|") != want {
		t.Errorf("Rows: got\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
	if len(findings) != 1 || findings[0].Check != Widens || findings[0].Origin.Line != 7 {
		t.Errorf("findings: got %v, want one, about the row that would replace the person's own, in line 7", findings)
	}
	for _, e := range c.Effects() {
		if e.Key == "[[axis]]" && strings.Contains(e.Text, "mine") {
			t.Errorf("an effect of the workspace is %s, which is the person's own", e.Text)
		}
	}
}

// What is wrong with a row is told with its line, and the row is left out, not the others.
func TestRowsAtFault(t *testing.T) {
	c, findings := lay(t, map[string]string{
		"ws/mortise.toml": "[[axis]]\nname = \"good\"\n[[axis]]\nnme = \"typo\"\n[[axis]]\nlevels = 3\n[[inject]]\nemergency = \"true\"\n[[require]]\nseverity = \"fatal\"\n",
	}).load(t)
	if rows := c.Rows(); len(rows) != 1 || rows[0].Doc.Word("name") != "good" {
		t.Errorf("Rows: got %v, want the good one alone", rows)
	}
	for _, want := range []struct {
		check *ext.Check
		line  int
		text  string
	}{{UnknownKey, 4, `did you mean "axis.name"`}, {WrongType, 6, "axis.levels"}, {WrongType, 8, "true or false"}, {WrongValue, 10, "error"}} {
		found := false
		for _, f := range findings {
			found = found || f.Check == want.check && f.Origin.Line == want.line && strings.Contains(f.Message, want.text)
		}
		if !found {
			t.Errorf("findings: got %v, want %s in line %d with %q", findings, want.check.Code, want.line, want.text)
		}
	}
	if len(findings) != 4 || len(c.Broken()) != 1 {
		t.Errorf("got %d findings, broken %v; want 4, and the file known to be not whole", len(findings), c.Broken())
	}
}

// A row that says of itself that it is not disabled counts as if it said nothing, and the
// word for it as text is a fault. The reference keeps a row with the text.
func TestParity109_Disabled_is_a_boolean(t *testing.T) {
	c, findings := lay(t, map[string]string{
		"ws/mortise.toml":       "[[axis]]\nname = \"kept\"\ndisabled = false\n[[axis]]\nname = \"gone\"\n[[axis]]\nname = \"text\"\n",
		"ws/mortise.local.toml": "[[axis]]\nname = \"gone\"\ndisabled = true\n[[axis]]\nname = \"text\"\ndisabled = \"true\"\n",
	}).load(t)
	var got []string
	for _, r := range c.Rows() {
		got = append(got, r.Doc.Word("name"))
		if r.Doc.Get("disabled") != nil {
			t.Errorf("the row %s still says whether it is disabled", r.Doc.Word("name"))
		}
	}
	if strings.Join(got, " ") != "kept text" || len(findings) != 1 || findings[0].Check != WrongType {
		t.Errorf("Rows: got %v, %v; want the disabled one gone, and the text told", got, findings)
	}
}

package cli

import (
	"strings"
	"testing"
)

// The page about the commands is the same wherever it is made, and holds every
// command and flag.
func TestReferenceIsWhole(t *testing.T) {
	page := Reference()
	for _, cmd := range (&call{App: &App{}}).root().Commands() {
		for _, want := range []string{"## mortise " + cmd.Name() + "\n", "    " + useLine(cmd) + "\n"} {
			if cmd.IsAvailableCommand() && !strings.Contains(page, want) {
				t.Errorf("Reference: %q is missing", want)
			}
		}
	}
	if want := "### mortise market search\n\n    mortise market search WORDS"; !strings.Contains(page, want) {
		t.Errorf("Reference: %q is missing, want the commands below others too", want)
	}
	if page != Reference() {
		t.Error("Reference: got another page the second time")
	}
}

// A command without words about it, or a flag, would be a riddle in the page
// and in the help.
func TestEveryCommandIsDescribed(t *testing.T) {
	root := (&call{App: &App{}}).root()
	for _, cmd := range root.Commands() {
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: got the short description %q, want one without a full stop", cmd.Name(), cmd.Short)
		}
		for _, f := range described(cmd.LocalNonPersistentFlags()) {
			if f.usage == "" {
				t.Errorf("%s %s: got no description", cmd.Name(), f.name)
			}
		}
	}
}

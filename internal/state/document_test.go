package state

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// TestDocument: what is exported is imported as it was, and nothing that no program of ours
// wrote becomes a path.
func TestDocument(t *testing.T) {
	good := Installed{Name: "acme", Kind: Git, Source: "https://example.org/acme", Commit: strings.Repeat("a", 40), Digest: ext.Sum([]byte("x")), At: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	var b bytes.Buffer
	if err := Export(&b, Snapshot{Roster: []Installed{good}}, []Event{{Kind: "plugin added", At: good.At}}); err != nil {
		t.Fatal(err)
	}
	s, events, err := Import(&b)
	if err != nil || len(s.Roster) != 1 || s.Roster[0] != good || len(events) != 1 {
		t.Errorf("got %+v, %v, %v, want what was exported", s, events, err)
	}
	for what, change := range map[string]func(*Installed){
		"a name that leads up":    func(i *Installed) { i.Name = ".." },
		"a name of the host's":    func(i *Installed) { i.Name = ext.BuiltinName },
		"a commit that is a path": func(i *Installed) { i.Commit = "../../x" },
		"one before":              func(i *Installed) { i.Before = "../../x" },
		"a path that leads out":   func(i *Installed) { i.Within = "../x" },
		"an unknown kind":         func(i *Installed) { i.Kind = "weird" },
	} {
		bad := good
		change(&bad)
		var b bytes.Buffer
		if err := Export(&b, Snapshot{Roster: []Installed{bad}}, nil); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Import(&b); err == nil {
			t.Errorf("%s: got no error", what)
		}
	}
	for _, text := range []string{"", "{}", `{"mortise_state": 2}`, `{"mortise_state": 1, "more": 1}`, `{"mortise_state": 1} {}`} {
		if _, _, err := Import(strings.NewReader(text)); err == nil {
			t.Errorf("%s: got no error", text)
		}
	}
}

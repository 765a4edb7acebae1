package mortise_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mortise-dev/mortise"
)

// TestLaw07_no_plugin_crowds_out_another: what prompt hooks say on a turn shares one
// room, as static text does. A plugin that says too much costs the others nothing, and
// what is left out is named.
func TestLaw07_no_plugin_crowds_out_another(t *testing.T) {
	h := mortise.New(compose(t, with("acme", aTool("x"))))
	said := map[string]int{"loud": 7_500, "louder": 7_500, "loudest": 8_001, "modest": 3_000}
	var errs []error
	for _, name := range []string{"loudest", "louder", "loud", "modest"} {
		errs = append(errs, h.LoadPlugin(&legacy{name: name, prompt: saying(strings.Repeat("x", said[name]-len(name))+name, nil)}))
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	turn, err := h.Session().Turn(t.Context(), mortise.Request{})
	if err != nil || turn.Refused != nil {
		t.Fatalf("got %v, %v, want nobody refused: their tools are there", err, turn.Refused)
	}
	var left []string
	for _, p := range turn.LeftOut {
		left = append(left, fmt.Sprint(p.Extension, ":", p.Name, " ", p.Layer, " ", len(p.Text)))
	}
	if got := strings.Join(left, ", "); got != "loudest:turn extension 8001, louder:turn extension 7500" {
		t.Errorf("left out: got %s, want what has no room", got)
	}
	for name, there := range map[string]bool{"loud": true, "louder": false, "loudest": false, "modest": true} {
		if strings.Contains(turn.Text, "x"+name+"\n") != there {
			t.Errorf("the text of %s: got it there %v, want %v", name, !there, there)
		}
	}
	if !strings.Contains(turn.Text, "2, which is 1 of extension louder, 1 of extension loudest.") {
		t.Errorf("got %q at the end, want what is left out counted", turn.Text[len(turn.Text)-200:])
	}
	if n := utf8.RuneCountInString(turn.Text); n > 17_000 {
		t.Errorf("got %d characters, want about 16,000 at most", n)
	}
}

// TestSession_LeftOut names the fragments that the static text has no room for. Those
// of an extension that is believed as the program itself take none.
func TestSession_LeftOut(t *testing.T) {
	speaking := func(name string, n int) mortise.Contribution {
		return mortise.Contribution{Extension: name, Fragments: []mortise.Fragment{{Name: "f", Text: strings.Repeat("x", n)}, {Name: "g", Text: "Of " + name + "."}}}
	}
	c, err := mortise.Compose([]mortise.Provider{speaking("house", 20_000), speaking("acme", 9_000), speaking("beta", 100)}, mortise.TrustBuiltin("house"))
	if err != nil {
		t.Fatal(err)
	}
	s := mortise.New(c).Session()
	left := s.LeftOut()
	if len(left) != 1 || left[0].Extension != "acme" || left[0].Name != "f" || len(left[0].Text) != 9_000 {
		t.Fatalf("got %d left out, want the long one of acme", len(left))
	}
	for _, want := range []string{"Of house.", "Of acme.", "Of beta.", "1, which is 1 of extension acme."} {
		if !strings.Contains(s.Instructions(), want) {
			t.Errorf("got %q, want %q in it", s.Instructions(), want)
		}
	}
	left[0].Name = "changed"
	if s.LeftOut()[0].Name != "f" {
		t.Error("somebody changed a session through what it tells")
	}
}

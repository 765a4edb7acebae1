package host_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// A guard that denies a call once denies it, though something else changes while it is
// asked and it would not deny a second time.
func TestDenialStandsThoughSomethingElseChanges(t *testing.T) {
	m := openMidcallIn(t.TempDir(), map[string]string{"c0": "once", "p0": ""})
	v, err := m.agent.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.during = func() { m.turn("p0") }
	_, err = m.agent.Decide(context.Background(), host.Use{Offer: v.Offers.Tool("owner_act"), Arguments: json.RawMessage(`{"path": "y"}`)})
	if ext.KindOf(err) != ext.Refused {
		t.Errorf("got %v, want the denial to stand", err)
	}
}

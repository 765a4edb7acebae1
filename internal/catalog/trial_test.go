package catalog_test

import (
	"encoding/json"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/mcptest"
)

const ample = time.Minute

// What may not run is not tried either: a trial is no way around consent.
func TestTryStartsOnlyWhatMayRun(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal})})
	_, err := catalog.Try(t.Context(), w.place, "owner:good", ample)
	if ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "owner:good is not in use") {
		t.Errorf("of a workspace that is not adopted: got %v, want a refusal", err)
	}
	adopt(t, w.open(t, host.Changing))
	if out, err := catalog.Try(t.Context(), w.place, "owner:good", ample); err != nil || !out.Answered() {
		t.Errorf("of one that is: got %+v, %v, want an answer", out, err)
	}
	w.write(t, map[string]string{".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Banner})})
	if out, err := catalog.Try(t.Context(), w.place, "owner:good", ample); err == nil {
		t.Errorf("of one that changed since: got %+v, want a refusal", out)
	}
}

// What it says is told whole, with the times, and of several servers the one that
// was meant is started, alone. Nothing of it is remembered.
func TestTry(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"good": mcptest.Normal, "dead": mcptest.Exits})})
	h := w.open(t, host.Changing)
	adopt(t, h)
	out, err := catalog.Try(t.Context(), w.place, "owner:good", ample)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		ProtocolVersion string
		Tools           []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out.Content), &said); err != nil {
		t.Fatal(err)
	}
	st := out.Status
	if !out.Answered() || said.ProtocolVersion == "" || len(said.Tools) != st.Tools || st.Tools == 0 || st.Starts != 1 || out.Start <= 0 || out.Answer <= 0 {
		t.Errorf("got %+v and %d tools, want what it said and how long that took", out, len(said.Tools))
	}
	g, err := h.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range g.Listing().Entries {
		if strings.HasPrefix(e.Qualified, "owner:good/") {
			t.Errorf("%s is remembered, want nothing of a trial to be", e.Qualified)
		}
	}
}

// One that cannot be reached is given up at the first try: the next one says the
// same.
func TestTryOfWhatCannotBeReached(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": `{"mcpServers": {"far": {"type": "streamable-http", "url": "` + url + `"}}}`})
	adopt(t, w.open(t, host.Changing))
	out, err := catalog.Try(t.Context(), w.place, "owner:far", ample)
	if err != nil {
		t.Fatal(err)
	}
	if out.Answered() || out.Status.State != call.Waiting || out.Status.Error == "" {
		t.Errorf("got %+v, want it given up with the reason", out)
	}
}

// One that says nothing is given up when the time is over, and ended.
func TestTryOfWhatSaysNothing(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": owner(map[string]mcptest.Mode{"mute": mcptest.Hangs})})
	adopt(t, w.open(t, host.Changing))
	out, err := catalog.Try(t.Context(), w.place, "owner:mute", 200*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if out.Answered() || !strings.Contains(out.Status.Error, "it did not answer within 200ms") || out.Content != "" {
		t.Errorf("got %+v, want it given up", out)
	}
}

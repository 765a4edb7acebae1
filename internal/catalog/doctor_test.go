package catalog_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/mcptest"
	"github.com/mortise-dev/mortise/internal/plan"
)

// health is what doctor says of a place, by the names of its rows.
func health(t *testing.T, w workspace, deep bool) (host.Health, map[string]host.HealthRow) {
	t.Helper()
	h, err := catalog.Doctor(t.Context(), w.place, host.Examination{Deep: deep})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]host.HealthRow{}
	for _, r := range h.Rows {
		rows[r.Name] = r
	}
	return h, rows
}

// That a server is declared, starts, answers and can be used are four things: each is
// told, and what is broken is a failure, however well it is declared.
func TestField_CLI02_declared_starts_answers_and_usable_are_told_apart(t *testing.T) {
	forbidden := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer forbidden.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mode := func(m mcptest.Mode) map[string]any {
		return map[string]any{"command": self, "env": map[string]string{mcptest.ModesVar: string(m)}}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"good": mode(mcptest.Normal), "dead": mode(mcptest.Exits), "missing": map[string]any{"command": "no-such-program-here"},
		"forbidden": map[string]any{"type": "streamable-http", "url": forbidden.URL},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorkspace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": string(raw)})

	h, rows := health(t, w, true)
	for name, r := range rows {
		if strings.HasPrefix(name, "server ") && r.Status != check.Warn {
			t.Errorf("not adopted: got %+v, want a warning, and nothing started", r)
		}
	}
	if h.Failed() {
		t.Errorf("not adopted: got a failure in %+v, want none", h.Rows)
	}
	adopt(t, w.open(t, host.Changing))

	_, rows = health(t, w, false)
	for name, want := range map[string]host.HealthRow{
		"good": {Status: check.OK, Detail: "declared; its program is there"}, "dead": {Status: check.OK, Detail: "declared; its program is there"},
		"missing": {Status: check.Fail, Detail: "declared; does not start"}, "forbidden": {Status: check.OK, Detail: "whether it answers is tried with --deep"},
	} {
		if got := rows["server owner:"+name]; got.Status != want.Status || !strings.Contains(got.Detail, want.Detail) {
			t.Errorf("%s: got %+v, want %s, %q", name, got, want.Status, want.Detail)
		}
	}

	h, rows = health(t, w, true)
	for name, want := range map[string]host.HealthRow{
		"good": {Status: check.OK, Detail: "declared; starts; answers; offers 9 tools"}, "dead": {Status: check.Fail, Detail: "declared; starts; does not answer"},
		"missing": {Status: check.Fail, Detail: "declared; does not start"}, "forbidden": {Status: check.Fail, Detail: "declared; does not answer"},
	} {
		if got := rows["server owner:"+name]; got.Status != want.Status || !strings.Contains(got.Detail, want.Detail) || want.Status == check.Fail && got.Fix == "" {
			t.Errorf("%s: got %+v, want %s, %q and what to do", name, got, want.Status, want.Detail)
		}
	}
	if !strings.Contains(rows["server owner:forbidden"].Detail, "403") || !h.Failed() {
		t.Errorf("forbidden: got %+v, want the code that it answers, and a failure", rows["server owner:forbidden"])
	}
}

// A key that is missing is said where its axis rests, and a failure where that is on.
func TestParity092_a_key_that_is_missing(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "[[inject]]\naxis = \"thing\"\nhost = \"thing.invalid\"\nheader = \"X-Key\"\n"})
	adopt(t, w.open(t, host.Changing))
	const row = "credential of thing"
	h, rows := health(t, w, false)
	if rows[row].Status != check.Warn || h.Failed() {
		t.Errorf("at rest: got %+v, want a warning and no failure", rows[row])
	}
	turn(t, w, "thing", "on")
	h, rows = health(t, w, false)
	if rows[row].Status != check.Fail || !h.Failed() {
		t.Errorf("on: got %+v, want a failure", rows[row])
	}
	w.place.Env = append(w.place.Env, "MORTISE_INJECT_THING=the-key-itself")
	h, rows = health(t, w, false)
	if rows[row].Status != check.OK || h.Failed() {
		t.Errorf("on, and there: got %+v, want it well", rows[row])
	}
	for _, r := range h.Rows {
		if strings.Contains(r.Name+r.Detail+r.Fix, "the-key-itself") {
			t.Errorf("got %+v, want no key in it", r)
		}
	}
}

// What cannot be read is told, and costs no other row.
func TestDoctorOfWhatIsBroken(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": "[trust\n", ".mortise/skills/a/SKILL.md": "---\nname: a\ndescription: A.\n---\nA."})
	if err := os.MkdirAll(w.place.Paths.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(catalog.StatePath(w.place), []byte("SQLite format 3\x00 and no more"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.place.Paths.State, "audit"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h, rows := health(t, w, false)
	for _, name := range []string{"configuration", "state", "log of calls"} {
		if r := rows[name]; r.Status != check.Fail || r.Fix == "" {
			t.Errorf("%s: got %+v, want a failure with its fix", name, r)
		}
	}
	if rows["git"].Status == "" || !h.Failed() {
		t.Errorf("got %+v, want the other rows, too", h.Rows)
	}
}

// turn sets an axis.
func turn(t *testing.T, w workspace, axis, level string) {
	t.Helper()
	h := w.open(t, host.Changing)
	g, err := h.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.SetMode(t.Context(), g, plan.Change{Updates: []plan.Update{{Axis: axis, Level: level}}}, "tester"); err != nil {
		t.Fatal(err)
	}
}

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// A host that runs and does not say how it is doing is told of; only one that is
// gone ended meanwhile.
func TestHostThatDoesNotAnswerIsToldOf(t *testing.T) {
	for name, c := range map[string]struct {
		servers, generation string // answers; "" is a refusal
		want                string
	}{
		"well":       {`{"servers": []}`, `{}`, ""},
		"no servers": {"", `{}`, "did not answer: it broke"},
		"no listing": {`{"servers": []}`, "", "did not answer: it broke"},
		"nonsense":   {`{"servers": 1}`, `{}`, "did not answer: json"},
	} {
		t.Run(name, func(t *testing.T) {
			base, err := os.MkdirTemp("", "h") // short: a socket lies in it
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(base) })
			if base, err = filepath.EvalSymlinks(base); err != nil {
				t.Fatal(err)
			}
			p := host.Place{Workspace: config.Workspace{Dir: base}, Paths: config.Paths{State: base}}
			var errs bytes.Buffer
			call := &call{App: &App{Err: &errs}}
			claim, err := instance.Take(call.running(p), base, instance.HTTP)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = claim.Close() })
			l, err := claim.Listen()
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			mux.Handle(instance.IDPath, claim.Identify())
			for path, text := range map[string]string{"/api/servers": c.servers, "/api/generation": c.generation} {
				mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
					if text == "" {
						w.WriteHeader(http.StatusInternalServerError)
						text = `{"error": "it broke"}`
					}
					_, _ = w.Write([]byte(text))
				})
			}
			srv := &http.Server{Handler: mux} //nolint:gosec // it ends with the test
			go func() { _ = srv.Serve(l) }()
			t.Cleanup(func() { _ = srv.Close() })
			if err := claim.Publish("127.0.0.1:1", false); err != nil {
				t.Fatal(err)
			}
			if _, err := call.doing(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			who := fmt.Sprintf("mortise: process %d, which serves this workspace, ", os.Getpid())
			if got := errs.String(); c.want == "" && got != "" || c.want != "" && !strings.HasPrefix(got, who+c.want) {
				t.Errorf("told: got %q, want the process and %q", got, c.want)
			}
		})
	}
}

func TestUnanswered(t *testing.T) {
	var errs bytes.Buffer
	c := &call{App: &App{Err: &errs}}
	c.unanswered(instance.Record{Process: child.Identity{Pid: 1 << 30}}, errors.New("no such socket"))
	c.unanswered(instance.Record{Process: child.Self()}, fmt.Errorf("ask: %w", context.Canceled))
	if errs.Len() > 0 {
		t.Errorf("told of a host that is gone, and of a question that was taken back: got %q, want nothing", errs.String())
	}
}

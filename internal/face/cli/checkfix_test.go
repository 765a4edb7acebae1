package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/host"
)

// endsAfter is a context that ends when its end was asked for so often.
type endsAfter struct {
	context.Context
	asked int
}

func (c *endsAfter) Err() error {
	if c.asked--; c.asked < 0 {
		return context.Canceled
	}
	return nil
}

// Whoever ends a fix before it is done hears what was done until then, and gets
// the exit code of what could not be done.
func TestFixThatEndsEarlyTellsWhatItDid(t *testing.T) {
	const marked, plain = "\ufeff---\nname: a\n---\n", "---\nname: a\n---\n"
	for _, as := range []string{"page", "json"} {
		t.Run(as, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			l := &host.Listing{Extensions: []host.ExtensionRow{{Name: "x", Root: dir}}}
			for _, name := range []string{"a.md", "b.md", "c.md"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(marked), 0o600); err != nil {
					t.Fatal(err)
				}
				l.Findings = append(l.Findings, host.FindingRow{Code: "bom", Severity: "info", Extension: "x", Path: name, Line: 1})
			}
			var out, errs bytes.Buffer
			app := &App{
				Out: &out, Err: &errs, Dir: dir, Env: []string{"MORTISE_HOME=" + t.TempDir(), "NO_COLOR=1"},
				Check: func(_ context.Context, in host.Inspection) (*host.Listing, error) {
					if in.Changes != nil {
						return &host.Listing{}, nil
					}
					return l, nil
				},
			}
			args := []string{"check", "--fix", "."}
			if as == "json" {
				args = append(args, "--json")
			}
			code := Run(&endsAfter{t.Context(), 2}, app, args)
			if code != exitFailed || errs.String() != "mortise: interrupted\n" {
				t.Errorf("check: got code %d and %q, want %d and that it was interrupted", code, errs.String(), exitFailed)
			}
			for name, want := range map[string]string{"a.md": plain, "b.md": plain, "c.md": marked} {
				if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != want {
					t.Errorf("%s: got %q, %v, want %q", name, data, err, want)
				}
			}
			if as == "page" {
				if !strings.Contains(out.String(), "a.md  mended") || !strings.Contains(out.String(), "b.md  mended") || strings.Contains(out.String(), "c.md") ||
					!strings.Contains(out.String(), "2 of 3 files mended; what is left was not looked at: run it again") {
					t.Errorf("page: got\n%s\nwant the two that were mended, and that it was not all", &out)
				}
				return
			}
			var doc map[string]json.RawMessage
			var done []host.Mended
			if err := json.Unmarshal(out.Bytes(), &doc); err != nil || len(doc) != 1 || json.Unmarshal(doc["mended"], &done) != nil || len(done) != 2 {
				t.Errorf("document: got %s, %v, want what was mended alone", &out, err)
			}
		})
	}
}

// What could not be written is told, and ends with the code of that, whatever
// else is left.
func TestFixThatCannotWriteFails(t *testing.T) {
	var errs bytes.Buffer
	c := &call{App: &App{Out: new(bytes.Buffer), Err: &errs}}
	for _, x := range []struct {
		name string
		done []host.Mended
		want int
	}{
		{"nothing was to be done", nil, exitDone},
		{"what may not be written stays", []host.Mended{{Fault: "it is read-only"}}, exitDone},
		{"one could not be written", []host.Mended{{}, {Fault: "no room", Failed: true}}, exitFailed},
	} {
		if got := exitCode(c.unwritten(x.done)); got != x.want {
			t.Errorf("%s: got code %d, want %d", x.name, got, x.want)
		}
	}
}

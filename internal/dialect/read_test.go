package dialect_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/golden"
)

// TestRead reads what clients tell, one archive for each: what comes of each text,
// or why it is refused. A text is named for its event, with the reason after it.
func TestRead(t *testing.T) {
	for _, client := range dialect.Clients() {
		golden.Run(t, filepath.Join("testdata", "read", client+".txtar"), []string{"want"}, func(_ *testing.T, in []txtar.File) []string {
			var out strings.Builder
			for _, f := range in {
				fmt.Fprintf(&out, "%s\n", f.Name)
				event, _, _ := strings.Cut(f.Name, " ")
				e, err := dialect.Read(client, event, f.Data)
				if err != nil {
					fmt.Fprintf(&out, "    error: %v\n", err)
					continue
				}
				show(&out, &e)
			}
			return []string{out.String()}
		})
	}
}

func show(out *strings.Builder, e *dialect.Event) {
	fmt.Fprintf(out, "    %s, session %q in %q\n", e.Moment, e.Session, e.Dir)
	if e.Tool != "" {
		fmt.Fprintf(out, "    tool %q %s\n", e.Tool, e.Input)
	}
	if e.Served.Is() {
		fmt.Fprintf(out, "    served by %q as %q\n", e.Served.Server, e.Served.Tool)
	}
	if e.Use != "" {
		fmt.Fprintf(out, "    use %q\n", e.Use)
	}
	if e.Prompt != "" {
		fmt.Fprintf(out, "    prompt %q\n", e.Prompt)
	}
	if e.Output != nil {
		fmt.Fprintf(out, "    came to %s\n", e.Output)
	}
}

// What no client is called cannot be read: a slip in a configuration is told.
func TestReadOfNobody(t *testing.T) {
	if _, err := dialect.Read("clode", "PreToolUse", []byte(`{}`)); err == nil || !strings.Contains(err.Error(), "claude-code") {
		t.Errorf("Read of clode: got %v, want an error that names the clients", err)
	}
}

// FuzzRead wants whatever is read to hold what a guard depends on: the name of a
// tool and an object for its input, at every moment that is about one.
func FuzzRead(f *testing.F) {
	f.Add("claude-code", "PreToolUse", []byte(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`))
	f.Add("copilot", "preToolUse", []byte(`{"toolName":"bash","toolArgs":"{}"}`))
	f.Add("cursor", "beforeShellExecution", []byte(`{"hook_event_name":"beforeShellExecution","command":"ls"}`))
	f.Add("antigravity", "PreToolUse", []byte(`{"toolCall":{"name":"run_command","args":{}}}`))
	f.Fuzz(func(t *testing.T, client, event string, text []byte) {
		e, err := dialect.Read(client, event, text)
		if err != nil {
			return
		}
		switch e.Moment {
		case dialect.BeforeTool, dialect.AfterTool, dialect.AfterToolFailure, dialect.Permission:
			if e.Tool == "" || len(e.Input) == 0 || e.Input[0] != '{' {
				t.Fatalf("got the tool %q and the input %s", e.Tool, e.Input)
			}
			changed := e.With([]byte(`{"command":"later","file_path":"later","edits":[]}`)) // nothing of before is told after a rewrite
			told, err := changed.Texts(client, event)
			if err != nil || len(told) != 1 {
				t.Fatalf("with another input: got %s, %v", told, err)
			}
			if back, err := dialect.Read(client, event, told[0]); err != nil || !strings.Contains(string(back.Input), `"later"`) || back.Tool != e.Tool {
				t.Fatalf("with another input: told %s, which is read as %s %s, %v", told[0], back.Tool, back.Input, err)
			}
		}
		for _, to := range dialect.Clients() {
			for _, name := range e.Names(to) {
				texts, err := e.Texts(to, name)
				if err != nil {
					continue
				}
				for _, told := range texts { // what we tell is what we would read
					if back, err := dialect.Read(to, name, told); err != nil {
						t.Fatalf("told to %s as %s: %s is not read: %v", to, name, told, err)
					} else if back.Moment != e.Moment {
						t.Fatalf("told to %s: got the moment %s, want %s", to, back.Moment, e.Moment)
					}
				}
			}
		}
	})
}

package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

// clients compares what clients are remembered to deliver with what their settings hold. A
// guard that counts as asked and is not is none.
func (x *examined) clients() []doctor.Check {
	return []doctor.Check{{Name: "clients", Do: func(ctx context.Context, say func(doctor.Row)) error {
		snap, err := sqlstore.Peek(ctx, StatePath(x.place))
		if err != nil {
			return fmt.Errorf("what clients deliver is not known: %w", err)
		}
		delivered := map[string][]string{}
		for _, k := range snap.Connections {
			if k.Workspace == x.place.Workspace.ID {
				delivered[k.Client] = append(delivered[k.Client], k.Event)
			}
		}
		for _, client := range dialect.Clients() {
			if row := x.client(client, delivered[client]); row.Status != "" {
				row.Name = "client " + client
				say(row)
			}
		}
		return nil
	}}}
}

// client is the row of one client; none where it has nothing to do with Mortise here.
func (x *examined) client(client string, delivers []string) doctor.Row {
	lines, faults := x.hookLines(client)
	name := dialect.SettingsFile(client)
	for _, l := range lines {
		if why := x.missing(l.program); why != nil {
			return doctor.Row{
				Status: check.Fail, At: l.file, Detail: fmt.Sprintf("its line for %s calls a program that cannot be run (%s), which it takes for consent", l.event, why),
				Fix: "mortise hook " + client + " prints the lines as they should be",
			}
		}
	}
	switch {
	case len(faults) > 0 && len(delivers) > 0:
		return doctor.Row{Status: check.Warn, Detail: "whether it still asks is not known: " + faults[0].Error(), Fix: "mend the file"}
	case len(lines) == 0 && len(delivers) == 0:
		return doctor.Row{}
	case len(lines) == 0:
		return x.unasked(client, name, delivers)
	case len(delivers) == 0:
		return doctor.Row{Status: check.Warn, At: lines[0].file, Detail: "its settings hold our lines, and it delivered no event here: guards of its events alone are not in use", Fix: "use it here once; else look whether it trusts its settings"}
	}
	var without []string
	for _, event := range delivers {
		if !slices.ContainsFunc(lines, func(l hookLine) bool { return l.event == event }) {
			without = append(without, event)
		}
	}
	if len(without) > 0 {
		return doctor.Row{
			Status: check.Warn, At: lines[0].file, Detail: "it is remembered to deliver " + strings.Join(without, ", ") + ", for which its settings hold no line",
			Fix: "add the lines that mortise hook " + client + " prints, or mortise hook " + client + " --forget",
		}
	}
	return doctor.Row{Status: check.OK, At: lines[0].file, Detail: fmt.Sprintf("it asks about %d events", len(delivers))}
}

// unasked is the row of a client whose lines are gone.
func (x *examined) unasked(client, name string, delivers []string) doctor.Row {
	row := doctor.Row{
		Status: check.Fail, At: name,
		Detail: fmt.Sprintf("it is remembered to deliver %d events, and no settings of it hold our lines: what it does by itself is guarded by nobody", len(delivers)),
		Fix:    fmt.Sprintf("put in what mortise hook %s prints; where it is not to ask any more: mortise hook %s --forget", client, client),
	}
	if _, err := os.Lstat(filepath.Join(x.place.Workspace.Dir, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
		row.Mend = x.ours("write "+name+" with our lines", "hook", client, "--install")
	}
	return row
}

// missing is why a program could not be run; nil where it can, or that cannot be told.
func (x *examined) missing(program string) error {
	if program == "" || strings.ContainsAny(program, "$~`") || !filepath.IsAbs(program) && strings.ContainsAny(program, `/\`) {
		return nil
	}
	_, err := child.Find(program, x.place.Env)
	return err
}

// hookLine is one line of a client's settings that calls us.
type hookLine struct{ file, event, program string }

const mostSettings = 4 << 20

// hookLines are our lines in the settings of a client: the workspace's, and the person's.
// A file that cannot be read is a fault.
func (x *examined) hookLines(client string) (all []hookLine, faults []error) {
	for _, name := range x.settings(client) {
		text, err := file.ReadAtMost(name, mostSettings)
		var v any
		if err == nil {
			err = json.Unmarshal(text, &v)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", ext.Quote(name), err))
		default:
			var of []hookLine
			commands(v, func(line string) {
				if program, event, ok := ourLine(line, client); ok {
					of = append(of, hookLine{name, event, program})
				}
			})
			slices.SortFunc(of, func(a, b hookLine) int { return strings.Compare(a.event, b.event) })
			all = append(all, of...)
		}
	}
	return all, faults
}

// settings are the files in which a client may have hooks.
func (x *examined) settings(client string) []string {
	name := filepath.FromSlash(dialect.SettingsFile(client))
	all := []string{filepath.Join(x.place.Workspace.Dir, name)}
	switch client {
	case dialect.ClaudeCode:
		all = append(all, filepath.Join(x.place.Workspace.Dir, ".claude", "settings.local.json"))
	case dialect.Copilot: // any file of the folder
		all, _ = filepath.Glob(filepath.Join(x.place.Workspace.Dir, filepath.Dir(name), "*.json")) // the pattern is valid
		return all
	}
	if home := x.variable("HOME"); filepath.IsAbs(home) && home != x.place.Workspace.Dir {
		all = append(all, filepath.Join(home, name))
	}
	return all
}

// commands are the command lines in a document.
func commands(v any, line func(string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			commands(e, line)
		}
	case map[string]any:
		for key, e := range v {
			if text, ok := e.(string); ok && (key == "command" || key == "bash") {
				line(text)
			}
			commands(e, line)
		}
	}
}

// ourLine takes a command line apart that calls mortise hook for a client.
func ourLine(line, client string) (program, event string, ours bool) {
	program, rest := firstWord(strings.TrimSpace(line))
	words := strings.Fields(rest)
	if len(words) < 3 || words[0] != "hook" || words[1] != client {
		return "", "", false
	}
	return program, words[2], true
}

// firstWord is the first word of a line for a shell, without its quotes.
func firstWord(line string) (word, rest string) {
	var out strings.Builder
	for i, quote := 0, byte(0); i < len(line); i++ {
		switch c := line[i]; {
		case quote == 0 && c == ' ':
			return out.String(), line[i:]
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			out.WriteByte(line[i])
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), ""
}

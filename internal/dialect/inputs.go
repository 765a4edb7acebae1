package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// fields are the spellings of arguments that tools of one kind have in every
// client, by a name of our own. The first of a client is the one that its tools
// have now; the others are older, or those of its other sets of tools.
var fields = map[kind]map[string]map[string][]string{
	shell: {
		"command": {ClaudeCode: {"command"}, Codex: {"command", "cmd"}, Cursor: {"command"}, Copilot: {"command"}, Gemini: {"command"}, Antigravity: {"CommandLine"}},
	},
	read: {"path": paths}, write: {"path": paths, "content": contents}, edit: {"path": paths, "old": olds, "new": news},
	patch: {"path": paths}, remove: {"path": paths}, tab: {"path": paths}, list: {},
	fetch:  {"url": {ClaudeCode: {"url"}, Cursor: {"url"}, Copilot: {"url"}, Gemini: {"url"}, Antigravity: {"Url"}}},
	search: {"query": {ClaudeCode: {"query"}, Cursor: {"query"}, Copilot: {"query"}, Gemini: {"query"}, Antigravity: {"query"}}},
	grep:   {"pattern": patterns}, glob: {"pattern": globs},
}

var (
	paths    = map[string][]string{ClaudeCode: {"file_path", "notebook_path"}, Codex: {"file_path"}, Cursor: {"file_path", "path", "target_file"}, Copilot: {"path", "file_path", "filePath"}, Gemini: {"file_path", "absolute_path"}, Antigravity: {"TargetFile", "AbsolutePath", "File"}}
	contents = map[string][]string{ClaudeCode: {"content"}, Cursor: {"content", "contents"}, Copilot: {"file_text", "content"}, Gemini: {"content"}, Antigravity: {"CodeContent"}}
	olds     = map[string][]string{ClaudeCode: {"old_string"}, Cursor: {"old_string"}, Copilot: {"old_str", "old_string", "oldString"}, Gemini: {"old_string"}, Antigravity: {"TargetContent"}}
	news     = map[string][]string{ClaudeCode: {"new_string"}, Cursor: {"new_string"}, Copilot: {"new_str", "new_string", "newString"}, Gemini: {"new_string"}, Antigravity: {"ReplacementContent"}}
	patterns = map[string][]string{ClaudeCode: {"pattern"}, Cursor: {"pattern"}, Copilot: {"pattern", "query"}, Gemini: {"pattern"}, Antigravity: {"Query"}}
	globs    = map[string][]string{ClaudeCode: {"pattern"}, Cursor: {"glob_pattern"}, Copilot: {"pattern", "query"}, Gemini: {"pattern"}, Antigravity: {"Pattern"}}
)

// lent is one argument that was told by another name besides its own.
type lent struct{ own, as string }

// agreed are the arguments of an event. Two that are one argument in different
// spellings, of whatever clients, and have different values are an error: which of
// them a tool takes, and which a guard looks at, may not be the same.
func (e *Event) agreed() (arguments, error) {
	in, err := members(e.Input)
	if err != nil {
		return nil, err
	}
	for _, spellings := range fields[e.kind()] {
		first := -1
		for _, client := range Clients() {
			for _, key := range spellings[client] {
				switch i := in.at(key); {
				case i < 0:
				case first < 0:
					first = i
				case !Equal(in[first].value, in[i].value):
					return nil, fmt.Errorf("gives %q and %q values that differ, which are one argument", in[min(first, i)].key, in[max(first, i)].key)
				}
			}
		}
	}
	return in, nil
}

// respelt is the input of an event as tools of a client have it: all that it
// holds, and besides, under the client's names, what tools of that kind have there.
func (e *Event) respelt(client string) (arguments, []lent, error) {
	in, err := e.agreed()
	if err != nil || e.Client == client {
		return in, nil, err
	}
	var loans []lent
	for _, spellings := range fields[e.kind()] {
		if len(spellings[client]) == 0 || in.at(spellings[client][0]) >= 0 {
			continue
		}
		for _, own := range spellings[e.Client] {
			if i := in.at(own); i >= 0 {
				loans = append(loans, lent{own, spellings[client][0]})
				in = append(in, argument{spellings[client][0], in[i].value})
				break
			}
		}
	}
	slices.SortFunc(in[len(in)-len(loans):], func(a, b argument) int { return strings.Compare(a.key, b.key) })
	slices.SortFunc(loans, func(a, b lent) int { return strings.Compare(a.as, b.as) })
	return in, loans, nil
}

// Rewritten is what a hook of a client's dialect made of the input that it was
// told, in the words of the client that the event happened in. What was told by
// another name besides goes back to its own; a hook that changes one and not the
// other means that one, and two that were changed differently are an error.
func (e *Event) Rewritten(client string, input json.RawMessage) (json.RawMessage, error) {
	told, loans, err := e.respelt(client)
	if err != nil {
		return nil, err
	}
	out, err := members(input)
	if err != nil || len(loans) == 0 {
		return input, err
	}
	for _, l := range loans {
		was := told[told.at(l.as)].value
		own, as := out.at(l.own), out.at(l.as)
		switch {
		case as < 0 && own < 0:
			continue
		case as < 0: // it left the other name out, and kept our own
			continue
		case own < 0 || Equal(out[own].value, was):
			if own < 0 {
				out = append(out, argument{l.own, out[as].value})
			} else {
				out[own].value = out[as].value
			}
		case !Equal(out[as].value, was) && !Equal(out[as].value, out[own].value):
			return nil, fmt.Errorf("gives %q and %q values that differ, which are one argument", l.own, l.as)
		}
		out = slices.Delete(out, out.at(l.as), out.at(l.as)+1)
	}
	return out.encode(), nil
}

// Equal reports whether two texts are one JSON value.
func Equal[T ~[]byte](a, b T) bool {
	x, y := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// field is a text among the arguments, by a name of our own for it.
func (e *Event) field(name string) string {
	in, err := members(e.Input)
	if err != nil {
		return ""
	}
	spellings := fields[e.kind()][name]
	for _, key := range append(slices.Clone(spellings[e.Client]), name) {
		if i := in.at(key); i >= 0 {
			var s string
			if jsonv2.Unmarshal(in[i].value, &s) == nil {
				return s
			}
		}
	}
	return ""
}

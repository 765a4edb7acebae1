package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
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
	paths    = map[string][]string{ClaudeCode: {"file_path", "notebook_path"}, Codex: {"file_path"}, Cursor: {"file_path", "path"}, Copilot: {"path", "file_path", "filePath"}, Gemini: {"file_path", "absolute_path"}, Antigravity: {"TargetFile", "AbsolutePath", "File"}}
	contents = map[string][]string{ClaudeCode: {"content"}, Cursor: {"content", "contents"}, Copilot: {"file_text", "content"}, Gemini: {"content"}, Antigravity: {"CodeContent"}}
	olds     = map[string][]string{ClaudeCode: {"old_string"}, Cursor: {"old_string"}, Copilot: {"old_str", "old_string", "oldString"}, Gemini: {"old_string"}, Antigravity: {"TargetContent"}}
	news     = map[string][]string{ClaudeCode: {"new_string"}, Cursor: {"new_string"}, Copilot: {"new_str", "new_string", "newString"}, Gemini: {"new_string"}, Antigravity: {"ReplacementContent"}}
	patterns = map[string][]string{ClaudeCode: {"pattern"}, Cursor: {"pattern"}, Copilot: {"pattern", "query"}, Gemini: {"pattern"}, Antigravity: {"Query"}}
	globs    = map[string][]string{ClaudeCode: {"pattern"}, Cursor: {"glob_pattern"}, Copilot: {"pattern", "query"}, Gemini: {"pattern"}, Antigravity: {"Pattern"}}
)

// arguments are the members of an input, in order.
type arguments []argument

type argument struct {
	key   string
	value jsontext.Value
}

func (a arguments) at(key string) int {
	return slices.IndexFunc(a, func(m argument) bool { return m.key == key })
}

// text reports whether there is a text under a key.
func (a arguments) text(key string) bool {
	i := a.at(key)
	return i >= 0 && a[i].value.Kind() == jsontext.KindString
}

// with is a with a text under a key, whatever was there.
func (a arguments) with(key, text string) arguments {
	out := slices.DeleteFunc(slices.Clone(a), func(m argument) bool { return m.key == key })
	return append(out, argument{key, []byte(encode(text))})
}

func (a arguments) encode() json.RawMessage {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, m := range a {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encode(m.key))
		out.WriteByte(':')
		out.Write(m.value)
	}
	out.WriteByte('}')
	return out.Bytes()
}

func members(input json.RawMessage) (arguments, error) {
	d := jsontext.NewDecoder(bytes.NewReader(input))
	if t, err := d.ReadToken(); err != nil || t.Kind() != jsontext.KindBeginObject {
		return nil, errNoObject
	}
	var out arguments
	for d.PeekKind() == jsontext.KindString {
		var m argument
		name, err := d.ReadToken()
		if err == nil {
			m.key = name.String()
			m.value, err = d.ReadValue()
		}
		if err != nil {
			return nil, errNoObject
		}
		m.value = m.value.Clone()
		out = append(out, m)
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, errNoObject
	}
	return out, nil
}

// lent is one argument that was told by another name besides its own.
type lent struct{ own, as string }

// respelt is the input of an event as tools of a client have it: all that it
// holds, and besides, under the client's names, what tools of that kind have there.
func (e *Event) respelt(client string) (arguments, []lent, error) {
	in, err := members(e.Input)
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
		case own < 0 || equal(out[own].value, was):
			if own < 0 {
				out = append(out, argument{l.own, out[as].value})
			} else {
				out[own].value = out[as].value
			}
		case !equal(out[as].value, was) && !equal(out[as].value, out[own].value):
			return nil, fmt.Errorf("gives %q and %q values that differ, which are one argument", l.own, l.as)
		}
		out = slices.Delete(out, out.at(l.as), out.at(l.as)+1)
	}
	return out.encode(), nil
}

func equal(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
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

// files are what a dialect tells one at a time where a tool takes several: one
// empty text where what the hook would look for is in the input already. A call
// that does not say what every call of its kind is about in that dialect cannot be
// told there: a guard would look for it, and find nothing to object to.
func (e *Event) files(client string, in arguments) ([]string, error) {
	k := e.kind()
	if e.Client == client || k == served {
		return []string{""}, nil
	}
	if k == shell && !in.text(fields[shell]["command"][client][0]) {
		return nil, errors.New("the call names no command")
	}
	if fields[k]["path"] == nil || in.text(paths[client][0]) {
		return []string{""}, nil
	}
	var files []string
	for _, m := range in {
		files = append(files, filesIn(m.value)...)
	}
	if files = unique(files); len(files) == 0 {
		return nil, errors.New("the call names no file")
	}
	return files, nil
}

// filesIn are the files that a list names, or a patch.
func filesIn(v jsontext.Value) (files []string) {
	var list []jsontext.Value
	switch v.Kind() {
	case jsontext.KindString:
		return patched(v)
	case jsontext.KindBeginArray:
		if jsonv2.Unmarshal(v, &list) != nil {
			return nil
		}
	}
	for _, item := range list {
		var s string
		if jsonv2.Unmarshal(item, &s) == nil {
			files = append(files, s)
			continue
		}
		in, err := members(json.RawMessage(item))
		if err != nil {
			continue
		}
		for _, key := range slices.Concat(paths[ClaudeCode], paths[Copilot], paths[Antigravity]) {
			if i := in.at(key); i >= 0 && jsonv2.Unmarshal(in[i].value, &s) == nil {
				files = append(files, s)
			}
		}
	}
	return files
}

// patched are the files that the text of a patch names.
func patched(v jsontext.Value) (files []string) {
	var text string
	if jsonv2.Unmarshal(v, &text) != nil || !strings.Contains(text, "*** Begin Patch") {
		return nil
	}
	for line := range strings.Lines(text) {
		for _, head := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), head); ok {
				files = append(files, strings.TrimSpace(file))
			}
		}
	}
	return files
}

// asPatch is the input of a tool that writes or edits one file as a client tells
// it that has none but one for patches: guards there look into the patch.
func (e *Event) asPatch(in arguments) (arguments, error) {
	file, content, was, is := e.field("path"), e.field("content"), e.field("old"), e.field("new")
	var lines []string
	switch k := e.kind(); {
	case k == patch:
		return in, nil
	case file == "" || strings.ContainsAny(file, "\r\n"):
		return nil, errors.New("the call names no file")
	case k == write:
		lines = append([]string{"*** Add File: " + file}, marked("+", content)...)
	case k == edit && was != "":
		lines = append(append([]string{"*** Update File: " + file, "@@"}, marked("-", was)...), marked("+", is)...)
	case k == remove:
		lines = []string{"*** Delete File: " + file}
	default:
		return nil, errors.New("the call does not say what it changes in a way that is known")
	}
	text := "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"
	return in.with("command", text), nil
}

func marked(mark, text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		lines[i] = mark + lines[i]
	}
	return lines
}

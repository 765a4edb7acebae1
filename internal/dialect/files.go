package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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
	if fields[k]["path"] == nil {
		return []string{""}, nil
	}
	if deep(e.Input) {
		return nil, errors.New("the call's arguments are nested too deep")
	}
	file, one := in.string(paths[client][0])
	files, err := filesIn(k, in, one)
	switch {
	case err != nil:
		return nil, err
	case !one && len(files) == 0:
		return nil, errors.New("the call names no file")
	case !one:
		return files, nil
	}
	if files = unique(append([]string{file}, files...)); len(files) == 1 {
		return []string{""}, nil
	}
	return files, nil
}

// filesIn are the files that arguments name in lists, objects and patches. one
// reports that there is a file which is told as such: then a text of a call that is
// no patch is what is written, and a list of texts may be about something else.
func filesIn(k kind, in arguments, one bool) (files []string, err error) {
	for _, m := range in {
		var more []string
		switch m.value.Kind() {
		case jsontext.KindString:
			if k == patch || !one {
				more = patched(m.value)
			}
		case jsontext.KindBeginArray:
			more, err = listedFiles(m.value, !one || namesFiles(m.key))
		case jsontext.KindBeginObject:
			more, err = filesWithin(m.value)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return unique(files), nil
}

// listedFiles are the files that a list names: by its texts, if those are files, by
// patches among them, and by its objects, of which either all or none name one.
func listedFiles(v jsontext.Value, texts bool) (files []string, err error) {
	var list []jsontext.Value
	if err := jsonv2.Unmarshal(v, &list); err != nil {
		return nil, errNoObject
	}
	with, without := false, false
	for _, item := range list {
		var more []string
		switch item.Kind() {
		case jsontext.KindString:
			if more = patched(item); len(more) == 0 && texts {
				more = append(more, unquoted(item))
			}
		case jsontext.KindBeginArray:
			more, err = listedFiles(item, texts)
		case jsontext.KindBeginObject:
			more, err = filesWithin(item)
			with, without = with || len(more) > 0, without || len(more) == 0
		}
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	if with && without {
		return nil, errors.New("the call names files in some items of a list, and none in others")
	}
	return files, nil
}

// filesWithin are the files that an object names.
func filesWithin(v jsontext.Value) (files []string, err error) {
	in, err := members(json.RawMessage(v))
	if err != nil {
		return nil, err
	}
	for _, m := range in {
		var more []string
		switch m.value.Kind() {
		case jsontext.KindString:
			if more = patched(m.value); len(more) == 0 && isPath(m.key) {
				more = append(more, unquoted(m.value))
			}
		case jsontext.KindBeginArray:
			more, err = listedFiles(m.value, namesFiles(m.key))
		case jsontext.KindBeginObject:
			more, err = filesWithin(m.value)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	return files, nil
}

// isPath reports whether an argument of that name is a file, in some client.
func isPath(key string) bool {
	return slices.ContainsFunc(Clients(), func(client string) bool { return slices.Contains(paths[client], key) })
}

// namesFiles reports whether a list under that name is one of files.
func namesFiles(key string) bool {
	key = fold(key)
	return strings.Contains(key, "file") || strings.Contains(key, "path")
}

func unquoted(v jsontext.Value) string {
	var s string
	_ = jsonv2.Unmarshal(v, &s) // it is a text
	return s
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

var errUnknownChange = errors.New("the call does not say what it changes in a way that is known")

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
	case slices.ContainsFunc(in, func(m argument) bool {
		return m.value.Kind() == jsontext.KindBeginArray && bytes.IndexByte(m.value, '{') >= 0
	}):
		return nil, errUnknownChange // several changes, and what is told would be one of them
	case k == write:
		lines = append([]string{"*** Add File: " + file}, marked("+", content)...)
	case k == edit && was != "":
		lines = append(append([]string{"*** Update File: " + file, "@@"}, marked("-", was)...), marked("+", is)...)
	case k == remove:
		lines = []string{"*** Delete File: " + file}
	default:
		return nil, errUnknownChange
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

package surface

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// Question is what the hooks of a plan are asked: everything that an answer may
// depend on. What answers gets it as a JSON object.
type Question struct {
	Hook      string `json:"hook" doc:"The hook that is asked, for what answers several."`
	Workspace string `json:"workspace" doc:"The absolute directory of the worktree."`
	// Mode is the level of every axis; nil for a hook whose answers are the same in
	// every mode.
	Mode ext.Mode `json:"mode,omitempty" doc:"The level of every axis, by its name."`
	// Tables are the tables of the configuration that are about what is built in.
	Tables map[string]json.RawMessage `json:"tables,omitempty" doc:"Tables of the configuration, for what is built in."`
	// Settings are those of the extension that is asked, a JSON object; nil: none.
	Settings json.RawMessage `json:"settings,omitempty" doc:"The settings of the extension that is asked."`
	// Merged are the merged answers to the hooks that this one reads.
	Merged map[string]json.RawMessage `json:"merged,omitempty" doc:"The merged answers to the hooks that this one builds on, by their names."`
	// Deep: checks may take their time and ask the network.
	Deep bool `json:"deep,omitempty" doc:"Checks may take their time."`
}

// Condition says in which modes something holds: of each axis that it names, one of
// the levels beside it. The zero Condition always holds. An axis that there is not is
// at no level.
type Condition map[string][]string

// Holds reports whether the condition holds in a mode.
func (c Condition) Holds(m ext.Mode) bool {
	for axis, levels := range c {
		if level, ok := m[axis]; !ok || !slices.Contains(levels, level) {
			return false
		}
	}
	return true
}

// Axes are the names in the condition, sorted.
func (c Condition) Axes() []string { return slices.Sorted(maps.Keys(c)) }

// Answer is one answer to a hook.
type Answer struct {
	Key   string    // what it is about; "" where the hook has no keys
	When  Condition // in which modes it holds
	Line  int       // of an answer that is data; else 0, or the line in From
	From  string    // what is built in says of what it answers for the configuration: its file
	Value any       // the hook's Out
}

// Answers says how the answers to a hook are read and merged.
type Answers struct {
	Merge Merge
	// Fixed: the answers are the same in every mode, so that none has a condition.
	Fixed bool
	// Reads names the hooks whose merged answers this one builds on.
	Reads  []string
	Fields []Field // of one answer
	out    reflect.Type
	key    func(any) string
	valid  func(any) error
}

// whenField is the member of an answer that says in which modes it holds, and fromField
// one by which what is built in says which row of the configuration it is of.
const whenField, fromField = "when", "from_row"

// Read reads what code answered: a list, null for none, or a result of MCP that
// holds a list under "answers". Anything else is an error, and nothing of it counts.
func (a *Answers) Read(raw json.RawMessage) ([]Answer, error) {
	raw, err := unwrapped(raw)
	if err != nil || raw == nil {
		return nil, err
	}
	var items []jsontext.Value
	err = jsonv2.Unmarshal(raw, &items)
	if wrong := new(jsontext.SyntacticError); errors.As(err, &wrong) { // a member that is there twice, say
		return nil, fmt.Errorf("its answer is no JSON: %s", ext.Escape(ext.Shorten(plainFault(err), 300)))
	}
	if err != nil {
		return nil, fmt.Errorf("it answered %s, expected a list", ext.Quote(ext.Shorten(string(raw), 80)))
	}
	if err := few(len(items)); err != nil {
		return nil, err
	}
	out := make([]Answer, 0, len(items))
	for i, item := range items {
		one, err := a.read(json.RawMessage(item))
		if err != nil {
			return nil, fmt.Errorf("answer %d %w", i+1, err)
		}
		out = append(out, one)
	}
	return out, nil
}

// few refuses more answers of one implementation than anybody would look through.
func few(n int) error {
	const most = 1000
	if n > most {
		return fmt.Errorf("has %d answers, at most %d are taken", n, most)
	}
	return nil
}

// unwrapped is the list in what was answered; nil for none.
func unwrapped(raw json.RawMessage) (json.RawMessage, error) {
	var result struct {
		Structured struct {
			Answers json.RawMessage `json:"answers"`
		} `json:"structuredContent"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] != '{' {
		return raw, nil
	}
	if isResult := jsonv2.Unmarshal(raw, &result) == nil && result.Content != nil; !isResult { // who reads it says what it is
		return raw, nil
	}
	switch {
	case result.IsError && len(result.Content) > 0:
		return nil, fmt.Errorf("it failed: %s", ext.Escape(ext.Shorten(result.Content[0].Text, 500)))
	case result.IsError:
		return nil, fmt.Errorf("it failed and does not say why")
	case result.Structured.Answers != nil:
		return result.Structured.Answers, nil
	case len(result.Content) == 1 && result.Content[0].Text == "null":
		return nil, nil
	case len(result.Content) == 1 && strings.HasPrefix(result.Content[0].Text, "["):
		return json.RawMessage(result.Content[0].Text), nil
	}
	return raw, nil
}

// ReadDoc reads answers that are data: a list of objects, or one object. line is that
// of what is at fault.
func (a *Answers) ReadDoc(d *ext.Doc) (out []Answer, line int, err error) {
	if err := few(len(d.Items())); err != nil {
		return nil, d.Line, err
	}
	for _, item := range d.Items() {
		one, err := a.read(rawOf(nil, item))
		if err != nil {
			return nil, item.Line, fmt.Errorf("answer %d %w", len(out)+1, err)
		}
		one.From, one.Line = "", item.Line
		out = append(out, one)
	}
	return out, d.Line, nil
}

// read reads one answer.
func (a *Answers) read(raw json.RawMessage) (Answer, error) {
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(raw, &members); err != nil {
		return Answer{}, fmt.Errorf("is %s, expected an object", ext.Quote(ext.Shorten(string(raw), 80)))
	}
	var one Answer
	if when, ok := members[whenField]; ok {
		if a.Fixed {
			return Answer{}, fmt.Errorf("has a condition, and answers to this hook are the same in every mode")
		}
		var err error
		if one.When, err = condition(when); err != nil { // none is said where it is null or empty
			return Answer{}, err
		}
	}
	if from, ok := members[fromField]; ok {
		var row struct {
			File string `json:"file"`
			Line int    `json:"line"`
		}
		if err := jsonv2.Unmarshal(from, &row, jsonv2.RejectUnknownMembers(true)); err != nil {
			return Answer{}, fmt.Errorf("says in an unknown way which row it is of")
		}
		one.From, one.Line = row.File, row.Line
	}
	if len(members) > 0 && (members[whenField] != nil || members[fromField] != nil) {
		delete(members, whenField)
		delete(members, fromField)
		var err error
		if raw, err = json.Marshal(members); err != nil {
			return Answer{}, err
		}
	}
	value := reflect.New(a.out)
	if err := jsonv2.Unmarshal(raw, value.Interface(), jsonv2.RejectUnknownMembers(true)); err != nil {
		return Answer{}, fmt.Errorf("cannot be read: %s", ext.Escape(ext.Shorten(plainFault(err), 300)))
	}
	for i := range a.Fields {
		if f := &a.Fields[i]; f.Required && (members[f.Name] == nil || string(members[f.Name]) == "null") {
			return Answer{}, fmt.Errorf("does not say %q, which is needed", f.Name)
		}
	}
	if a.valid != nil {
		if err := a.valid(value.Interface()); err != nil {
			return Answer{}, errors.New(ext.Shorten(err.Error(), 500))
		}
	}
	one.Value = value.Elem().Interface()
	if a.key != nil {
		one.Key = a.key(one.Value)
	}
	return one, nil
}

// plainFault is what is wrong with JSON, without the names of our own types.
func plainFault(err error) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: ")
	if i := strings.Index(text, "unknown object member name"); i >= 0 {
		return strings.TrimPrefix(text[i:], "unknown ") + " is not known"
	}
	if wrong := new(jsonv2.SemanticError); errors.As(err, &wrong) {
		return fmt.Sprintf("%s holds %s, which is not of the type that is expected", ext.Quote(ext.Shorten(string(wrong.JSONPointer), 200)), kindOf(wrong.JSONKind))
	}
	return text
}

// kindOf is the word for a kind of JSON.
func kindOf(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	case '{', '}':
		return "an object"
	case '[', ']':
		return "a list"
	}
	return "something else"
}

// condition reads the member "when": of each axis one level or a list of them.
func condition(raw jsontext.Value) (Condition, error) {
	var axes map[string]jsontext.Value
	if err := jsonv2.Unmarshal(raw, &axes); err != nil {
		return nil, fmt.Errorf("has a condition that is no object")
	}
	if len(axes) == 0 {
		return nil, nil
	}
	c := Condition{}
	for axis, levels := range axes {
		var one string
		var many []string
		switch {
		case jsonv2.Unmarshal(levels, &one) == nil:
			c[axis] = []string{one}
		case jsonv2.Unmarshal(levels, &many) == nil && len(many) > 0:
			c[axis] = many
		default:
			return nil, fmt.Errorf("has a condition on %s that is neither a level nor a list of them", ext.Quote(axis))
		}
	}
	return c, nil
}

// rawOf is a node as JSON. What a format other than JSON has that JSON has not, such as
// a date, is a string.
func rawOf(out []byte, d *ext.Doc) []byte {
	switch d.Kind {
	case ext.Map:
		out = append(out, '{')
		for i := range d.Map {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(quoted(out, d.Map[i].Key), ':')
			out = rawOf(out, &d.Map[i].Value)
		}
		return append(out, '}')
	case ext.List:
		out = append(out, '[')
		for i := range d.List {
			if i > 0 {
				out = append(out, ',')
			}
			out = rawOf(out, &d.List[i])
		}
		return append(out, ']')
	case ext.Null:
		return append(out, "null"...)
	case ext.Bool, ext.Number:
		if jsontext.Value(d.Text).IsValid() {
			return append(out, d.Text...)
		}
	}
	return quoted(out, d.Text)
}

func quoted(out []byte, s string) []byte {
	out, err := jsontext.AppendQuote(out, s)
	if err != nil { // it holds what is no text; that is replaced
		out, _ = jsontext.AppendQuote(out, strings.ToValidUTF8(s, "\ufffd"))
	}
	return out
}

// JSON is a node as JSON.
func JSON(d *ext.Doc) json.RawMessage { return rawOf(nil, d) }

// fieldsOf are the members of an answer, from the tags of its type: json, and doc.
func fieldsOf(t reflect.Type) []Field {
	var out []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		doc := f.Tag.Get("doc")
		if name == "" || name == "-" {
			continue
		}
		if doc == "" {
			panic(fmt.Sprintf("answer %s: the member %s has no doc", t, name))
		}
		out = append(out, Field{Name: name, Type: typeOf(f.Type), Required: !strings.Contains(options, "omit"), Doc: doc})
	}
	return out
}

func typeOf(t reflect.Type) Type {
	switch t.Kind() {
	case reflect.String:
		return Text
	case reflect.Bool:
		return Flag
	case reflect.Int, reflect.Int64:
		return Integer
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return Words
		}
	case reflect.Map, reflect.Struct:
		return Object
	case reflect.Pointer:
		return typeOf(t.Elem())
	}
	return Any
}

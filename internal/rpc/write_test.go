package rpc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestCompose wants messages of our own to be read as what they were made of.
func TestCompose(t *testing.T) {
	for _, c := range []struct {
		frame *Frame
		want  string
	}{
		{Compose([]byte(`"a"`), "tools/call", []byte(`{"name":"x"}`)), `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"x"}}`},
		{Compose(nil, "odd\n\"", nil), `{"jsonrpc":"2.0","method":"odd\n\""}`},
		{Answer([]byte(`7`), []byte(`{"a":1.0}`)), `{"jsonrpc":"2.0","id":7,"result":{"a":1.0}}`},
		{Refuse([]byte(`7`), Fault(-32601, "no \x1b")), `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"no \u001b"}}`},
	} {
		if string(c.frame.Raw) != c.want {
			t.Errorf("got %s, want %s", c.frame.Raw, c.want)
		}
		read, err := Read(c.frame.Raw)
		if err != nil || read.Kind != c.frame.Kind || read.Method != c.frame.Method || read.ID != c.frame.ID || read.Params != c.frame.Params || read.Result != c.frame.Result || read.Fault != c.frame.Fault {
			t.Errorf("%s: read as %+v, %v; composed as %+v", c.want, read, err, c.frame)
		}
	}
}

// TestSpans wants each part of a message to be found where it stands, whatever
// its value is and in whatever order it comes.
func TestSpans(t *testing.T) {
	raw := []byte(`{"params":{"arguments":{"name":"inner","_meta":{"progressToken":9}},"uri":"x://1","name":"n","level":"info","requestId":5,"progressToken":"p","_meta":{"progressToken":6,"io.modelcontextprotocol/protocolVersion":"v","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{"a":1},"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/subscriptionId":"s"}},"method":"m","id":1}`)
	f, err := Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		at   Span
		want string
	}{
		"id": {f.ID, `1`}, "name": {f.Name, `"n"`}, "uri": {f.URI, `"x://1"`}, "level": {f.Level, `"info"`}, "request": {f.RequestID, `5`}, "token": {f.Token, `"p"`},
		"arguments": {f.Arguments, `{"name":"inner","_meta":{"progressToken":9}}`}, "token of _meta": {f.MetaToken, `6`}, "version": {f.Version, `"v"`},
		"client": {f.Client, `{}`}, "capabilities": {f.Capabilities, `{"a":1}`}, "level of _meta": {f.LogLevel, `"debug"`}, "subscription": {f.Subscription, `"s"`},
	} {
		if got := string(f.Bytes(c.at)); !c.at.There() || got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	if !strings.HasPrefix(string(f.Bytes(f.Meta)), `{"progressToken":6,`) || !strings.HasPrefix(string(f.Bytes(f.Params)), `{"arguments"`) {
		t.Errorf("got _meta %s and params %s", f.Bytes(f.Meta), f.Bytes(f.Params))
	}
	for _, twice := range []string{`"name":1,"name":2`, `"uri":1,"uri":2`, `"arguments":{},"arguments":{}`, `"_meta":{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/protocolVersion":2}`} {
		if _, err := Read([]byte(`{"id":1,"method":"m","params":{` + twice + `}}`)); err == nil {
			t.Errorf("%s: got no error, want that a key is repeated", twice)
		}
	}
}

// TestSplices wants edits at one place to come in their order, and insertions.
func TestSplices(t *testing.T) {
	got := Splice([]byte(`{"a":1}`), Span{1, 1}.With([]byte(`"x":0,`)), Span{5, 6}.With([]byte(`22`)), Span{1, 1}.With([]byte(`"y":0,`)), Span{}.With([]byte("no")))
	if want := `{"x":0,"y":0,"a":22}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestEach(t *testing.T) {
	var got []string
	err := Each([]byte(`{"a":1.0, "\u0062":{"c":[]},"a":null}`), func(name string, value []byte) error {
		got = append(got, fmt.Sprintf("%s=%s", name, value))
		return nil
	})
	if want := `a=1.0 b={"c":[]} a=null`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, bad := range []string{``, `[]`, `null`, `{"a"}`, `{"a":1`, `{"a":01}`} {
		if err := Each([]byte(bad), func(string, []byte) error { return nil }); err == nil {
			t.Errorf("%s: got no error, want that it is no object", bad)
		}
	}
}

// FuzzValue wants the scanner to take as JSON what the library takes, and
// nothing else.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,-0.5e+7,true,null,"\u00e9\\\""]}`, `"\ud800"`, `01`, `1.`, `"` + "\x01" + `"`, `[1,]`, `{"a":1,}`, `nul`, `-`, `1e`, `"\x"`, "\"caf\xe9\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := scanner{b: data}
		s.space()
		err := s.value()
		s.space()
		if got, want := err == nil && s.at == len(data), json.Valid(data); got != want {
			t.Errorf("%q: got %v (%v at %d), want %v", data, got, err, s.at, want)
		}
	})
}

// An edited frame is what reading its bytes would give: no part is lost or looked for
// in the wrong place.
func TestEdited(t *testing.T) {
	const raw = ` {"jsonrpc":"2.0", "id" : "a","method":"tools/call","params":{"_meta":{"progressToken":7,"io.modelcontextprotocol/logLevel":"info"},"name":"t","arguments":{"x":[1]},"uri":"u"},"more":1}`
	f, err := Read([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	end := f.Name.To
	for name, edits := range map[string][]Edit{
		"none":         {{}},
		"longer":       {f.ID.With([]byte(`"a longer one"`)), f.MetaToken.With([]byte("123456"))},
		"shorter":      {f.Arguments.With([]byte(`{}`)), f.ID.With([]byte(`1`))},
		"insert":       {{At: Span{end, end}, With: []byte(`,"cursor":"c"`)}},
		"insert first": {{At: Span{f.Meta.From + 1, f.Meta.From + 1}, With: []byte(`"k":1,`)}, f.Name.With([]byte(`"other"`))},
		"at a start":   {{At: Span{f.ID.From, f.ID.From}, With: []byte("   ")}},
	} {
		got := f.Edited(slices.Clone(edits)...)
		want, err := Read(got.Raw)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v, want %+v, %v", name, *got, want, err)
		}
	}
}

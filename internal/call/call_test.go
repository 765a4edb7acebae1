package call_test

import (
	"encoding/json"
	"testing"

	"github.com/mortise-dev/mortise/internal/call"
)

// An error of the other side is foreign text: it is safe to print, and has its code
// and its data as they came.
func TestError(t *testing.T) {
	var e call.Error
	if err := json.Unmarshal([]byte(`{"code":-32099,"message":"odd\u001b[2J","data":{"k":[1.0,"é"]}}`), &e); err != nil {
		t.Fatal(err)
	}
	if got, want := e.Error(), `odd\x1b[2J`; got != want {
		t.Errorf("Error: got %q, want %q", got, want)
	}
	if e.Code != -32099 || string(e.Data) != `{"k":[1.0,"é"]}` {
		t.Errorf("got the code %d and %s, want those that came", e.Code, e.Data)
	}
}

// modern is a link that says of which revision it is.
type modern struct {
	call.Link
	is bool
}

func (m modern) Modern() bool { return m.is }

// A link that says nothing of its revision is of one with a handshake.
func TestIsModern(t *testing.T) {
	if call.IsModern(nil) || call.IsModern(modern{}) || !call.IsModern(modern{is: true}) {
		t.Error("want a link to be modern where it says so, and nowhere else")
	}
}

package toolcall_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/toolcall"
)

// What a guard answers is an opinion or it is an error, which denies: nothing that
// could be read as both is read as one that lets the call be made.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		raw     string
		verdict toolcall.Verdict
		fails   bool
	}{
		{"null", "", false},
		{"{}", "", false},
		{`{"verdict": "deny", "reason": "r"}`, toolcall.Deny, false},
		{`{"content": [], "structuredContent": {"verdict": "ask"}}`, toolcall.Ask, false},
		{`{"content": [{"type": "text", "text": "null"}]}`, "", false},
		{"", "", true},
		{"[]", "", true},
		{`{"verdict": "allow"}`, "", true},
		{`{"Verdict": "deny"}`, "", true},
		{`{"verdict": "deny", "verdict": ""}`, "", true},
		{`{"verdict": "deny"} {}`, "", true},
		{`{} {"verdict": "deny"}`, "", true},
		{`{"verdict": "", "reason": "r"}`, "", true},
		{`{"isError": true, "isError": false, "content": [{"type": "text", "text": "null"}]}`, "", true},
		{`{"IsError": true, "structuredContent": {}}`, "", true},
		{`{"content": [{"type": "text", "text": "fine"}]}`, "", true},
		{`{"isError": true, "content": [{"type": "text", "text": "it broke"}]}`, "", true},
	} {
		o, err := toolcall.Read([]byte(c.raw))
		if (err != nil) != c.fails || o.Verdict != c.verdict {
			t.Errorf("Read(%s): got %q, %v, want %q and that it fails: %v", c.raw, o.Verdict, err, c.verdict, c.fails)
		}
	}
}

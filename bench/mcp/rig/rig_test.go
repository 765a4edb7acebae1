package rig

import (
	"slices"
	"testing"
)

// Ratios are within a round: a round that one target missed counts for none, and
// shifts nothing.
func TestSamples(t *testing.T) {
	s := Samples{
		"base": {{"ms": 1}, {"ms": 10}, {}, {"ms": 100}},
		"x":    {{"ms": 2}, {"ms": 20}, {"ms": 7}, {"ms": 200, "errors": 3}},
	}
	if got, ok := s.Ratio("x", "base", "ms"); !ok || got != 2 {
		t.Errorf("ratio: got %v %v, want 2", got, ok)
	}
	if got, ok := s.Median("x", "ms"); !ok || got != 13.5 {
		t.Errorf("median: got %v %v, want 13.5", got, ok)
	}
	if got := s.Sum("x", "errors"); got != 3 {
		t.Errorf("sum: got %v, want 3", got)
	}
	if _, ok := s.Ratio("x", "absent", "ms"); ok {
		t.Error("ratio to what was not measured: got one, want none")
	}
}

func TestMessages(t *testing.T) {
	stream := "event: message\nid: 1_2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\ndata:{\"id\":\"a\",\"result\":{}}\r\n\r\n"
	for _, c := range []struct {
		name, body string
		want       []string // IDs
	}{
		{"plain", `{"id":3,"result":{}}`, []string{"3"}},
		{"a stream", stream, []string{"", `"a"`}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := Messages([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range all {
				got = append(got, string(m.ID))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("messages: got the IDs %q, want %q", got, c.want)
			}
		})
	}
}

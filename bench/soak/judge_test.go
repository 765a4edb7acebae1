package main

import (
	"errors"
	"testing"
)

// A soak that cannot tell a lost answer from a good one would pass for ever.
func TestJudge(t *testing.T) {
	const good = `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"mine"}]}}`
	for _, c := range []struct {
		name, body string
		want       outcome
	}{
		{"the answer", good, fine},
		{"the answer in a stream, behind a notice", "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\ndata: " + good + "\n\n", fine},
		{"a large answer", `{"id":7,"result":{"content":[{"text":"bbbbmine"}]}}`, fine},
		{"an error of the protocol", `{"id":7,"error":{"code":-32000,"message":"gone"}}`, told},
		{"an error of the tool", `{"id":7,"result":{"isError":true,"content":[{"text":"gone"}]}}`, told},
		{"nothing", "", lost},
		{"a notice alone", `{"method":"notifications/message"}`, lost},
		{"what another call asked for", `{"id":7,"result":{"content":[{"text":"yours"}]}}`, crossed},
		{"the answer to another request", `{"id":8,"result":{"content":[{"text":"mine"}]}}`, crossed},
		{"two answers", "data: " + good + "\ndata: " + good + "\n", crossed},
		{"no result of a tool", `{"id":7,"result":{}}`, crossed},
		{"half a message", `{"id":7,"resu`, cut},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := judge([]byte(c.body), 7, "mine"); got != c.want {
				t.Errorf("judge: got %q (%v), want %q", outcomes[got], err, outcomes[c.want])
			}
		})
	}
}

// Only the server that is killed may fail.
func TestFaults(t *testing.T) {
	why := errors.New("why")
	for _, c := range []struct {
		what string
		o    outcome
		want bool
	}{
		{"steady/echo", fine, false}, {"steady/echo", told, true}, {"mortal/echo", told, false},
		{"mortal/echo", cut, true}, {"mortal/echo", lost, true}, {"odd/never", givenUp, false}, {"odd/late", crossed, true},
		{"initialize", told, true},
	} {
		var counts tally
		counts.add(c.what, c.o, why)
		if got := len(counts.faults()) == 1; got != c.want {
			t.Errorf("%s ended with %q: got a fault %v, want %v", c.what, outcomes[c.o], got, c.want)
		}
	}
}

package cli

import (
	"errors"
	"slices"
	"testing"

	running "github.com/mortise-dev/mortise/internal/call"
)

// A server that is down is told of once, however often it is tried again, and
// that it is tried is no news.
func TestNews(t *testing.T) {
	var n news
	for _, c := range []struct {
		what string
		now  running.Status
		want []string
	}{
		{"started", running.Status{State: running.Starting}, nil},
		{"down", running.Status{State: running.Waiting, Error: "nobody listens\x1b"}, []string{`owner:s is waiting: nobody listens\x1b`}},
		{"tried again", running.Status{State: running.Starting, Error: "nobody listens"}, nil},
		{"down again", running.Status{State: running.Waiting, Error: "nobody listens"}, nil},
		{"tried again", running.Status{State: running.Starting, Error: "nobody listens"}, nil},
		{"down for another reason", running.Status{State: running.Waiting, Error: "nobody answers"}, nil},
		{"up", running.Status{State: running.Ready, Error: "nobody answers", Tools: 2}, []string{"owner:s is ready, 2 tools"}},
		{"started anew", running.Status{State: running.Starting}, nil},
		{"up as before", running.Status{State: running.Ready, Tools: 3}, nil},
		{"given up", running.Status{State: running.Failed, Error: "no"}, []string{"owner:s is failed: no"}},
		{"ended", running.Status{State: running.Stopped}, []string{"owner:s is stopped"}},
	} {
		c.now.Name = "owner:s"
		if got := n.servers([]running.Status{c.now}); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// A server that went and came again is told of.
func TestNewsOfServersThatGo(t *testing.T) {
	var n news
	ready := []running.Status{{Name: "owner:s", State: running.Ready, Tools: 1}}
	n.servers(ready)
	n.servers(nil)
	if got := n.servers(ready); len(got) != 1 {
		t.Errorf("got %q, want it told again", got)
	}
}

// A pass that fails is told of once, however often it is tried and for whatever
// reason, and so is its end.
func TestNewsOfPasses(t *testing.T) {
	var n news
	for _, c := range []struct {
		fault error
		want  []string
	}{
		{nil, nil},
		{errors.New("no\x1b"), []string{`no\x1b; it is tried again`}},
		{errors.New("no\x1b"), nil},
		{errors.New("nor that"), nil},
		{nil, []string{"everything is in order again, and what changed is in use"}},
		{nil, nil},
	} {
		if got := n.pass(c.fault); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.fault, got, c.want)
		}
	}
}

// Places that are polled are told of when they come to be.
func TestNewsOfPolling(t *testing.T) {
	var n news
	for _, c := range []struct {
		polled map[string]string
		want   []string
	}{
		{nil, nil},
		{map[string]string{"/net": "it lies on nfs"}, []string{"changes in 1 place take two seconds to show: in /net, since it lies on nfs"}},
		{map[string]string{"/net": "it lies on nfs"}, nil},
		{map[string]string{"/a": "there are too many", "/b": "there are too many"}, []string{"changes in 2 places take two seconds to show: in /a and others, since there are too many"}},
		{nil, nil},
	} {
		if got := n.watched(c.polled); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %q, want %q", c.polled, got, c.want)
		}
	}
}

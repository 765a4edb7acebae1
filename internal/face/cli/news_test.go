package cli

import (
	"slices"
	"testing"

	running "github.com/mortise-dev/mortise/internal/call"
)

// A server that is down is told of once, however often it is tried again, and
// that it is tried is no news.
func TestNews(t *testing.T) {
	n := news{}
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
		if got := n.of([]running.Status{c.now}); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

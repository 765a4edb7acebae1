package cli

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// A disk that fails does so twenty times a second: that is said once a minute, and
// what else there is to say at once.
func TestNotices(t *testing.T) {
	var n notices
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		at   time.Duration
		put  []string
		want []string
	}{
		{"nothing", 0, nil, nil},
		{"the first", 0, []string{"the disk\x1b"}, []string{`the disk\x1b`}},
		{"nothing more", time.Second, nil, nil},
		{"the same", 2 * time.Second, []string{"the disk\x1b", "the disk\x1b"}, nil},
		{"another one", 3 * time.Second, []string{"the door"}, []string{"the door, and 2 times more before"}},
		{"the first again", 4 * time.Second, []string{"the disk\x1b"}, []string{`the disk\x1b`}},
		{"too early", 63 * time.Second, []string{"the disk\x1b"}, nil},
		{"after a minute", 64 * time.Second, []string{"the disk\x1b"}, []string{`the disk\x1b, and 1 time more before`}},
	} {
		for _, text := range c.put {
			n.put(errors.New(text))
		}
		if got := n.news(start.Add(c.at)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

package host

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/mortise-dev/mortise/internal/state"
)

// What servers said, and say still, is held once however often the state is loaded.
func TestShare(t *testing.T) {
	said := func(words ...string) *state.Snapshot {
		s := &state.Snapshot{}
		for _, w := range words {
			s.Descriptions = append(s.Descriptions, state.Description{Content: strings.Clone(w)})
		}
		return s
	}
	was, now := said("a", "b"), said("b", "c", "a")
	share(now, was)
	at := func(s *state.Snapshot, i int) *byte { return unsafe.StringData(s.Descriptions[i].Content) }
	if at(now, 0) != at(was, 1) || at(now, 2) != at(was, 0) {
		t.Error("got other strings of the same content, want those that there were")
	}
	if got := now.Descriptions[1].Content; got != "c" {
		t.Errorf("what is new: got %q, want it as it is", got)
	}
}

package mcp

import (
	"testing"
	"time"
)

// TestFlowInRows wants a flood to leave lines in a row about once a second,
// not one at a time between counts of what was left out.
func TestFlowInRows(t *testing.T) {
	const seconds = 20
	var f flow
	now := time.Unix(0, 0)
	lines, rows, was := 0, 0, false
	for range seconds * 10_000 {
		now = now.Add(time.Second / 10_000)
		is := f.take(now, 100)
		if is {
			lines++
		}
		if is && !was {
			rows++
		}
		was = is
	}
	if want := flowBurst + seconds*flowRate; lines > want || lines < want-flowRate-1 || rows > seconds {
		t.Errorf("got %d lines in %d rows, want about %d in at most %d", lines, rows, want, seconds)
	}
}

// TestFlowWeighs wants long lines to count for more.
func TestFlowWeighs(t *testing.T) {
	var f flow
	lines := 0
	for f.take(time.Unix(0, 0), 8<<10-1) {
		lines++
	}
	if want := flowBurst / 8; lines != want {
		t.Errorf("got %d lines of 8 KiB at once, want %d", lines, want)
	}
}

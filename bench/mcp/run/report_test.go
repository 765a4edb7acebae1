package main

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

// What was not measured must never look as if it were met.
func TestReport(t *testing.T) {
	side := rig.Samples{
		"a": {{"ms": 3}, {}, {"ms": 9}},
		"b": {{"ms": 1}, {"ms": 100}, {"ms": 3}},
	}
	for _, c := range []struct {
		name   string
		row    row
		want   string
		failed bool
	}{
		{"met", compared(side, "x", "a", "b", "ms", "ms", 3), "| 3.00 | ≤ 3 | met |", false},
		{"missed", compared(side, "x", "a", "b", "ms", "ms", 2.5), "| missed |", false},
		{"missed grossly", compared(side, "x", "a", "b", "ms", "ms", 1.9), "| MISSED |", true},
		{"more is better", compared(side, "x", "a", "b", "ms", "/s", 2).more(), "| ≥ 2 | met |", false},
		{"less than it should be", compared(side, "x", "a", "b", "ms", "/s", 9).more(), "| MISSED |", true},
		{"not measured", compared(side, "x", "absent", "b", "ms", "ms", 9), "| MISSED |", true},
		{"not judged", compared(side, "x", "a", "b", "ms", "ms", 0), "| - | not judged |", false},
		{"of its own", row{what: "x", got: 70, unit: "MB", target: 56}, "| 70 MB | - | - | ≤ 56 MB | missed |", false},
		{"exact", row{what: "x", got: 25, target: 26, larger: true, exact: true}, "| MISSED |", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			err := report(&out, []row{c.row}, true)
			if !strings.Contains(out.String(), c.want) || (err != nil) != c.failed {
				t.Errorf("report: got %v and\n%s\nwant %q, failed %v", err, out.String(), c.want, c.failed)
			}
			if err := report(&out, []row{c.row}, false); err != nil {
				t.Errorf("report without judging: %v", err)
			}
		})
	}
}

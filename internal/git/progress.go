package git

import (
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
)

// Progress is how far a fetch is.
type Progress struct {
	Phase       string // "counting", "compressing", "receiving", "resolving", "writing"
	Done, Total int    // of objects, or of files where it is writing
}

var progressRE = pattern.New(`^(?:remote: )?(Enumerating|Counting|Compressing|Receiving|Resolving|Total|Updating)\b[^:]*:?\s+(?:\d+% \((\d+)/(\d+)\))?`)

// progressOf reads a line in which git tells how far it is.
func progressOf(line string) (p Progress, ok bool) {
	m := progressRE.FindStringSubmatch(line)
	if m == nil {
		return Progress{}, false
	}
	p.Phase = strings.ToLower(m[1])
	p.Done, _ = strconv.Atoi(m[2])
	p.Total, _ = strconv.Atoi(m[3])
	return p, true
}

package host

import (
	"time"

	"github.com/mortise-dev/mortise/internal/call"
)

// Trial is what became of one server that was started to see whether it answers,
// and was ended again.
type Trial struct {
	// Status is how it did when it answered or was given up. What it printed is all
	// until its end.
	Status call.Status
	// Start is from the decision to start it until it ran, or until there was
	// something to write to; Answer is from then until it had shaken hands and told
	// all that it offers. 0: it did not come to that.
	Start, Answer time.Duration
	Content       string // what it said of itself, as Described has it; "" when it did not
}

// Answered reports whether the server answered, and told its tools.
func (t *Trial) Answered() bool { return t.Status.State == call.Ready && t.Status.Error == "" }

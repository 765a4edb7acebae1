package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// What a shim reports: a word and numbers.
const (
	wordStarted   = "started"   // pid, start time, 1 if marked
	wordFailed    = "failed"    // the system's error number
	wordExited    = "exited"    // code
	wordSignalled = "signalled" // signal
	wordGone      = "gone"      // how many stragglers were ended, how many could not be
)

// tell writes one report, in one piece. That nobody hears it any more is no
// error: the lifeline says the same.
func tell(w io.Writer, word string, numbers ...uint64) {
	line := word
	for _, n := range numbers {
		line += " " + strconv.FormatUint(n, 10)
	}
	fmt.Fprintln(w, line)
}

type report struct {
	word    string
	numbers []string
}

func parseReport(line string) report {
	f := strings.Fields(line)
	if len(f) == 0 {
		return report{}
	}
	return report{f[0], f[1:]}
}

// number is the i-th number, 0 if there is none.
func (r report) number(i int) uint64 {
	if i >= len(r.numbers) {
		return 0
	}
	n, err := strconv.ParseUint(r.numbers[i], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// refuse ends a shim that has no order. That its host went or thought better
// of it is no error.
func refuse(report *os.File, err error) int {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		tell(report, wordGone, 0, 0)
		return 0
	}
	fmt.Fprintf(os.Stderr, "%s is for its own program to start: %v\n", Name, err)
	return 2
}

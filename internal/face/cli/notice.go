package cli

import (
	"sync"
	"time"
)

// noticeRest is how long a notice is not said again in the same words.
const noticeRest = time.Minute

// notices are what a serving host noticed and its person was not told yet: the
// last one stands for all.
type notices struct {
	mu    sync.Mutex
	last  string
	count int // not said yet
	said  string
	at    time.Time // when
}

func (n *notices) put(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last = err.Error()
	n.count++
}

// news is what is to be said now. What comes again and again is said once a
// minute, with how often it came.
func (n *notices) news(now time.Time) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.count == 0 || n.last == n.said && now.Sub(n.at) < noticeRest {
		return nil
	}
	text := bounded(n.last)
	if n.count > 1 {
		text += ", and " + count(n.count-1, "time") + " more before"
	}
	n.said, n.at, n.count = n.last, now, 0
	return []string{text}
}

package policy

import (
	"container/list"
	"sync"
	"weak"

	"github.com/mortise-dev/mortise/ext"
)

// Remembered is what this process knows of expressions. It is a memo and nothing
// else: a verdict follows from the expression and this build alone, so that what
// is found in it decides how long decoding takes and never what it says. A host
// reads into it what an earlier process wrote.
var Remembered = NewMemory(16384)

// Memory maps expressions to what is known of them. It holds a bounded number, the
// last that were asked about, and is safe for concurrent use.
type Memory struct {
	most int

	mu    sync.Mutex
	known map[ext.Digest]*list.Element // of *memo
	order list.List                    // the one asked about last is first
}

// memo is one expression's. The condition is kept by the sets that judge by it;
// while one does, the next shares it, and its program.
type memo struct {
	key       ext.Digest
	verdict   verdict
	condition weak.Pointer[condition]
}

// NewMemory is an empty memory for at most so many expressions.
func NewMemory(most int) *Memory {
	return &Memory{most: most, known: map[ext.Digest]*list.Element{}}
}

// Len is how many expressions m knows.
func (m *Memory) Len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.known)
}

// environmentDigest stands for all that a verdict depends on besides its expression.
var environmentDigest = ext.NewHash("policy-expression").Text(environment).Sum()

// Forget forgets everything, as if nothing had been asked yet.
func (m *Memory) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known, m.order = map[ext.Digest]*list.Element{}, list.List{}
}

// keyOf is the digest of an expression and of what else its verdict depends on.
func keyOf(expression string) ext.Digest {
	var near [512]byte
	return ext.Sum(append(append(near[:0], environmentDigest[:]...), expression...))
}

// verdict is what is known of an expression, or now becomes so.
func (m *Memory) verdict(expression string) verdict { return m.recall(expression).verdict }

// recall is the memo of an expression. One that has been pushed out is its caller's
// alone.
func (m *Memory) recall(expression string) *memo {
	key := keyOf(expression)
	m.mu.Lock()
	at, ok := m.known[key]
	if ok {
		m.order.MoveToFront(at)
	}
	m.mu.Unlock()
	if ok {
		return at.Value.(*memo)
	}
	made := &memo{key: key, verdict: examine(expression)} // two that come at once both do it
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put(made)
}

// condition is an expression to judge by, the same for everybody who asks while
// anybody still has it.
func (m *Memory) condition(expression string) *condition {
	known := m.recall(expression)
	m.mu.Lock()
	defer m.mu.Unlock()
	if c := known.condition.Value(); c != nil {
		return c
	}
	c := newCondition(expression, known.verdict)
	known.condition = weak.Make(c)
	return c
}

// put adds a memo, unless there is one, and drops the one that was not asked about
// for longest. It returns the one that is there.
func (m *Memory) put(made *memo) *memo {
	if at, ok := m.known[made.key]; ok {
		return at.Value.(*memo)
	}
	m.known[made.key] = m.order.PushFront(made)
	if len(m.known) > m.most {
		last := m.order.Back()
		delete(m.known, last.Value.(*memo).key)
		m.order.Remove(last)
	}
	return made
}

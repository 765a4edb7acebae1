package gateway

import (
	"context"
	"sync"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// passage is a request on its way through an upstream: what came for it and was not
// taken yet. Nobody who brings something waits for who takes it.
type passage struct {
	token string // of its progress, as the client spells it; "" it wants none
	aside bool   // nobody waits for its answer, and nothing else is brought to it

	mu     sync.Mutex
	asked  []string // questions that were brought to it, by our ids
	came   []frame
	closed bool
	wake   chan struct{} // holds one: something came
}

// frame is what came for a passage.
type frame struct {
	raw    []byte
	answer *rpc.Frame // what raw is, where it is the answer
	notice bool       // it may be lost
	asks   string     // of a question: our id of it
	broken error      // the link is of no use any more
}

// mostNotices is how many notices wait for one who does not take them; what is more is
// dropped, the newest first: what came before an answer tells how it came to be.
const mostNotices = 1024

func newPassage(token string) *passage {
	return &passage{token: token, wake: make(chan struct{}, 1)}
}

// push brings a frame, unless nobody takes any more.
func (p *passage) push(f frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || f.notice && len(p.came) >= mostNotices {
		return
	}
	p.came = append(p.came, f)
	if f.asks != "" {
		p.asked = append(p.asked, f.asks)
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// next waits for what came first.
func (p *passage) next(ctx context.Context) (frame, error) {
	for {
		if f, ok := p.pop(); ok {
			return f, nil
		}
		select {
		case <-p.wake:
		case <-ctx.Done():
			return frame{}, ctx.Err()
		}
	}
}

func (p *passage) pop() (frame, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.came) == 0 {
		return frame{}, false
	}
	f := p.came[0]
	if p.came[0], p.came = (frame{}), p.came[1:]; len(p.came) == 0 {
		p.came = nil
	}
	return f, true
}

// questions are those that were brought to it.
func (p *passage) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

func (p *passage) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed, p.came = true, nil
}

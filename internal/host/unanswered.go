package host

import (
	"fmt"
	"time"
)

// patience is how long a host goes on with what it read before while a disk or a
// network does not answer for a file. Then that is what there is to know of it.
const patience = 30 * time.Second

// unanswered is what the system did not answer while everything was read: where
// it did not, a guard may be missing only for that.
type unanswered struct {
	first  error // nil: it answered everything
	device bool  // disks and networks alone did not
}

func (u *unanswered) note(err error, device bool) {
	if u.first == nil {
		u.first, u.device = err, device
		return
	}
	u.device = u.device && device
}

// whole is nil when the system answered everything that was asked. Of what is
// not whole nobody adopts anything.
func (u *unanswered) whole() error {
	if u.first == nil {
		return nil
	}
	return fmt.Errorf("the system did not answer what is there: %w", u.first)
}

// fit is nil when a generation may take the place of the one before, for who
// holds the lock of the pass. One that is not whole may not, except after a
// while where the reason may last for ever.
func (h *Host) fit(g *Generation) error {
	err := g.whole()
	switch {
	case err == nil:
		h.waits = time.Time{}
	case h.waits.IsZero():
		h.waits = time.Now()
	}
	if h.Now() == nil || g.device && time.Since(h.waits) >= patience {
		return nil
	}
	return err
}

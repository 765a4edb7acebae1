package mcp

import "context"

// depart goes over to a session of the peer's own when the server has asked
// what could not be attributed, as soon as nothing is in flight.
func (l *Lane) depart(ctx context.Context) error {
	if !l.at().unclear.Load() || l.apart == nil || l.can.raw == nil {
		return nil
	}
	l.moving.Lock()
	defer l.moving.Unlock()
	l.mu.Lock()
	old, stays := l.conn, len(l.errands) > 0 || len(l.asks) > 0 || l.closed || l.ended
	l.mu.Unlock()
	if stays || !old.unclear.Load() {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // it ends with ctx
		select {
		case <-l.over:
			cancel()
		case <-ctx.Done():
		}
	}()
	fresh, release, err := l.apart(ctx)
	if err != nil {
		return err
	}
	if err := fresh.admit(l); err != nil {
		release()
		return err
	}
	l.mu.Lock()
	l.conn = fresh
	l.mu.Unlock()
	uris, level := old.wants(l)
	old.dismiss(l)
	leave := l.release
	l.release = release
	if leave != nil {
		leave()
	}
	return fresh.restore(ctx, l, uris, level)
}

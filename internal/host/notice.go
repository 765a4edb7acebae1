package host

// Notice tells those who asked for it of something that went wrong beside passes
// and servers, such as the log of calls on a disk that fails. It may be called
// from any goroutine.
func (h *Host) Notice(err error) { h.notices.tell(err) }

// SubscribeNotices has listen told of each notice. It must not block and not call
// the host. The function returned ends it.
func (h *Host) SubscribeNotices(listen func(error)) (cancel func()) { return h.notices.add(listen) }

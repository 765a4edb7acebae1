package gateway

import (
	"github.com/mortise-dev/mortise/internal/rpc"
)

// hear takes in a notification or an answer of the client.
func (c *client) hear(f *rpc.Frame) {
	defer func() {
		if p := recover(); p != nil {
			c.gateway.panicked(f.Method, p)
		}
	}()
	c.touch()
	switch {
	case f.Kind == rpc.Response:
		c.answered(string(f.Bytes(f.ID)), f.Raw)
	case f.Method == "notifications/cancelled":
		c.cancel(string(f.Bytes(f.RequestID)))
	case f.Method == "notifications/progress":
		c.progressed(f)
	case f.Method == "notifications/roots/list_changed":
		for _, u := range c.links() {
			u.mention(f.Raw)
		}
	}
}

package mcp

import (
	"fmt"
	"time"
)

// glance is how often it is looked whether requests take too long.
func (o *Options) glance() time.Duration {
	least := time.Duration(forEver)
	for _, d := range []time.Duration{o.Call, o.Silence} {
		if d > 0 {
			least = min(least, d)
		}
	}
	if least == forEver {
		return forEver
	}
	return max(least/8, time.Millisecond)
}

// expire ends the requests of lanes that take longer than they may.
func (c *conn) expire(now time.Time, call, silence time.Duration) {
	late := map[uint64]error{}
	c.mu.Lock()
	for id, fl := range c.flights {
		switch {
		case !fl.caller:
		case call > 0 && now.Sub(fl.begun) > call:
			late[id] = fmt.Errorf("it did not answer within %v", call)
		case silence > 0 && now.Sub(fl.heard) > silence:
			late[id] = fmt.Errorf("it said nothing for %v", silence)
		}
	}
	c.mu.Unlock()
	for id, err := range late {
		c.fail(id, err)
		c.cancel(id, err.Error())
	}
}

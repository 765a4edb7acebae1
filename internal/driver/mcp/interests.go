package mcp

import (
	"context"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// interests are what the lanes of a connection want to hear. The lock of the
// connection guards them.
type interests struct {
	subscribed map[string]map[*Lane]bool // by address
	levels     map[*Lane]int             // from which on they hear what a server logs; absent: all
	told       int                       // the level that the server was told last, and one more; 0: none
}

// severities are the levels of messages, the least first.
func severities() []string {
	return []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}
}

// severity is the level that a message names, -1 when it names none.
func severity(f *rpc.Frame) int {
	word, _ := rpc.Text(f.Bytes(f.Level))
	return slices.Index(severities(), word)
}

// hears reports whether a lane wants messages of that level.
func (c *conn) hears(l *Lane, level int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	least, set := c.levels[l]
	return !set || level < 0 || level >= least
}

// levelled is the edit that tells the server the most verbose of the levels that its
// peers want. What is no level stays: the server says what is wrong with it.
func (l *Lane) levelled(c *conn, f *rpc.Frame) rpc.Edit {
	level := severity(f)
	if level < 0 {
		return rpc.Edit{}
	}
	return f.Level.With(rpc.Quote(severities()[c.level(l, level)]))
}

// level sets the level of a lane, and is the most verbose of all.
func (c *conn) level(l *Lane, level int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.levels[l] = level
	for _, other := range c.levels {
		level = min(level, other)
	}
	c.told = level + 1
	return level
}

// subscribe notes that a lane wants to hear of a resource.
func (c *conn) subscribe(uri string, l *Lane) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.subscribed[uri] == nil {
		c.subscribed[uri] = map[*Lane]bool{}
	}
	c.subscribed[uri][l] = true
}

// unsubscribe notes that it does not any more, and reports whether others do.
func (c *conn) unsubscribe(uri string, l *Lane) (others bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who := c.subscribed[uri]
	delete(who, l)
	if len(who) == 0 {
		delete(c.subscribed, uri)
	}
	return len(who) > 0
}

// subscribers are the lanes that want to hear of a resource: those that
// subscribed to it, else to what it is a part of. The lock is held.
func (c *conn) subscribers(uri string) []*Lane {
	who := map[*Lane]bool{}
	for of, lanes := range c.subscribed {
		if of == uri || partOf(uri, of) && c.subscribed[uri] == nil {
			for l := range lanes {
				who[l] = true
			}
		}
	}
	out := make([]*Lane, 0, len(who))
	for l := range who {
		out = append(out, l)
	}
	return out
}

// partOf reports whether an address lies within another one.
func partOf(uri, of string) bool {
	rest, ok := strings.CutPrefix(uri, of)
	return ok && of != "" && rest != "" && (strings.HasSuffix(of, "/") || strings.ContainsRune("/?#", rune(rest[0])))
}

// forsake forgets what a lane wants to hear, and is what nobody else does.
func (c *conn) forsake(l *Lane) (uris []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.levels, l)
	for uri, who := range c.subscribed {
		if !who[l] {
			continue
		}
		if delete(who, l); len(who) == 0 {
			delete(c.subscribed, uri)
			uris = append(uris, uri)
		}
	}
	return uris
}

// wants is what a lane wants to hear; level is -1 when it has set none.
func (c *conn) wants(l *Lane) (uris []string, level int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for uri, who := range c.subscribed {
		if who[l] {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	if set, ok := c.levels[l]; ok {
		return uris, set
	}
	return uris, -1
}

// restore has the server say on this connection what a lane wants to hear.
func (c *conn) restore(ctx context.Context, l *Lane, uris []string, level int) error {
	if level >= 0 {
		if err := c.tellLevel(ctx, c.level(l, level)); err != nil {
			return err
		}
	}
	for _, uri := range uris {
		c.subscribe(uri, l)
	}
	return c.resubscribe(ctx, uris)
}

func (c *conn) tellLevel(ctx context.Context, level int) error {
	_, err := c.ask(ctx, "logging/setLevel", append(append([]byte(`{"level":`), rpc.Quote(severities()[level])...), '}'), false)
	return err
}

func (c *conn) resubscribe(ctx context.Context, uris []string) error {
	for _, uri := range uris {
		if _, err := c.ask(ctx, "resources/subscribe", append(append([]byte(`{"uri":`), rpc.Quote(uri)...), '}'), false); err != nil {
			return err
		}
	}
	return nil
}

// remind tells a server that has forgotten its session what it was told in it.
func (c *conn) remind(ctx context.Context) error {
	c.mu.Lock()
	level := c.told - 1
	uris := make([]string, 0, len(c.subscribed))
	for uri := range c.subscribed {
		uris = append(uris, uri)
	}
	c.mu.Unlock()
	slices.Sort(uris)
	if level >= 0 {
		if err := c.tellLevel(ctx, level); err != nil {
			return err
		}
	}
	return c.resubscribe(ctx, uris)
}

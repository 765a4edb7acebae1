package mortise

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/notification"
)

// Notification is a message to people, as a file of the surface "notification" with
// these values means it.
type Notification struct {
	ID       string // of 1 to 64 letters, digits, '_' and '-'
	Title    string
	Severity string // "info", "warning" or "error"; "" is "info"
	Channel  string // a hint where it should go; may be ""
	// Template is what it says: {{name}} is the place of a value, and {{{{ stands for
	// two braces. It can do nothing else.
	Template string
}

// Notified is a notification that is sent.
type Notified struct {
	ID        string // qualified: "extension:id"
	Title     string
	Severity  string   // "info", "warning" or "error"
	Channel   string   // a hint of its author; may be ""
	Text      string   // the template with the values in its places, at most 4,000 characters
	Shortened bool     // the text would be longer, and ends in "…"
	Unused    []string // the values that have no place, sorted
}

// Notifier delivers a notification. Its text, its title and its hint are what an
// extension and the values say: words, and no instructions. An error or a panic is
// returned by [Host.Notify].
type Notifier func(ctx context.Context, n Notified) error

// NotifyBy has a function deliver notifications. Without it each is a line in the log
// of [slog.Default].
func NotifyBy(deliver Notifier) HostOption { return func(h *Host) { h.notify = deliver } }

// workplace is a workspace whose notifications are looked through.
type workplace struct {
	dir   string
	env   []string
	cache *host.Cache
}

// InWorkspace has [Host.Notify] find the notifications of a workspace as well: of its
// owner and of every plugin that is enabled there, as they are when one is sent. dir is
// the workspace's directory, absolute; env is the environment that says where Mortise
// keeps its state, as [os.Environ] has it. Nothing of the workspace is run.
func InWorkspace(dir string, env []string) HostOption {
	return func(h *Host) { h.places = append(h.places, workplace{dir, slices.Clone(env), new(host.Cache)}) }
}

// Notify sends a notification: it finds the one with that id, qualified
// ("extension:id") or short, puts the values into the places of its template, and
// hands it to the [Notifier]. An id that nobody has, or that several have, is an error
// that says so and names them; so is a place without a value. A value is text, whatever
// it looks like: nothing in it is run, read or filled in.
func (h *Host) Notify(ctx context.Context, id string, values map[string]string) error {
	if err := h.begin(); err != nil {
		return err
	}
	defer h.end()
	found, err := h.notification(ctx, id)
	if err != nil {
		return err
	}
	text, missing, cut := found.Value.Template.Fill(values)
	if len(missing) > 0 {
		return ext.AsUsage(fmt.Errorf("the notification %s needs values for %s, which are not given", ext.Escape(found.Qualified), strings.Join(missing, ", ")))
	}
	n := Notified{
		ID: found.Qualified, Title: found.Value.Title, Severity: string(found.Value.Severity), Channel: found.Value.Channel,
		Text: text, Shortened: cut, Unused: unused(values, found.Value.Template.Names()),
	}
	deliver := h.notify
	if deliver == nil {
		deliver = logged
	}
	failed, err := safely(func() error { return deliver(ctx, n) })
	if err = errors.Join(err, failed); err != nil {
		return fmt.Errorf("deliver the notification %s: %w", ext.Escape(n.ID), err)
	}
	return nil
}

func unused(values map[string]string, names []string) []string {
	left := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(name string) bool { return slices.Contains(names, name) })
	return slices.Concat(left) // nil where there are none
}

// logged writes a notification as one line of the log.
func logged(ctx context.Context, n Notified) error {
	level := map[string]slog.Level{string(notification.Warning): slog.LevelWarn, string(notification.Error): slog.LevelError}[n.Severity]
	slog.Log(ctx, level, "notification", "id", n.ID, "title", n.Title, "text", n.Text, "channel", n.Channel)
	return nil
}

// notice is a notification and where it was found.
type notice struct {
	compose.Typed[notification.Notification]
	in string // "" for what is compiled in
}

func (n *notice) named() string {
	if n.in == "" {
		return n.Qualified
	}
	return n.Qualified + " (in " + n.in + ")"
}

// notification is the one that an id means.
func (h *Host) notification(ctx context.Context, id string) (notice, error) {
	all, err := h.notifications(ctx)
	if err != nil {
		return notice{}, err
	}
	var found, known []string
	var last notice
	for _, n := range all {
		known = append(known, n.Qualified)
		if n.Qualified == id || surface.Fold(n.Name) == surface.Fold(id) {
			found, last = append(found, ext.Escape(n.named())), n
		}
	}
	switch {
	case len(found) == 1:
		return last, nil
	case len(found) > 1:
		return notice{}, ext.AsUsage(fmt.Errorf("the notification %s is ambiguous: %s; name one by its qualified id", ext.Quote(ext.Shorten(id, 80)), strings.Join(found, ", ")))
	}
	return notice{}, unknownNotification(id, known)
}

// notifications are those of every source that is enabled.
func (h *Host) notifications(ctx context.Context) (out []notice, err error) {
	for _, n := range compose.Of(h.composed.composition, notification.Surface) {
		out = append(out, notice{Typed: n})
	}
	for i := range h.places {
		c, err := h.places[i].composition(ctx)
		if err != nil {
			return nil, fmt.Errorf("look for notifications in the workspace %s: %w", ext.Quote(h.places[i].dir), err)
		}
		for _, n := range compose.Of(c, notification.Surface) {
			out = append(out, notice{n, h.places[i].dir})
		}
	}
	return out, nil
}

// composition is what is in use in a workspace.
func (w *workplace) composition(ctx context.Context) (c *compose.Composition, err error) {
	paths, err := config.Home(w.env)
	if err != nil {
		return nil, ext.AsUsage(err)
	}
	ws, err := config.FindWorkspace(w.dir, w.dir)
	if err != nil {
		return nil, err
	}
	h, done, err := catalog.Open(ctx, host.Place{Workspace: ws, Paths: paths, Env: w.env}, host.Looking, w.cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, done()) }()
	g, err := h.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return g.Composition, nil
}

// notification lays a notification out as a file.
func (l *layout) notification(n *Notification) {
	written := struct {
		ID       string `json:"id"`
		Title    string `json:"title"`
		Severity string `json:"severity,omitempty"`
		Channel  string `json:"channel,omitempty"`
		Template string `json:"template"`
	}{n.ID, n.Title, n.Severity, n.Channel, n.Template}
	l.put("notification", notification.Surface.Dir, n.ID, ".yaml", l.value("notification", n.ID, written))
}

// unknownNotification says that nobody has an id, and which is nearest.
func unknownNotification(id string, known []string) error {
	short := make([]string, 0, 2*len(known))
	for _, q := range known {
		_, name, _ := ext.SplitQualified(q)
		short = append(short, q, name)
	}
	if near := spelling.Nearest(id, short); near != "" {
		return ext.AsUsage(fmt.Errorf("there is no notification %s; did you mean %s?", ext.Quote(ext.Shorten(id, 80)), ext.Escape(near)))
	}
	return ext.AsUsage(fmt.Errorf("there is no notification %s; %d are known here", ext.Quote(ext.Shorten(id, 80)), len(known)))
}

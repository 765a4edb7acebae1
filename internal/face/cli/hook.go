package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// clientNames are other names that clients go by.
var clientNames = map[string]string{"claude": dialect.ClaudeCode, "gemini": dialect.Gemini}

// hookPatience is how long a client's hook may take where nothing else is said. The
// lines that are printed give it ten seconds more, so that a client does not end it:
// most take that for consent.
const hookPatience = 50 * time.Second

func (c *call) hook() *cobra.Command {
	within, install, forget := hookPatience, false, false
	cmd := &cobra.Command{
		Use:   "hook CLIENT [EVENT]",
		Short: "Guard a client's own tools: what its hook mechanism calls",
		Long: `Speak the hook protocol of a client on standard input and output, so that the policies
and guards of all extensions also guard what the client does without MCP: its shell,
its edits, its prompts. It asks the running mortise serve of the workspace, or reads
the workspace itself where none runs.

What keeps it from an answer, be it an unreachable host or the end of its time, is
a denial. Calls of tools that are served by Mortise are left to the gateway, which
judges them. Without EVENT it prints the lines to put into the client's own settings;
--install writes them there for this workspace, where there is no such file yet, and
remembers that the client delivers their events. Without it that is remembered of
each event when it first comes.

The workspace is --workspace, the project that the client names in the environment,
or where the event happened. Clients: ` + strings.Join(dialect.Clients(), ", ") + `.`,
		Example: "mortise hook claude-code\nmortise hook claude-code PreToolUse < event.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return one("CLIENT")(cmd, args)
			}
			return upTo(2, "argument")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			client := args[0]
			if as, ok := clientNames[client]; ok {
				client = as
			}
			if !slices.Contains(dialect.Clients(), client) {
				return unknown("client", client, append(dialect.Clients(), slices.Collect(maps.Keys(clientNames))...), "there are "+enumerate(dialect.Clients()))
			}
			switch {
			case install && len(args) > 1:
				return usage("mortise hook: --install is about all events of %s, and takes none", client)
			case install:
				return c.hookInstall(cmd.Context(), client)
			case forget:
				return c.hookForget(cmd.Context(), client)
			case len(args) == 1:
				return c.hookLines(client)
			}
			if within <= 0 {
				return usage("mortise hook: --within is a time from now, such as 50s, and was %v", within)
			}
			return c.runHook(cmd.Context(), client, args[1], within)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return dialect.Clients(), cobra.ShellCompDirectiveNoFileComp
			case 1:
				return dialect.Events(args[0]), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVar(&install, "install", false, "write the lines into the client's settings of this workspace")
	cmd.Flags().BoolVar(&forget, "forget", false, "forget that the client delivers its events in this workspace: its lines were removed")
	cmd.Flags().DurationVar(&within, "within", within, "deny when the answer takes longer than that `TIME`")
	return cmd
}

// exitAs is an error that is an exit code and nothing else.
type exitAs int

func (e exitAs) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// runHook answers one event. Whatever goes wrong is an answer, too.
func (c *call) runHook(ctx context.Context, client, event string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	answered := make(chan dialect.Reply, 1)
	go func() { answered <- c.replyTo(ctx, client, event) }()
	var r dialect.Reply
	select {
	case r = <-answered:
	case <-ctx.Done():
		r = denying(client, event, fmt.Errorf("it could not be told within %v", within))
	}
	c.out.Reset()
	c.out.Write(r.Stdout)
	if err := c.flush(); err != nil { // the client will not see it: what it takes for a denial without
		c.complain(err)
		return exitAs(2)
	}
	if r.Stderr != "" {
		fmt.Fprintln(c.Err, r.Stderr)
	}
	if r.Exit != 0 {
		return exitAs(r.Exit)
	}
	return nil
}

// denying is the reply when nothing can be told. That an agent may stop is nobody's to
// guard: it is told, and stops.
func denying(client, event string, err error) dialect.Reply {
	if m := dialect.MomentOf(client, event); m == dialect.Stop || m == dialect.SubagentStop {
		return dialect.Answer{Message: "Mortise cannot tell whether the agent may stop: " + safe(err.Error())}.Reply(client, event)
	}
	return dialect.Answer{Verdict: dialect.Deny, Reason: "Mortise cannot tell whether this is allowed, so that it is not: " + safe(err.Error())}.Reply(client, event)
}

func (c *call) replyTo(ctx context.Context, client, event string) dialect.Reply {
	if c.getenv(host.WithinGuard) != "" { // a guard asks about what it is asked about
		return dialect.Answer{}.Reply(client, event)
	}
	text, err := oneValue(c.In)
	if err != nil {
		return denying(client, event, err)
	}
	e, err := dialect.Read(client, event, text)
	if err != nil {
		return denying(client, event, err)
	}
	p, err := c.hookPlace(ctx, &e)
	if err != nil {
		return denying(client, event, err)
	}
	r, err := c.askHost(ctx, p, &e)
	if err != nil {
		return denying(client, event, err)
	}
	return r
}

// mostOfEvent is how much a client may tell of an event.
const mostOfEvent = 16 << 20

// oneValue is the one JSON value on a stream, however long the other side leaves it
// open after that.
func oneValue(in io.Reader) (json.RawMessage, error) {
	var v json.RawMessage
	d := json.NewDecoder(io.LimitReader(in, mostOfEvent))
	switch err := d.Decode(&v); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("nothing was told on standard input")
	case err != nil:
		return nil, fmt.Errorf("what was told on standard input is no JSON of at most %d MiB: %w", mostOfEvent>>20, err)
	}
	return v, nil
}

// projects are the variables in which clients name the project to their hooks.
var projects = map[string]string{dialect.ClaudeCode: "CLAUDE_PROJECT_DIR", dialect.Gemini: "GEMINI_PROJECT_DIR", dialect.Cursor: "CURSOR_PROJECT_DIR"}

// hookPlace is the workspace that an event is of: not merely where it happened, since
// an agent that goes elsewhere is guarded all the same. In a directory below one that
// was adopted it is that one, whatever else lies there by now.
func (c *call) hookPlace(ctx context.Context, e *dialect.Event) (host.Place, error) {
	dir := e.Dir
	if project := c.getenv(projects[e.Client]); projects[e.Client] != "" && project != "" {
		dir = project
	}
	if c.workspace != "" || dir == "" {
		return c.place()
	}
	p, err := c.placeFrom(dir)
	if err != nil {
		return p, err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return p, err
	}
	nearest, adopted := "", c.Adopted(ctx, p)
	for _, a := range adopted {
		if below, err := filepath.Rel(a, real); err == nil && filepath.IsLocal(below) && len(a) > len(nearest) {
			nearest = a
		}
	}
	if nearest == "" || slices.Contains(adopted, p.Workspace.Dir) && len(p.Workspace.Dir) >= len(nearest) {
		return p, nil
	}
	return c.placeAt(nearest)
}

// askHost asks the host of the workspace that runs, or a new one.
func (c *call) askHost(ctx context.Context, p host.Place, e *dialect.Event) (dialect.Reply, error) {
	running, err := instance.Find(c.running(p), p.Workspace.Dir)
	if err != nil {
		return dialect.Reply{}, err
	}
	var r dialect.Reply
	if silent := instance.Alive(c.running(p), p.Workspace.Dir); len(running) == 0 && len(silent) > 0 {
		return r, fmt.Errorf("process %d, which serves this workspace, does not answer", silent[0].Process.Pid)
	}
	if len(running) > 0 {
		form := url.Values{"client": {e.Client}, "event": {e.Name}, "text": {string(e.Raw)}}
		if end, bounded := ctx.Deadline(); bounded {
			form.Set("within", time.Until(end).String())
		}
		if err := request(ctx, running[0], http.MethodPost, "/api/hook", form, &r); err != nil {
			return r, fmt.Errorf("ask process %d, which serves this workspace: %w", running[0].Process.Pid, err)
		}
		return r, nil
	}
	err = c.with(ctx, p, host.Serving, func(h *host.Host) error {
		defer h.Watchers()
		a, err := h.Happen(ctx, e)
		if err == nil {
			r = a.Reply(e.Client, e.Name)
		}
		return err
	})
	return r, err
}

// hookForget forgets what a client delivers. It is in use again from the next event on.
func (c *call) hookForget(ctx context.Context, client string) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	var events []string
	err = c.with(ctx, p, host.Changing, func(h *host.Host) (err error) {
		events, err = h.Disconnect(ctx, client, c.Person())
		return err
	})
	if err != nil {
		return err
	}
	if c.json {
		return c.document(struct {
			Client string   `json:"client"`
			Events []string `json:"events"`
		}{client, append([]string{}, events...)})
	}
	v := c.page(nil)
	if len(events) == 0 {
		v.line("%s delivered nothing in this workspace.", client)
		return nil
	}
	v.line("Forgot that %s delivers %s: guards of theirs alone are asked by nobody from now on.", client, enumerate(events))
	return nil
}

// hookLines prints what a client's settings need to hold.
func (c *call) hookLines(client string) error {
	dir, given := "", c.workspace != ""
	if given || projects[client] == "" { // who does not name its project is told which it is
		p, err := c.place()
		if err != nil {
			return err
		}
		dir = p.Workspace.Dir
	}
	doc, err := hookSettings(client, dir)
	if err != nil {
		return err
	}
	c.out.Write(doc)
	if !c.json {
		fmt.Fprintf(c.Err, "mortise: put this into %s, or have that done: mortise %shook %s --install\n", ext.Escape(dialect.SettingsFile(client)), c.nextFlag(dir), client)
	}
	return nil
}

// hookSettings are the settings of a client with our lines; dir is the workspace that
// they are for, "" where each finds its own.
func hookSettings(client, dir string) ([]byte, error) {
	at := ""
	if dir != "" {
		at = " --workspace " + word(dir)
	}
	program := "mortise"
	if own, err := os.Executable(); err == nil { // a client may have another PATH, and takes what is not there for consent
		program = word(own)
	}
	doc, err := json.MarshalIndent(dialect.Settings(client, hookPatience+10*time.Second, func(event string) string {
		return program + " hook " + client + " " + event + at
	}), "", "  ")
	return append(doc, '\n'), err
}

// hookInstall writes our lines into the client's settings of the workspace, and
// remembers that its events are delivered. Settings that are there are left alone.
func (c *call) hookInstall(ctx context.Context, client string) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	doc, err := hookSettings(client, p.Workspace.Dir)
	if err != nil {
		return err
	}
	name := dialect.SettingsFile(client)
	file := filepath.Join(p.Workspace.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write the hooks of %s: %w", client, err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return refuse("%s is there and is left as it is; add the lines that mortise %shook %s prints", ext.Escape(name), c.nextFlag(p.Workspace.Dir), client)
	}
	if err == nil {
		_, err = f.Write(doc)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("write the hooks of %s: %w", client, err)
	}
	events := dialect.Events(client)
	if err := c.with(ctx, p, host.Changing, func(h *host.Host) error { return h.Connect(ctx, client, events, c.Person()) }); err != nil {
		return err
	}
	if c.json {
		return c.document(struct {
			Client string   `json:"client"`
			File   string   `json:"file"`
			Events []string `json:"events"`
		}{client, file, events})
	}
	v := c.page(nil)
	v.line("Wrote %s: %s asks Mortise about %s.", v.bold(ext.Escape(name)), client, enumerate(events))
	return nil
}

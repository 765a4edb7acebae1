package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// testPatience is how long a server has to answer, unless it is said otherwise:
// package runners fetch what they run the first time.
const testPatience = 60 * time.Second

func (c *call) serverTest() *cobra.Command {
	within := testPatience
	cmd := &cobra.Command{
		Use:   "test NAME",
		Short: "Start a server, see whether it answers and what it offers, and end it",
		Long: `Start one server as mortise serve would: only one that is adopted and enabled, after
one more look at the disk. It is greeted and asked for all that it offers, and ended.
Shown are the revision that it speaks, what it offers, how long that took, and what
it printed beside the protocol.

Nothing of it is recorded but its own log. A mortise serve of the workspace that
runs is left alone: the server is started in a process of its own beside it.

Exit code 0: it answered. 1: it did not, or may not be started; the reason is given.`,
		Example:           "mortise server test acme:search\nmortise server test search --within 10s --json",
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(serverNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			if within <= 0 {
				return usage("mortise server test: --within is a time from now, such as 10s, and was %v", within)
			}
			return c.runTest(cmd.Context(), args[0], within)
		},
	}
	cmd.Flags().DurationVar(&within, "within", within, "give the server up after that `TIME`")
	return cmd
}

func (c *call) runTest(ctx context.Context, given string, within time.Duration) error {
	p, g, name, err := c.serverMeant(ctx, given)
	if err != nil {
		return err
	}
	if err := c.ready(g, name, "tested"); err != nil {
		return err
	}
	records, err := instance.Find(c.running(p), p.Workspace.Dir)
	if err != nil {
		return fmt.Errorf("look for running hosts: %w", err)
	}
	t, err := c.Try(ctx, p, name, within)
	if err != nil {
		return fmt.Errorf("test %s: %w", ext.Escape(name), err)
	}
	r := c.tested(g, name, &t)
	for _, other := range records {
		r.Beside = append(r.Beside, other.Process.Pid)
	}
	if c.json {
		err = c.document(r)
	} else {
		c.page(g.Config).tested(&r)
	}
	if err == nil && !r.Answers {
		return errNo
	}
	return err
}

// testedRow is the JSON document of server test.
type testedRow struct {
	Name      string       `json:"name"`
	Answers   bool         `json:"answers"`
	Error     string       `json:"error"` // why it does not
	Next      string       `json:"next"`  // what to do about it
	Transport string       `json:"transport"`
	Protocol  string       `json:"protocol"` // revision
	Era       string       `json:"era"`      // "modern": without a handshake, "legacy": with one; "" when it did not say
	Server    string       `json:"server"`   // how the program calls itself
	Version   string       `json:"version"`
	StartMS   float64      `json:"start_ms"`  // until it ran
	AnswerMS  float64      `json:"answer_ms"` // from then until it had told all that it offers
	Starts    int          `json:"starts"`
	Tools     []offeredRow `json:"tools"`
	Prompts   []offeredRow `json:"prompts"`
	Resources []offeredRow `json:"resources"`
	Templates []offeredRow `json:"templates"`
	Noise     int          `json:"noise"`  // lines on standard output that were no messages
	Stderr    []string     `json:"stderr"` // the last lines
	Exit      string       `json:"exit"`   // how it ended of its own
	Notes     []string     `json:"notes"`  // what was odd
	Log       string       `json:"log"`
	Beside    []int        `json:"beside"` // processes that serve the workspace meanwhile
}

// modernFrom is the first revision without a handshake. Revisions are dates.
const modernFrom = "2026-07-28"

// tested is what a trial showed.
func (c *call) tested(g *host.Generation, name string, t *host.Trial) testedRow {
	o, st := offeredOf(t.Content), &t.Status
	r := testedRow{
		Name: name, Answers: t.Answered(), Error: st.Error, Transport: st.Transport,
		Protocol: o.Protocol, Server: o.Name, Version: o.Version, Starts: st.Starts,
		StartMS: milliseconds(t.Start), AnswerMS: milliseconds(t.Answer),
		Tools: o.Tools, Prompts: o.Prompts, Resources: o.Resources, Templates: o.Templates,
		Noise: st.Noise, Stderr: append([]string{}, st.Stderr...), Exit: st.Exit, Notes: append([]string{}, o.Notes...), Log: st.Log, Beside: []int{},
	}
	switch {
	case o.Protocol >= modernFrom:
		r.Era = "modern"
	case o.Protocol != "":
		r.Era = "legacy"
	}
	if !r.Answers {
		r.Next = c.nextAfterTest(g, name)
	}
	return r
}

// nextAfterTest says where to look when a server does not answer.
func (c *call) nextAfterTest(g *host.Generation, name string) string {
	flag, l := c.nextFlag(g.Config.Workspace().Dir), g.Listing()
	where := "its declaration"
	for _, e := range l.Entries {
		if e.Surface == "server" && e.Qualified == name {
			where += " at " + rootsOf(l, c).at(c, e.Extension, "", e.Path, e.Line)
			break
		}
	}
	return fmt.Sprintf("mortise %sserver logs %s shows all that it printed; mend %s or the program, then test it again", flag, word(name), where)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(10*time.Microsecond)) / float64(time.Millisecond)
}

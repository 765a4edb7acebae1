package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) audit() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Look at the log of calls and decisions",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("audit command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.auditList(), c.auditShow(), c.auditVerify(), c.auditExport())
	return cmd
}

// auditing is what list and export ask for.
type auditing struct {
	limit                  int
	since                  time.Duration
	tool, kind, outcome, s string
}

func (a *auditing) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.DurationVar(&a.since, "since", 0, "those of the last `TIME`, such as 24h")
	f.StringVar(&a.tool, "tool", "", "those of one `TOOL`, by the name that agents call it by")
	f.StringVar(&a.kind, "kind", "", "those of one `KIND`: call, ask, deny, grant")
	f.StringVar(&a.outcome, "outcome", "", "those that ended so: `OUTCOME` is allowed, denied, asked or granted")
	f.StringVar(&a.s, "session", "", "those of one `SESSION`, as the log names it")
}

func (a *auditing) query() audit.Query {
	q := audit.Query{Limit: a.limit, Tool: a.tool, Kind: audit.Kind(a.kind), Outcome: audit.Outcome(a.outcome), Session: a.s}
	if a.since > 0 {
		q.Since = time.Now().Add(-a.since)
	}
	return q
}

func (c *call) auditList() *cobra.Command {
	a := auditing{limit: 50}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List what was asked and answered, the newest first",
		Long: `List what agents asked of tools, in whatever workspace, and what was answered: the newest
first. Arguments are kept as keys, sizes and hashes, unless your own config.toml sets audit.full.`,
		Example: "mortise audit list --outcome denied\nmortise audit list --since 24h --tool acme_deploy -n 200",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.limit < 1 {
				return usage("mortise audit list: -n takes a number from 1")
			}
			entries, err := c.audited(cmd.Context(), a.query())
			if err != nil {
				return err
			}
			if c.json {
				return c.document(struct {
					Records []audit.Entry `json:"records"`
				}{entries})
			}
			c.page(nil).audited(entries)
			return nil
		},
	}
	cmd.Flags().IntVarP(&a.limit, "lines", "n", a.limit, "how many `LINES` at most")
	a.flags(cmd)
	return cmd
}

// audited reads the log.
func (c *call) audited(ctx context.Context, q audit.Query) ([]audit.Entry, error) {
	p, err := c.place()
	if err != nil {
		return nil, err
	}
	out := []audit.Entry{}
	for e, err := range c.calls(ctx, p, q) {
		if err != nil {
			return nil, unaudited(err)
		}
		out = append(out, e)
	}
	return out, nil
}

// calls is what the log says, and on a terminal how far it is with looking through
// what is new in it.
func (c *call) calls(ctx context.Context, p host.Place, q audit.Query) iter.Seq2[audit.Entry, error] {
	return func(yield func(audit.Entry, error) bool) {
		counter, clear := c.indexing()
		defer clear()
		for e, err := range c.Calls(ctx, p, q, counter) {
			clear()
			if !yield(e, err) {
				return
			}
		}
	}
}

// indexing counts on standard error, where that is a terminal, how much of the log
// was indexed. clear takes the count away again.
func (c *call) indexing() (counter func(done, total int64), clear func()) {
	if !c.Watched {
		return nil, func() {}
	}
	shown := false
	counter = func(done, total int64) {
		if done < total || shown {
			shown = true
			fmt.Fprintf(c.Err, "\rmortise: indexed %s of %s MB of the log", grouped(int(done>>20)), grouped(int(total>>20)))
		}
	}
	return counter, func() {
		if shown {
			shown = false
			fmt.Fprint(c.Err, "\r\x1b[K")
		}
	}
}

// unaudited says what to do about a log that cannot be read.
func unaudited(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w; mortise audit verify says what is wrong with it", err)
}

func (p *page) audited(entries []audit.Entry) {
	if len(entries) == 0 {
		p.line("The log holds nothing of that kind.")
		return
	}
	var t table
	for i := range entries {
		e := &entries[i]
		why := join(escaped(e.By))
		if e.Reason != "" {
			why += after(": ", bounded(e.Reason))
		}
		t.row(cell{e.Time.Local().Format("2006-01-02 15:04:05"), p.dim}, cell{string(e.Outcome), p.status}, cell{ext.Escape(e.Tool), p.bold},
			cell{ext.Escape(e.Client), nil}, cell{ext.Escape(e.ID), p.dim}, cell{why, nil})
	}
	t.full(p)
}

func (c *call) auditShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show DECISION",
		Short:   "Show one decision whole",
		Long:    "Show every record of one decision, which a denial names. The beginning of its id is enough.",
		Example: "mortise audit show X4NZOUSUJFJ2",
		Args:    one("DECISION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := c.audited(cmd.Context(), audit.Query{ID: strings.ToUpper(args[0]), OldestFirst: true})
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				return usage("the log holds no decision %s; mortise audit list shows those that it holds", ext.Quote(ext.Shorten(args[0], 40)))
			}
			if c.json {
				return c.document(struct {
					Records []audit.Entry `json:"records"`
				}{entries})
			}
			v := c.page(nil)
			for i := range entries {
				v.record(&entries[i])
			}
			return nil
		},
	}
}

// record shows one record whole.
func (p *page) record(e *audit.Entry) {
	p.gap()
	p.line("%s  %s, %s", p.bold(ext.Escape(e.ID)), string(e.Kind), p.status(string(e.Outcome)))
	var t table
	field := func(name, value string) {
		if value != "" {
			t.row(cell{name, p.dim}, cell{value, nil})
		}
	}
	field("when", e.Time.Local().Format(time.RFC3339))
	field("tool", ext.Escape(e.Tool))
	field("extension", ext.Escape(e.Extension))
	field("server", ext.Escape(e.Server))
	field("client", ext.Escape(e.Client))
	field("session", ext.Escape(e.Session))
	field("by", join(escaped(e.By)))
	field("why", bounded(e.Reason))
	field("workspace", ext.Escape(e.Workspace))
	field("generation", fmt.Sprintf("%d, digest %s", e.Generation, e.GenerationDigest.Short()))
	field("arguments", arguments(&e.Arguments))
	field("record", fmt.Sprintf("%d of %s", e.Seq, ext.Escape(e.File)))
	t.full(p)
}

// arguments are what the log kept of the arguments of a call.
func arguments(a *audit.Arguments) string {
	if len(a.Raw) > 0 {
		return ext.Escape(ext.Shorten(string(a.Raw), 2000))
	}
	var parts []string
	for _, k := range a.Keys {
		parts = append(parts, fmt.Sprintf("%s (%s, %d bytes, %s)", ext.Escape(k.Key), k.Type, k.Size, ext.Shorten(k.Hash, 13)))
	}
	if a.More > 0 {
		parts = append(parts, fmt.Sprintf("%d more", a.More))
	}
	if len(parts) == 0 && a.Type != "" {
		return fmt.Sprintf("%s of %d bytes", a.Type, a.Size)
	}
	return join(parts)
}

func (c *call) auditVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Look whether the log is as it was written",
		Long: `Follow every chain of the log from line to line and compare the chains with each other.
It ends with 1 when something was changed or is gone.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			r, err := audit.Verify(cmd.Context(), p.CallLog())
			if err != nil {
				return err
			}
			if c.json {
				err = c.document(verifiedOf(&r))
			} else {
				c.page(nil).verified(&r)
			}
			if err == nil && !r.OK() {
				err = errNo
			}
			return err
		},
	}
}

// verified is the JSON document of verify.
type verified struct {
	OK              bool            `json:"ok"`
	Chains          int             `json:"chains"`
	Segments        int             `json:"segments"`
	Records         uint64          `json:"records"`
	Broken          []string        `json:"broken"`
	MissingChains   []string        `json:"missing_chains"`
	MissingSegments []string        `json:"missing_segments"`
	Dropped         []audit.Dropped `json:"dropped"` // gone, and accounted for
	Notes           []string        `json:"notes"`
	More            int             `json:"more"` // what the lists have no room for
}

func verifiedOf(r *audit.Report) verified {
	words := func(fs []audit.Fault) []string {
		out := []string{}
		for _, f := range fs {
			out = append(out, f.String())
		}
		return out
	}
	return verified{
		r.OK(), r.Chains, r.Segments, r.Records, words(r.Broken),
		append([]string{}, r.MissingChains...), append([]string{}, r.MissingSegments...), append([]audit.Dropped{}, r.Gaps...), words(r.Notes), r.More,
	}
}

func (p *page) verified(r *audit.Report) {
	for _, f := range r.Broken {
		p.line("%s %s", p.status("refused"), ext.Escape(f.String()))
	}
	for _, name := range r.MissingChains {
		p.line("%s the chain %s is gone, and nothing accounts for it", p.status("refused"), ext.Escape(name))
	}
	for _, name := range r.MissingSegments {
		p.line("%s the segment %s is gone, and nothing accounts for it", p.status("refused"), ext.Escape(name))
	}
	for _, f := range r.Notes {
		p.line("%s %s", p.dim("note"), ext.Escape(f.String()))
	}
	verdict := "as it was written"
	if !r.OK() {
		verdict = "not as it was written"
	}
	p.line("The log is %s: %s in %s of %s; %s dropped and accounted for.", verdict,
		count(int(r.Records), "record"), count(r.Segments, "segment"), count(r.Chains, "chain"), count(len(r.Gaps), "segment"))
}

func (c *call) auditExport() *cobra.Command {
	var a auditing
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write the log as JSON, a record on each line",
		Long:  "Write what was asked and answered as JSON, a record on each line, as it stands in the log: the oldest first.",
		Args:  upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			q := a.query()
			q.OldestFirst = true
			if err := audit.Export(c.calls(cmd.Context(), p, q), &c.out); err != nil {
				return unaudited(err)
			}
			return nil
		},
	}
	a.flags(cmd)
	return cmd
}

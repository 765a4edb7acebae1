package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) policy() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Look at policies and try them",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("policy command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	list, show := c.list(), c.explain()
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the policies of the workspace", Args: upTo(0, "argument"),
			RunE: func(cmd *cobra.Command, _ []string) error {
				list.SetContext(cmd.Context())
				return list.RunE(list, []string{"policy"})
			},
		},
		&cobra.Command{
			Use: "show NAME", Short: "Explain one policy", Args: one("NAME"),
			RunE: func(cmd *cobra.Command, args []string) error {
				show.SetContext(cmd.Context())
				return show.RunE(show, args)
			},
		},
		c.policyTest(), c.policyDryRun(),
	)
	return cmd
}

func (c *call) policyTest() *cobra.Command {
	return &cobra.Command{
		Use:   "test FILE",
		Short: "Run a table of cases against the policies as they are written now",
		Long: `Run a table of cases against the policies of the workspace as they are written now,
adopted or not. FILE is YAML:

  cases:
    - name: no deletion outside the build directory
      call: {qualified: acme:files/delete, tool: acme_files__delete, arguments: {path: /etc}}
      want: deny        # or ask, or pass
      by: owner:no-rm   # which policy; may be left out

Nothing is called and no code is asked. It ends with 1 when a case fails.`,
		Args: one("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.runPolicyTest(cmd.Context(), args[0]) },
	}
}

// tried is the JSON document of one case.
type tried struct {
	Name string   `json:"name"`
	Line int      `json:"line"`
	Want string   `json:"want"`
	Got  string   `json:"got"`
	By   []string `json:"by"`
	Why  []string `json:"why"`
	OK   bool     `json:"ok"`
}

func (c *call) runPolicyTest(ctx context.Context, file string) error {
	at := file
	if !filepath.IsAbs(at) && c.NoDir == nil {
		at = filepath.Join(c.Dir, at)
	}
	data, err := os.ReadFile(at)
	if err != nil {
		return fmt.Errorf("read the cases: %w", err)
	}
	cases, found := guard.ReadCases(ext.Origin{Path: file, Line: 1}, data)
	if found.Failed() {
		var lines []error
		for _, f := range found {
			lines = append(lines, errors.New(f.String()))
		}
		return ext.AsUsage(errors.Join(lines...))
	}
	p, err := c.place()
	if err != nil {
		return err
	}
	g, err := c.lookAt(ctx, p)
	if err != nil {
		return err
	}
	set, rows, failed := g.Proposed(), []tried{}, 0
	for i := range cases {
		row := try(ctx, set, &cases[i])
		if rows = append(rows, row); !row.OK {
			failed++
		}
	}
	if c.json {
		err = c.document(struct {
			Cases  []tried `json:"cases"`
			Failed int     `json:"failed"`
		}{rows, failed})
	} else {
		c.page(g.Config).tried(rows, failed)
	}
	if err == nil && failed > 0 {
		err = errNo
	}
	return err
}

// try judges one case.
func try(ctx context.Context, set *guard.Set, k *guard.Case) tried {
	objections := set.Ruled(ctx, &k.Call)
	got := guard.Prevails(objections)
	row := tried{Name: k.Name, Line: k.Line, Want: k.Want.String(), Got: got.String(), By: []string{}, Why: []string{}}
	for _, o := range objections {
		if o.Verdict == got {
			row.By, row.Why = append(row.By, o.Guard), append(row.Why, o.Reason)
		}
	}
	row.OK = got == k.Want && (k.By == "" || slices.Contains(row.By, k.By))
	return row
}

func (p *page) tried(rows []tried, failed int) {
	for _, r := range rows {
		if r.OK {
			continue
		}
		p.line("%s %s (line %d): got %s, want %s", p.status("refused"), p.bold(ext.Escape(r.Name)), r.Line, r.Got, r.Want)
		for i := range r.By {
			p.line("    %s: %s", ext.Escape(r.By[i]), bounded(r.Why[i]))
		}
	}
	p.line("%s, %d failed", count(len(rows), "case"), failed)
}

func (c *call) policyDryRun() *cobra.Command {
	var since time.Duration
	cmd := &cobra.Command{
		Use:   "dry-run",
		Short: "Say which past calls the policies as they are written now would have decided otherwise",
		Long: `Judge the calls in the log by the policies of the workspace as they are written now,
adopted or not, and say which of them would have ended otherwise. A call that a policy may be about
which reads what the log did not keep, such as arguments, is undecidable, and counted as that.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runDryRun(cmd.Context(), since) },
	}
	cmd.Flags().DurationVar(&since, "since", 0, "those of the last `TIME`, such as 24h")
	return cmd
}

// differing is a past call that would have been decided otherwise.
type differing struct {
	Decision string    `json:"decision"`
	Time     time.Time `json:"time"`
	Tool     string    `json:"tool"`
	Was      string    `json:"was"`
	Now      string    `json:"now"`
	By       []string  `json:"by"`
}

// dryRun is the JSON document of dry-run.
type dryRun struct {
	Calls       int         `json:"calls"`
	Same        int         `json:"same"`
	Undecidable int         `json:"undecidable"`
	Differing   []differing `json:"differing"`
}

func (c *call) runDryRun(ctx context.Context, since time.Duration) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	g, err := c.lookAt(ctx, p)
	if err != nil {
		return err
	}
	q := audit.Query{OldestFirst: true}
	if since > 0 {
		q.Since = time.Now().Add(-since)
	}
	out := dryRun{Differing: []differing{}}
	set := g.Proposed()
	for e, err := range audit.Read(p.CallLog(), q) {
		if err != nil {
			return fmt.Errorf("%w; mortise audit verify says what is wrong with it", err)
		}
		past, ok := pastOf(&e)
		if !ok || e.Workspace != g.Config.Workspace().ID {
			continue
		}
		out.Calls++
		switch r := g.Replay(ctx, set, &past); {
		case !r.Decided:
			out.Undecidable++
		case r.Now == past.Was, past.Was == guard.Deny && !slices.ContainsFunc(e.By, set.Ruling):
			out.Same++
		default:
			out.Differing = append(out.Differing, differing{e.ID, e.Time, e.Tool, past.Was.String(), r.Now.String(), append([]string{}, r.By...)})
		}
	}
	if c.json {
		return c.document(out)
	}
	c.page(g.Config).dryRun(&out)
	return nil
}

// pastOf is what a record tells of a call that was decided. A question is none: its
// answer follows.
func pastOf(e *audit.Entry) (past host.Past, ok bool) {
	past = host.Past{
		Tool: e.Tool, Extension: ext.Name(e.Extension), Server: e.Server, Client: e.Client,
		Arguments: e.Arguments.Raw, Keyless: e.Arguments.Type == "object" && len(e.Arguments.Keys)+e.Arguments.More == 0 && !e.Arguments.Large,
	}
	switch e.Kind {
	case audit.KindDeny:
		past.Was = guard.Deny
	case audit.KindAnswer:
		past.Was = guard.Ask
	case audit.KindCall:
		if len(e.By) > 0 { // somebody was asked, and consented
			past.Was = guard.Ask
		}
	default:
		return past, false
	}
	return past, true
}

func (p *page) dryRun(d *dryRun) {
	var t table
	for i := range d.Differing {
		x := &d.Differing[i]
		t.row(cell{x.Time.Local().Format("2006-01-02 15:04:05"), p.dim}, cell{ext.Escape(x.Tool), p.bold}, cell{x.Was + " → " + x.Now, nil},
			cell{ext.Escape(strings.Join(x.By, ", ")), nil}, cell{ext.Escape(x.Decision), p.dim})
	}
	t.full(p)
	p.line("%s: %d would be decided as they were, %d otherwise; %d undecidable, since a policy reads what the log did not keep.", count(d.Calls, "past call"), d.Same, len(d.Differing), d.Undecidable)
}

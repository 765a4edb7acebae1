package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain NAME",
		Short: "Say what a name means here, and which rule decided",
		Long: `Say what NAME means in this workspace: an entry by its short name, as
EXTENSION:NAME or as clients call it, an extension, a key of the configuration, or what
hooks give a name to: a variable of the environment, an axis, a daemon.

For an entry: every candidate with its origin, which one answers to the name, by
which rule, what it shadows, and for a tool the guards that would be asked. For a
key: its value, where that comes from, and what every lower layer says.`,
		Example: "mortise explain review\nmortise explain owner:review\nmortise explain limits.files",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := c.look(cmd.Context())
			if err != nil {
				return err
			}
			x := g.Explain(args[0])
			c.explainAnswers(cmd.Context(), g, x, args[0])
			if !x.Known() {
				if f := undecided(g.Listing(), args[0]); f != nil {
					return usage("there is no entry %s, since that could not be decided by reading: %s:%d: %s", quote(args[0]), ext.Escape(f.Path), f.Line, f.Message)
				}
				return unknown("entry, extension or configuration key", args[0], g.Names(), "mortise "+c.placeFlag()+"list shows what there is")
			}
			x.Findings = append(x.Findings, unreadable(g.Listing())...) // it is why nothing is adopted or disabled
			if c.json {
				return c.document(explanationOf(x, g.Adopted))
			}
			c.page(g.Config).explanation(x, g)
			return nil
		},
		ValidArgsFunction: c.completes((*host.Generation).Names),
	}
}

// undecided is the finding that says that something of the name may be an entry or not; nil
// where none does.
func undecided(l *host.Listing, name string) *host.FindingRow {
	for i := range l.Findings {
		if f := &l.Findings[i]; f.Field == name && strings.HasSuffix(f.Code, "-unresolved") {
			return f
		}
	}
	return nil
}

// explainAnswers adds the answers to hooks that have the name. Programs of extensions are
// asked where nothing else has it, for as long as somebody would wait.
func (c *call) explainAnswers(ctx context.Context, g *host.Generation, x *host.Explanation, name string) {
	if x.Answers = g.ExplainAnswers(ctx, name, false); x.Known() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	x.Answers = g.ExplainAnswers(ctx, name, true)
}

func (p *page) explanation(x *host.Explanation, g *host.Generation) {
	l := &host.Listing{Extensions: g.Listing().Extensions}
	r := rootsOf(l, p.call)
	p.meaning(x)
	if !g.Adopted && ofWorkspace(x) {
		p.line("The workspace is not adopted: nothing of it is in use, and names lead where adoption would let them.")
	}
	for _, e := range x.Entries {
		p.entry(e, r)
	}
	for _, row := range x.Extensions {
		p.extension(row)
	}
	for _, v := range x.Settings {
		p.setting(v, r)
	}
	for i := range x.Answers {
		p.answered(&x.Answers[i])
	}
	p.findings(x.Findings, r, true)
}

// answered shows what a hook is answered for a name, and what of it holds.
func (p *page) answered(a *host.AnswerMeaning) {
	p.gap()
	p.line("  %s  %s", p.bold(a.Hook), cut(string(a.Value), safe))
	at := ext.Escape(a.Path)
	if a.Line > 0 {
		at += ":" + decimal(uint64(a.Line))
	}
	p.line("    %s  %s", whose(a.Entry), p.dim(at))
	if a.Lost {
		p.line("    %s %s (%s: %s)", p.yellow("lost to"), whose(a.LostTo), a.Rule, a.RuleDoc)
	}
	if _, given := lookup(p.call.Env, a.Key); given && !a.Lost && a.Hook == "derive_env" { // its value may be a secret
		p.line("    %s", p.dim("it is exported here, which wins unless mortise env set it"))
	}
}

// ofWorkspace reports whether a name means anything that is not built in.
func ofWorkspace(x *host.Explanation) bool {
	builtin := ext.Builtin.String()
	return slices.ContainsFunc(x.Entries, func(e host.EntryMeaning) bool { return e.Trust != builtin }) ||
		slices.ContainsFunc(x.Extensions, func(e host.ExtensionMeaning) bool { return e.Trust != builtin })
}

// meaning sums up in one sentence what the name leads to.
func (p *page) meaning(x *host.Explanation) {
	name := p.bold(ext.Escape(x.Name))
	for _, e := range x.Entries {
		if len(e.Candidates) > 0 {
			p.line("%s is ambiguous: it could be %s. Use one of these names.", name, either(escaped(e.Candidates)))
			return
		}
	}
	for _, e := range x.Entries {
		if e.Answers {
			p.line("%s is the %s %s.", name, e.Surface, ext.Escape(e.Qualified))
			return
		}
	}
	switch {
	case len(x.Entries) > 0:
		p.line("%s leads to nothing that is active.", name)
	case len(x.Extensions) > 0:
		p.line("%s is an extension.", name)
	case len(x.Settings) > 0:
		p.line("%s is a key of the configuration.", name)
	default:
		p.line("%s is given by %s.", name, x.Answers[0].Hook)
	}
}

func (p *page) entry(e host.EntryMeaning, r roots) {
	p.gap()
	reason := strings.TrimPrefix(strings.TrimPrefix(e.Reason, e.Status), ": ")
	p.line("%s  %s, %s%s", p.bold(ext.Escape(e.Qualified)), e.Surface, p.status(e.Status), after(": ", bounded(reason)))
	var t table
	field := func(name, value string) {
		if value != "" {
			t.row(cell{name, p.dim}, cell{value, nil})
		}
	}
	field("says", bounded(e.Description))
	field("asks", bounded(e.Asks))
	field("from", ext.Escape(e.Source)+", trust "+e.Trust)
	field("file", r.at(p.call, e.Extension, e.Root, e.Path, e.Line))
	for i, why := range e.Evidence {
		name := "since"
		if i > 0 {
			name = ""
		}
		field(name, bounded(why))
	}
	field("rule", e.Rule+": "+e.RuleDoc)
	field("clients use", ext.Escape(e.Offered))
	if e.LastKnown {
		field("known", "from when its server last ran; none runs in this process")
	}
	if len(e.Also) > 0 {
		field("declared by", declarers(e.EntryRow))
	} else {
		field("shadows", join(escaped(e.Shadows)))
	}
	field("shadowed by", ext.Escape(e.ShadowedBy))
	field("guards", join(escaped(e.Guards)))
	switch s := p.call.spec(e.Surface); {
	case s == nil:
	case s.Called && len(e.Guards) == 0:
		field("guards", "none would be asked")
	case s.Inert:
		field("use", "for other clients; nothing here uses it")
	}
	t.full(p)
}

func (p *page) extension(x host.ExtensionMeaning) {
	p.gap()
	reason := strings.TrimPrefix(strings.TrimPrefix(x.Reason, x.Status), ": ")
	p.line("%s  extension, %s%s", p.bold(ext.Escape(x.Name)), p.status(x.Status), after(": ", bounded(reason)))
	var t table
	t.row(cell{"format", p.dim}, cell{format(x.ExtensionRow), nil})
	t.row(cell{"from", p.dim}, cell{ext.Escape(x.Source) + ", trust " + x.Trust, nil})
	if x.Root != "" {
		t.row(cell{"directory", p.dim}, cell{p.call.shown(x.Root), nil})
	}
	t.row(cell{"entries", p.dim}, cell{count(x.Entries, "entry") + after(", ", incomplete(&x.ExtensionRow)), nil})
	t.row(cell{"digest", p.dim}, cell{x.Digest, nil})
	t.full(p)
}

func after(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func escaped(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ext.Escape(n)
	}
	return out
}

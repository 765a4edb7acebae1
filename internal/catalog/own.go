package catalog

import (
	"context"
	"errors"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/builtin/claude"
	"github.com/mortise-dev/mortise/internal/builtin/inject"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/host"
)

// own is the extension that is compiled in: files, and tools that answer about
// the host they are asked through. They say nothing of what is not adopted but
// how much of it there is: a stranger's names are a stranger's text.
func own(h func() *host.Host) *inproc.Extension {
	o := about{host: h}
	return &inproc.Extension{Name: ext.BuiltinName, Files: builtinFiles(), Hooks: slices.Concat(claude.Hooks(), inject.Hooks()), Tools: []inproc.Tool{
		inproc.NewTool(ext.BuiltinName, inproc.About{
			Name: "list", Title: "List extensions", ReadOnly: true,
			Description: "List the extensions of this workspace and what they offer: skills, agents, commands, tools, servers and more, each with its status and where it comes from. Of what is not adopted it gives counts alone.",
		}, o.list),
		inproc.NewTool(ext.BuiltinName, inproc.About{
			Name: "explain", Title: "Explain a name", ReadOnly: true,
			Description: "Explain what a name means in this workspace: every entry that could be meant, which one answers and by which rule, what it shadows, and why it cannot be used when it cannot. Takes the name a tool is called by, EXTENSION:NAME, or a short name.",
		}, o.explain),
		inproc.NewTool(ext.BuiltinName, inproc.About{
			Name: "status", Title: "Show the host's status", ReadOnly: true,
			Description: "Show how this host is doing: its generation, how many extensions were admitted, refused, disabled or wait for the person, and the state of each running server with its last error.",
		}, o.status),
	}}
}

// about answers the questions of the own tools.
type about struct{ host func() *host.Host }

type listArguments struct {
	Surface string `json:"surface,omitempty" jsonschema:"only entries of this surface: skill, agent, command, prompt, server, tool, resource"`
}

type listed struct {
	Generation uint64         `json:"generation"`
	Extensions []extensionRow `json:"extensions"`
	Entries    []entryRow     `json:"entries"`
	Waiting    waiting        `json:"not_adopted"`
}

type extensionRow struct {
	Name       string `json:"name"`
	Format     string `json:"format"`
	Status     string `json:"status"`
	Entries    int    `json:"entries"`
	Incomplete int    `json:"incomplete,omitempty"`
}

type entryRow struct {
	Surface     string `json:"surface"`
	Name        string `json:"name"`
	Status      string `json:"status"`
	ShadowedBy  string `json:"shadowed_by,omitempty"`
	LastKnown   bool   `json:"last_known,omitempty"`
	Description string `json:"description,omitempty"`
}

// waiting counts what waits for the person, by what it is.
type waiting struct {
	Extensions map[string]int `json:"extensions,omitempty"` // by status
	Entries    map[string]int `json:"entries,omitempty"`    // by surface
}

func (o about) generation(ctx context.Context) (*host.Generation, error) {
	h := o.host()
	if h == nil {
		return nil, errors.New("no host is asked")
	}
	g, err := h.Current(ctx)
	if errors.Is(err, host.ErrUnknown) { // why names places of this machine
		err = host.ErrUnknown
	}
	return g, err
}

func (o about) list(ctx context.Context, in listArguments) (any, error) {
	g, err := o.generation(ctx)
	if err != nil {
		return nil, err
	}
	all, l := g.Listing(), g.Told()
	out := listed{Generation: g.Number, Extensions: []extensionRow{}, Entries: []entryRow{}, Waiting: waiting{map[string]int{}, map[string]int{}}}
	for _, x := range all.Extensions {
		out.Waiting.Extensions[x.Status]++
	}
	for _, x := range l.Extensions {
		less(out.Waiting.Extensions, x.Status)
		out.Extensions = append(out.Extensions, extensionRow{ext.Escape(x.Name), ext.Escape(x.Format), x.Status, x.Entries, x.Incomplete})
	}
	for _, e := range all.Entries {
		if in.Surface == "" || e.Surface == in.Surface {
			out.Waiting.Entries[e.Surface]++
		}
	}
	for _, e := range l.Entries {
		if in.Surface == "" || e.Surface == in.Surface {
			less(out.Waiting.Entries, e.Surface)
			out.Entries = append(out.Entries, entryRow{e.Surface, ext.Escape(e.Qualified), e.Status, ext.Escape(e.ShadowedBy), e.LastKnown, ext.Escape(ext.Shorten(e.Description, 300))})
		}
	}
	return out, nil
}

// less takes one from a count, and the count away with the last.
func less(counts map[string]int, of string) {
	if counts[of]--; counts[of] == 0 {
		delete(counts, of)
	}
}

type explainArguments struct {
	Name string `json:"name" jsonschema:"the name to explain"`
}

func (o about) explain(ctx context.Context, in explainArguments) (any, error) {
	g, err := o.generation(ctx)
	if err != nil {
		return nil, err
	}
	if x := g.ExplainTold(in.Name); x.Known() {
		return told(x), nil
	}
	if x := g.Explain(in.Name); len(x.Entries)+len(x.Extensions) > 0 {
		return nil, errors.New("that waits for the person; nothing of it is told here")
	}
	return nil, errors.New("nothing here has that name")
}

type statusArguments struct{}

type statusReport struct {
	Generation uint64           `json:"generation"`
	Adopted    bool             `json:"adopted"`
	Lapsed     int              `json:"changed_since_adopted,omitempty"`
	Found      int              `json:"found"`
	Admitted   int              `json:"admitted"`
	Refused    int              `json:"refused"`
	Disabled   int              `json:"disabled"`
	Pending    int              `json:"pending"`
	Findings   map[string]int   `json:"findings"` // by severity
	Servers    []serverStanding `json:"servers"`
	Polled     int              `json:"polled,omitempty"` // places where changes take two seconds to show
	Fault      string           `json:"fault,omitempty"`  // the last pass failed, and what was before is in use
}

type serverStanding struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Tools int    `json:"tools"`
	Error string `json:"error,omitempty"`
}

func (o about) status(ctx context.Context, _ statusArguments) (any, error) {
	g, err := o.generation(ctx)
	if err != nil {
		return nil, err
	}
	l := g.Listing()
	out := statusReport{
		Generation: g.Number, Adopted: g.Adopted, Lapsed: len(g.Lapsed),
		Found: l.Found, Admitted: l.Admitted, Refused: l.Refused, Disabled: l.Disabled, Pending: l.Pending,
		Findings: map[string]int{}, Servers: []serverStanding{}, Polled: len(o.host().Polled()),
	}
	for _, f := range l.Findings {
		out.Findings[f.Severity]++
	}
	for _, s := range o.host().Servers() { // what runs was consented to
		out.Servers = append(out.Servers, standing(s))
	}
	if o.host().Fault() != nil { // why names places of this machine
		out.Fault = "what is there now could not be read, so that what was read before is in use; it is tried again, and mortise refresh says why"
	}
	return out, nil
}

func standing(s call.Status) serverStanding {
	return serverStanding{Name: ext.Escape(s.Name), State: string(s.State), Tools: s.Tools, Error: s.Error}
}

// meaning is an explanation as an agent is told it: foreign text made safe, and
// no place of this machine.
type meaning struct {
	Entries    []entryMeaning `json:"entries"`
	Extensions []extensionRow `json:"extensions"`
}

type entryMeaning struct {
	entryRow
	Extension  string   `json:"extension"`
	Path       string   `json:"path"`
	Line       int      `json:"line"`
	Rule       string   `json:"rule"`
	Answers    bool     `json:"answers"`
	Offered    string   `json:"offered,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Shadows    []string `json:"shadows,omitempty"`
	Candidates []string `json:"candidates,omitempty"`
}

func told(x *host.Explanation) meaning {
	m := meaning{Entries: []entryMeaning{}, Extensions: []extensionRow{}}
	for _, e := range x.Entries {
		m.Entries = append(m.Entries, entryMeaning{
			entryRow:  entryRow{e.Surface, ext.Escape(e.Qualified), e.Status, ext.Escape(e.ShadowedBy), e.LastKnown, ext.Escape(ext.Shorten(e.Description, 300))},
			Extension: ext.Escape(e.Extension), Path: ext.Escape(e.Path), Line: e.Line, Rule: e.RuleDoc, Answers: e.Answers, Offered: ext.Escape(e.Offered),
			Reason: ext.Escape(e.Reason), Shadows: escaped(e.Shadows), Candidates: escaped(e.Candidates),
		})
	}
	for _, e := range x.Extensions {
		m.Extensions = append(m.Extensions, extensionRow{ext.Escape(e.Name), ext.Escape(e.Format), e.Status, e.Entries, e.Incomplete})
	}
	return m
}

func escaped(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ext.Escape(n)
	}
	return out
}

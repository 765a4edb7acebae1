package mortise

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/policy"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// Option says how providers are composed.
type Option func(*options)

type options struct {
	reserved map[string]bool // folded
	builtin  []string
	plain    bool
}

// ReservedToolNames are names that the deployment has given to tools of its own.
// An extension with a tool that agents would call by one of them is refused. Names
// that differ only by case are one name.
func ReservedToolNames(names ...string) Option {
	return func(o *options) {
		for _, n := range names {
			o.reserved[surface.Fold(n)] = true
		}
	}
}

// PlainToolNames has agents call tools by their own names, without the name of
// their extension before it. An extension with a tool of a name that another one
// has is refused then.
func PlainToolNames() Option { return func(o *options) { o.plain = true } }

// TrustBuiltin gives extensions the trust of what the program itself is: their
// fragments are the program's own text, in its own layer and without a fence.
// Without it an extension is believed as far as a plugin.
func TrustBuiltin(extensions ...string) Option {
	return func(o *options) { o.builtin = append(o.builtin, extensions...) }
}

// Composed is what providers together contribute. It is immutable, but that it knows
// which install hooks ran, and safe for concurrent use.
type Composed struct {
	options     options
	parts       []*part
	composition *compose.Composition
	session     *session.Session
	guards      *guard.Set
	reach       func(ext.Ref) call.Caller // what answers for a guard
	offers      []offer                   // by name
	findings    ext.Findings
	described   []described // what servers said of themselves
	outcomes    []outcome   // of that, each at the place of its description
	installs    *installs   // nil: nobody opens a host over this one
}

// offer is a tool under the name that agents call it by.
type offer struct {
	Offer
	call    guard.Call // that is the same for every call of it
	ref     ext.Ref
	owner   *part
	through call.Caller
	digest  ext.Digest // of its definition
}

// Compose asks each provider once what it contributes and composes the
// contributions, in the order of the providers. The error is an [*AdmissionError]
// with every refusal and every finding: each contribution is taken whole, or
// nothing is composed.
func Compose(providers []Provider, opts ...Option) (*Composed, error) {
	o := options{reserved: map[string]bool{}}
	for _, set := range opts {
		set(&o)
	}
	a := assembly{options: o, names: map[ext.Name]string{}}
	for _, p := range providers {
		a.provider(p)
	}
	for _, name := range o.builtin {
		if _, ok := a.names[ext.Name(name)]; !ok && len(a.refusals) == 0 {
			return nil, ext.AsUsage(fmt.Errorf("TrustBuiltin names %s, and no provider contributes an extension of that name", ext.Quote(name)))
		}
	}
	c, refused := a.compose()
	if refused != nil {
		return nil, ext.AsRefused(refused)
	}
	c.installs = newInstalls()
	return c, nil
}

// assembly is a composition in the making.
type assembly struct {
	options  options
	parts    []*part
	names    map[ext.Name]string // of extensions, to who has them
	refusals []Refusal
	blamed   []*bridged // of the refusals, in their order: the plugin; nil for a provider
	findings ext.Findings

	described []described // by servers of the parts
	outcomes  []outcome   // likewise
}

// refuse refuses a part.
func (a *assembly) refuse(p *part, r Refusal) {
	for len(a.blamed) < len(a.refusals) {
		a.blamed = append(a.blamed, nil)
	}
	r.Extension = string(p.name)
	a.refusals, a.blamed = append(a.refusals, r), append(a.blamed, p.bridge)
}

// provider adds what a provider contributes.
func (a *assembly) provider(p Provider) {
	if nothing(p) {
		a.refusals = append(a.refusals, Refusal{Extension: typeOf(p), Cause: Unbridgeable, Reason: "the provider is nil"})
		return
	}
	c, err := safely(p.Contribute)
	if err != nil {
		a.refusals = append(a.refusals, Refusal{Extension: typeOf(p), Cause: Unbridgeable, Reason: "its Contribute failed: " + err.Error()})
		return
	}
	trust := ext.Plugin
	if slices.Contains(a.options.builtin, c.Extension) {
		trust = ext.Builtin
	}
	made, findings, refusals := partOf(&c, typeOf(p), trust)
	a.refusals, a.findings = append(a.refusals, refusals...), append(a.findings, findings...)
	if made != nil {
		a.add(made)
	} else if name, err := ext.ParseName(c.Extension); err == nil && a.names[name] == "" {
		a.names[name] = c.Extension // refused, and still the first of its name
	}
}

// partOf is a contribution as a part, or why it is none.
func partOf(c *Contribution, by string, trust ext.Trust) (*part, ext.Findings, []Refusal) {
	name, err := ext.ParseName(c.Extension)
	if err != nil {
		return nil, nil, []Refusal{{
			Extension: by, Cause: AtFault, Reason: fmt.Sprintf("it calls its extension %s: %s", ext.Quote(ext.Shorten(c.Extension, 80)), ext.Escape(err.Error())),
			Fix: "Give it a name of a-z, 0-9, '-' and '.'",
		}}
	}
	var refusals []Refusal
	if slices.Contains(ext.Reserved, name) {
		refusals = append(refusals, Refusal{
			Extension: c.Extension, Cause: NameClaimed, Owner: "the host", Reason: fmt.Sprintf("the name %s of an extension is the host's own", name),
			Fix: "Rename the extension.",
		})
	}
	made, findings := newPart(c, name, trust)
	if findings.Failed() {
		refusals = append(refusals, faults(c.Extension, findings))
	}
	if len(refusals) > 0 {
		return nil, findings, refusals
	}
	return made, findings, nil
}

// add adds a part, unless another has its name.
func (a *assembly) add(p *part) {
	owner, taken := a.names[p.name]
	if !taken {
		a.names[p.name] = string(p.name)
		a.parts = append(a.parts, p)
		return
	}
	later := "a later provider"
	if p.bridge != nil {
		later = "the plugin object of type " + typeOf(p.bridge.plugin)
	}
	a.refuse(p, Refusal{
		Cause: NameClaimed, Owner: owner, Reason: fmt.Sprintf("%s calls its extension %s, and the name %s is claimed by the extension %s that came before it", later, p.name, p.name, owner),
		Fix: "Rename one of them.",
	})
}

// compose judges all parts and merges them.
func (a *assembly) compose() (*Composed, *AdmissionError) {
	candidates := make([]discover.Candidate, len(a.parts), len(a.parts)+len(a.described))
	roster := make([]ext.Name, len(a.parts))
	for i, p := range a.parts {
		candidates[i], roster[i] = p.candidate, p.name
	}
	for i := range a.described {
		candidates = append(candidates, a.described[i].candidate)
	}
	decisions := admit.Decide(candidates, rules)
	for i, p := range a.parts {
		a.decided(&decisions[i], p)
	}
	for i := range a.described {
		a.outcomes = append(a.outcomes, outcomeOf(&decisions[len(a.parts)+i], a.described[i].of))
	}
	merged := compose.Merge(specs, compose.Order(admit.Extensions(decisions), roster))
	for _, r := range merged.Refused() {
		a.findings.Add(r.Findings...)
		a.refusals = append(a.refusals, faults(string(r.Extension), r.Findings))
	}
	a.findings.Add(merged.Findings()...)
	c := &Composed{options: a.options, parts: a.parts, composition: merged, session: session.Resolve(merged), described: a.described}
	code := caller{}
	for _, p := range a.parts {
		for ref, g := range p.guards {
			code[ref] = g
		}
	}
	c.reach = func(ext.Ref) call.Caller { return code }
	c.guards = guard.New(guard.Members{Composition: merged, Decisions: decisions[:len(a.parts)], Adopted: true})
	a.offer(c)
	c.findings, c.outcomes = a.findings, a.outcomes
	if refused := refuse(a.refusals, a.findings); refused != nil {
		return nil, refused
	}
	return c, nil
}

// rules are what contributions are judged by: compiling one in is the consent to
// its code, and to nothing else.
var rules = admit.Rules{
	Adopted: true, Granted: true, Whole: true, WholeOwn: true,
	Asked:   asked(),
	Drivers: map[string]ext.Trust{inproc.Name: ext.Plugin},
	Called: func(x ext.Name, server, tool string) string {
		return session.Called(x, server, tool, session.NameLimit)
	},
}

// asked are the questions that are put to what is composed: before a call, and by plans.
func asked() map[string]bool {
	out := map[string]bool{toolcall.Before.Name: true, policy.ToolCall: true}
	for _, s := range planHooks {
		out[s.Name] = true
	}
	return out
}

// decided takes over what was decided about a part. Everything that was laid out
// must have come through the door, and in use: nothing is taken in part.
func (a *assembly) decided(d *admit.Decision, p *part) {
	var found ext.Findings
	active := 0
	for i := range d.Contributions() {
		c := &d.Contributions()[i]
		found.Add(c.Findings...)
		if c.Status == admit.Active {
			active++
		}
	}
	for _, f := range d.Findings() {
		if f.Check != admit.Incomplete { // what it sums up is told
			found.Add(f)
		}
	}
	a.findings.Add(found...)
	switch {
	case d.Status() != admit.Admitted && found.Failed():
		a.refuse(p, faults("", found))
	case d.Status() != admit.Admitted:
		a.refuse(p, Refusal{Cause: AtFault, Reason: "it is " + d.Reason()})
	case active != p.entries:
		a.refuse(p, Refusal{Cause: AtFault, Reason: fmt.Sprintf("of its %d entries %d could be taken", p.entries, active)})
	}
}

// offer gives every tool the name that agents call it by. A name that is reserved
// or given already refuses the extension of the tool. What servers say of themselves
// comes after all code and takes no name from that: such a tool is not offered, and
// nothing else suffers.
func (a *assembly) offer(c *Composed) {
	n := naming{assembly: a, composed: c, given: map[string]string{}, exposed: map[string]string{}, owners: map[ext.Name]*part{}}
	offers := c.session.Offer(session.OfferOptions{})
	for _, o := range slices.Concat(offers.Tools, offers.Hidden) {
		n.exposed[o.Entry.Qualified] = o.Name
	}
	for _, p := range a.parts {
		n.owners[p.name] = p
	}
	for _, served := range []bool{false, true} {
		for i := range c.session.Tools {
			if t := &c.session.Tools[i]; served == (t.Value.Definition != nil) {
				n.give(t)
			}
		}
	}
	slices.SortFunc(c.offers, byName)
}

// naming gives the tools of a composition their names.
type naming struct {
	*assembly
	composed *Composed
	exposed  map[string]string // by qualified names
	given    map[string]string // folded, to the tool that has it
	owners   map[ext.Name]*part
}

// give gives a tool its name, or says why it has none.
func (n *naming) give(t *compose.Typed[tool.Tool]) {
	name, owner := n.exposed[t.Qualified], n.owners[t.Extension]
	own := t.Name
	if t.Value.Definition != nil {
		own = t.Value.Ref.Name
	}
	if n.options.plain && plainName(own) { // a server may call its tools what nobody could call them by
		name = own
	}
	key := surface.Fold(name)
	o := offerOf(t, name, owner)
	r, refused := n.claimed(t, name, key, n.given[key])
	switch served := n.served(t); {
	case served == nil && refused:
		n.refuse(owner, r)
		return
	case refused:
		r.Extension, r.Fix = string(t.Extension), "Rename the server, or what has the name."
		served.withheld = append(served.withheld, r)
		return
	case served != nil:
		served.tools++
		o.through, o.call.Server = served.of, served.of.server
	}
	n.given[key] = t.Qualified
	n.composed.offers = append(n.composed.offers, o)
}

// claimed is the refusal of a tool that would be called by a name that is another's.
func (a *assembly) claimed(t *compose.Typed[tool.Tool], name, key, other string) (Refusal, bool) {
	r := Refusal{Fix: "Rename the tool."}
	switch {
	case a.options.reserved[key]:
		r.Cause, r.Owner = ToolReserved, "the deployment"
		r.Reason = fmt.Sprintf("its tool %s would be called %s, and the deployment reserves that name", ext.Quote(t.Qualified), ext.Quote(name))
	case other != "":
		owner, _, _ := ext.SplitQualified(other)
		r.Cause, r.Owner = ToolClaimed, string(owner)
		r.Reason = fmt.Sprintf("its tool %s would be called %s, as the tool %s of the extension %s is", ext.Quote(t.Qualified), ext.Quote(name), ext.Quote(other), owner)
	default:
		return r, false
	}
	return r, true
}

func offerOf(t *compose.Typed[tool.Tool], name string, owner *part) offer {
	o := offer{ref: t.Value.Ref, owner: owner, through: owner.driver, digest: t.Digest, Offer: Offer{
		Name: name, Extension: string(t.Extension), Title: t.Value.Title, Description: t.Description, Input: t.Value.Input.Raw,
	}}
	annotations := t.Value.Annotated()
	if annotations != nil {
		o.Annotations = annotations.Raw
	}
	o.call = guard.Call{Tool: name, Qualified: t.Qualified, Extension: t.Extension, Annotations: annotations}
	return o
}

// typeOf names what has no name that can be told.
func typeOf(v any) string {
	if v == nil {
		return "nil"
	}
	return reflect.TypeOf(v).String()
}

// nothing reports whether v is nil, whatever its type.
func nothing(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}

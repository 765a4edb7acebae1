package admit

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// Checks on candidates.
var (
	Trust = &ext.Check{
		Code: "trust", Severity: ext.Error,
		Doc: "An entry is of a surface that its source is not trusted to contribute to.",
		Fix: "Nothing an extension can do about it; docs/points.md says what each surface needs.",
	}
	NameInvalid = &ext.Check{
		Code: "name-invalid", Severity: ext.Error,
		Doc: "An entry's name is empty, longer than 256 characters, or holds characters that do not show and that writing does not need there.",
		Fix: "Rename the entry.",
	}
	NameTwice = &ext.Check{
		Code: "name-twice", Severity: ext.Error,
		Doc: "Two entries of one surface in one extension have names that are the same, or differ only by case or by characters that do not show. The later is refused.",
		Fix: "Rename one of them.",
	}
	Incomplete = &ext.Check{
		Code: "whole", Severity: ext.Error,
		Doc: "An extension with a refused entry is refused whole, because trust.whole is set or the entry is code.",
		Fix: "Mend the entry, or disable the extension.",
	}
	GuardUnasked = &ext.Check{
		Code: "guard-unasked", Severity: ext.Warning,
		Doc: "A hook's implementation would not be asked by any door of this host. Where it is a guard, its extension waits until its owner accepts that.",
		Fix: "To use the extension without it, disable it: mortise disable EXTENSION:NAME --reason \"…\".",
	}
	Unconsulted = &ext.Check{
		Code: "policy-unconsulted", Severity: ext.Error,
		Doc: "A policy is about something that no door of this host asks about. It would be a check that never runs, so that its extension is refused.",
		Fix: "Remove the policy, correct its \"on\", or disable it: mortise disable EXTENSION:NAME --reason \"…\".",
	}
	NeedsGrant = &ext.Check{
		Code: "grant-needed", Severity: ext.Warning,
		Doc: "What a plugin's entry would run or connect to waits for a person's grant: for its first, or for a new one since something in the plugin's directory changed.",
		Fix: "Run mortise trust: it shows what would run, and grants it.",
	}
	Edited = &ext.Check{
		Code: "checkout-edited", Severity: ext.Warning,
		Doc: "The files of a plugin that was fetched are not those of its commit: somebody edited them where they lie. What was granted to the plugin does not cover that.",
		Fix: "Move the directory away and run mortise plugin update with the plugin's name, which fetches the commit again; keep what you want to change in a directory of your own, and add that.",
	}
	DriverForbidden = &ext.Check{
		Code: "driver-forbidden", Severity: ext.Error,
		Doc: "An entry refers to a driver that is not for files: servers' tools come with the server, and what is compiled in with the program. By another name it would escape what is decided about it.",
		Fix: "Declare the server itself, or refer to code of the extension's own.",
	}
	NoDriver = &ext.Check{
		Code: "driver-unknown", Severity: ext.Warning,
		Doc: "An entry wants to be reached by a driver that this version does not have. It is not offered.",
		Fix: "Use a version that has the driver, or disable the entry.",
	}
)

// Checks lists what admission can find, for the docs.
var Checks = []*ext.Check{Trust, NameInvalid, NameTwice, Incomplete, GuardUnasked, Unconsulted, NeedsGrant, Edited, NoDriver, DriverForbidden, Unapproved, Shadows, NeedUnmet, NeedVersion, NeedCircle, NeedUnjudged}

// review is one candidate under judgement.
type review struct {
	Decision
	rules *Rules
	// failed: the extension is refused whole.
	failed bool
}

// reading are the checks that depend on the candidate alone, and judging those
// that depend on the rules as well, in the order they run: all of them, whatever
// the earlier ones found.
var (
	reading = []func(*review){
		(*review).layout,
		(*review).decode,
		(*review).defined,
		(*review).trust,
		(*review).names,
	}
	judging = []func(*review){
		(*review).off,
		(*review).consulted,
		(*review).whole,
		(*review).entries,
		(*review).decide,
	}
)

// prepared is what reading made of a candidate. It is not changed any more.
type prepared struct {
	contributions []Contribution
	findings      ext.Findings
	failed        bool
}

// prepare reads a candidate once, however often it is judged.
func (r *review) prepare() {
	p := r.candidate.Derived(func() any {
		first := &review{Decision: Decision{candidate: r.candidate, tree: r.tree}}
		for _, step := range reading {
			step(first)
		}
		for i := range first.contributions {
			c := &first.contributions[i]
			c.Findings = slices.Clip(c.Findings) // who adds to them makes a copy
		}
		return &prepared{first.contributions, slices.Clip(first.findings), first.failed}
	}).(*prepared)
	r.contributions, r.findings, r.failed = slices.Clone(p.contributions), p.findings, p.failed
}

// layout takes over what laying the tree out noticed; a fault there, in the
// manifest, refuses the extension.
func (r *review) layout() {
	r.findings = append(r.findings, r.tree.Findings...)
	r.failed = r.findings.Failed()
	if is := r.candidate.Content(); r.tree.Sealed != (ext.Digest{}) && is != (ext.Digest{}) && is != r.tree.Sealed {
		r.findings.Add(Edited.At(r.tree.Origin, "the files in %s have the digest %s, and had %s when they were fetched", ext.Quote(r.tree.Root), is.Short(), r.tree.Sealed.Short()))
	}
}

// decode turns documents into contributions. What could not be read counts as
// one refused entry each.
func (r *review) decode() {
	found := r.candidate.Found()
	r.contributions = make([]Contribution, 0, len(found))
	for len(found) > 0 {
		spec, n := found[0].Spec, 1
		for n < len(found) && found[n].Spec == spec {
			n++
		}
		r.decodeSurface(spec, found[:n])
		found = found[n:]
	}
}

func (r *review) decodeSurface(spec *surface.Spec, found []discover.Found) {
	docs := make([]surface.Document, 0, len(found))
	reading := map[string]ext.Findings{}
	for i := range found {
		d := &found[i].Document
		if found[i].Broken {
			r.contributions = append(r.contributions, Contribution{
				Spec: spec, Name: nameOf(spec, d), Origin: d.Origin, Digest: d.Digest,
				Status: EntryRefused, Reason: "cannot be read", Findings: d.Findings,
			})
			continue
		}
		if len(d.Findings) > 0 {
			reading[d.Origin.Path] = d.Findings
		}
		docs = append(docs, *d)
	}
	for _, e := range spec.Decode(docs) {
		fs := e.Findings
		if more := reading[e.Origin.Path]; len(more) > 0 {
			fs = append(more[:len(more):len(more)], fs...)
			delete(reading, e.Origin.Path)
		}
		r.contributions = append(r.contributions, Contribution{
			Spec: spec, Name: e.Name, Origin: e.Origin, Description: e.Description,
			Digest: e.Digest, Value: e.Value, Status: Active, Findings: fs,
		})
	}
	for _, file := range slices.Sorted(maps.Keys(reading)) {
		r.findings = append(r.findings, reading[file]...)
	}
}

// nameOf is what the entry of a document goes by that could not be decoded.
func nameOf(spec *surface.Spec, d *surface.Document) string {
	if d.Dialect == surface.DialectMCP {
		return d.Path
	}
	return spec.EntryName(d.Path)
}

func (r *review) trust() {
	for i := range r.contributions {
		c := &r.contributions[i]
		if r.tree.Origin.Trust < c.Spec.Needs {
			c.Findings.Add(Trust.At(c.Origin, "%s needs the trust of %s, its source has %s", c.Spec.Name, c.Spec.Needs, r.tree.Origin.Trust))
		}
	}
}

func (r *review) names() {
	type key struct {
		spec *surface.Spec
		name string
	}
	first := make(map[key]*Contribution, len(r.contributions))
	for i := range r.contributions {
		c := &r.contributions[i]
		if bad := invalidName(c.Name); bad != "" {
			c.Findings.Add(NameInvalid.At(c.Origin, "the name %s %s", ext.Quote(ext.Shorten(c.Name, 140)), bad))
		}
		k := key{c.Spec, surface.Fold(c.Name)}
		if was, taken := first[k]; taken {
			by := ext.Escape(was.Origin.String())
			if r.tree.Describes != nil { // both are the server's
				by = "the same server, as " + ext.Quote(was.Name)
			}
			c.Findings.Add(NameTwice.At(c.Origin, "%s %s is also declared by %s", c.Spec.Name, ext.Quote(c.Name), by))
			continue
		}
		first[k] = c
	}
}

func invalidName(s string) string {
	switch {
	case s == "":
		return "is empty"
	case utf8.RuneCountInString(s) > 256:
		return "is longer than 256 characters"
	case strings.TrimSpace(s) != s:
		return "begins or ends with a blank"
	}
	for at, c := range s {
		if c == utf8.RuneError || ext.Hidden(c) && !unseen.Needed(s, at) {
			return "holds characters that do not show"
		}
	}
	return ""
}

// off takes out the entries that their owner disabled, whatever is wrong with them:
// a fault in one costs nobody anything.
func (r *review) off() {
	for i := range r.contributions {
		c := &r.contributions[i]
		if s, off := r.switchedOff(c); off && s.Entry != "" {
			c.Status, c.Reason = EntryDisabled, disabled(s)
		}
	}
}

// consulting is a value that is consulted about something.
type consulting interface{ Consults() string }

// consulted refuses what would be consulted about something that nobody asks
// about: a check that never runs is a false one (law 6).
func (r *review) consulted() {
	if r.rules.Alone || r.rules.Asked == nil {
		return
	}
	for i := range r.contributions {
		c := &r.contributions[i]
		v, ok := c.Value.(consulting)
		if !ok || c.Status == EntryDisabled || r.rules.Asked[v.Consults()] {
			continue
		}
		c.Findings = append(slices.Clip(c.Findings), Unconsulted.At(c.Origin, "%s %s is about %s, and nobody asks about that", c.Spec.Name, ext.Quote(c.Name), ext.Quote(ext.Shorten(v.Consults(), 80))))
	}
}

// whole refuses the extension when one of its entries is at fault and is code,
// or when the owner wants extensions whole (law 4). A document that cannot be
// read is a fault however mild the reason: a link that leads nowhere is no
// reason to go on without a guard.
func (r *review) whole() {
	for i := range r.contributions {
		c := &r.contributions[i]
		if c.Status == EntryDisabled || c.Status != EntryRefused && !c.Findings.Failed() {
			continue
		}
		switch {
		case c.Spec.Whole:
			r.failed = true
			r.findings.Add(Incomplete.At(c.Origin, "%s %s is at fault, and it is code", c.Spec.Name, ext.Quote(c.Name)))
		case r.rules.Whole && OfWorkspace(r.tree), r.rules.WholeOwn && !OfWorkspace(r.tree):
			r.failed = true
			r.findings.Add(Incomplete.At(c.Origin, "%s %s is at fault, and trust.whole is set", c.Spec.Name, ext.Quote(c.Name)))
		}
	}
}

// entries decides about each entry for itself.
func (r *review) entries() {
	for i := range r.contributions {
		c := &r.contributions[i]
		if c.Status == EntryRefused || c.Status == EntryDisabled {
			continue
		}
		if c.Findings.Failed() {
			c.Status, c.Reason = EntryRefused, "at fault"
			continue
		}
		if !r.rules.Alone {
			r.entry(c)
		}
	}
}

func (r *review) entry(c *Contribution) {
	if s, off := r.switchedOff(c); off {
		c.Status, c.Reason = EntryDisabled, disabled(s)
		return
	}
	if why := r.unasked(c); why != "" {
		c.Status, c.Reason = Unasked, why
		f := GuardUnasked.At(c.Origin, "%s %s is not asked: %s", c.Spec.Name, ext.Quote(c.Name), why)
		fix := "Connect what asks it (mortise hook CLIENT says how to connect a client), or, to use the extension without it, disable it: mortise disable %s:%s --reason \"…\"."
		if !r.guards(c) {
			fix = "Nothing waits for it, since it only watches. To be told no more, disable it: mortise disable %s:%s --reason \"…\"."
		}
		c.Findings.Add(f.With(fix, r.tree.Extension, ext.Escape(state.EntryName(c.Spec.Name, c.Name))))
		return
	}
	if !c.Spec.Runs {
		return
	}
	switch driver, need, known := r.driver(c); {
	case known && r.tree.Origin.Trust < need:
		c.Status, c.Reason = EntryRefused, "it may not refer to the driver "+ext.Quote(driver)
		c.Findings.Add(DriverForbidden.At(c.Origin, "%s %s refers to the driver %s", c.Spec.Name, ext.Quote(c.Name), ext.Quote(driver)))
	case r.changed(c):
		c.Status, c.Reason = EntryPending, "changed since the workspace was adopted"
	case r.tree.Origin.Trust <= ext.Plugin && !r.granted():
		c.Status, c.Reason = EntryPending, WaitsForGrant
		if r.rules.Adopted {
			c.Findings.Add(NeedsGrant.At(c.Origin, "%s %s waits for a grant", c.Spec.Name, ext.Quote(c.Name)))
		}
	case !known:
		c.Status, c.Reason = EntryPending, "this version has no driver "+ext.Quote(driver)
		c.Findings.Add(NoDriver.At(c.Origin, "%s %s wants the driver %s", c.Spec.Name, ext.Quote(c.Name), ext.Quote(driver)))
	}
}

// unasked says why an implementation of a hook is not asked by any door that is
// connected; "" when it is.
func (r *review) unasked(c *Contribution) string {
	im, ok := c.Value.(surface.Implementation)
	if !c.Spec.Hook || !ok || r.rules.Asked[c.Spec.Name] {
		return ""
	}
	questions := c.Spec.Asks(im)
	if slices.ContainsFunc(questions, func(q string) bool { return r.rules.Asked[q] }) {
		return ""
	}
	if len(questions) == 0 {
		return "no door can ask what it is (" + ext.Escape(im.Ref.Name) + ")"
	}
	return "no door that is connected asks about " + strings.Join(questions, " or ")
}

// changed reports whether an effect of the workspace is not one that its person
// consented to.
func (r *review) changed(c *Contribution) bool {
	return r.rules.Consented != nil && OfWorkspace(r.tree) && !r.rules.Consented[effectOf(r.tree.Extension, c).Key()]
}

// referring is a value that a driver reaches.
type referring interface{ Refers() ext.Ref }

// driver is the driver that an entry wants, the trust that it needs for that, and
// whether this build has it.
func (r *review) driver(c *Contribution) (name string, need ext.Trust, known bool) {
	v, ok := c.Value.(referring)
	if !ok || r.rules.Drivers == nil || v.Refers().Driver == "" {
		return "", 0, true
	}
	name = v.Refers().Driver
	need, known = r.rules.Drivers[name]
	if need == 0 {
		need = ext.Builtin + 1 // nobody's
	}
	return name, need, known
}

// unaskedGuard reports whether the tree has a guard that would not be consulted.
// Using the rest of it as if it were guarded would be a false check (law 6), so
// it waits until its owner accepts that, by disabling the guard.
func (r *review) unaskedGuard() bool {
	return r.tree.Origin.Trust < ext.Builtin && slices.ContainsFunc(r.contributions, func(c Contribution) bool {
		return c.Status == Unasked && r.guards(&c)
	})
}

// switchedOff finds the switch that disables c, or the whole tree when c is nil.
func (r *review) switchedOff(c *Contribution) (state.Switch, bool) {
	if r.rules.Alone {
		return state.Switch{}, false
	}
	if why, off := r.rules.Off[r.tree.Extension]; off && c == nil {
		return state.Switch{Extension: r.tree.Extension, Reason: why}, true
	}
	if r.rules.State == nil {
		return state.Switch{}, false
	}
	entry := ""
	if c != nil {
		entry = state.EntryName(c.Spec.Name, c.Name)
	}
	return r.rules.State.Disabled(r.rules.Workspace, r.tree.Extension, entry)
}

func disabled(s state.Switch) string {
	text := "disabled"
	if s.Reason != "" {
		text += ": " + s.Reason
	}
	if s.Workspace == "" && !s.At.IsZero() { // a person's own, and not the configuration's
		text += " (in every workspace)"
	}
	return text
}

// WaitsForGrant is the reason of an entry that would run something that nobody granted.
const WaitsForGrant = "waits for a grant"

// GrantCode is the kind of grant that lets a plugin's servers and code run.
const GrantCode = "code"

func (r *review) granted() bool {
	return r.rules.Granted || r.rules.State != nil &&
		r.rules.State.Granted(GrantCode, string(r.tree.Extension), r.candidate.Content(), r.rules.Now)
}

// decide sets the tree's status, and that of its entries where it follows.
func (r *review) decide() {
	r.status = Admitted
	all := EntryStatus(0)
	switch s, off := r.switchedOff(nil); {
	case off:
		r.status, r.reason, all = Disabled, disabled(s), EntryDisabled
	case r.failed:
		r.status, r.reason, all = Refused, "at fault", EntryRefused
	case !r.rules.Alone && !r.rules.Adopted && OfWorkspace(r.tree):
		r.status, r.reason, all = Pending, "the workspace is not adopted", EntryPending
	case !r.rules.Alone && (OfWorkspace(r.tree) || r.tree.Origin.Trust == ext.Builtin) && r.rules.Held[r.tree.Extension] != "":
		r.status, r.reason, all = Pending, r.rules.Held[r.tree.Extension], EntryPending
	case r.unaskedGuard():
		r.status, r.reason, all, r.unaccepted = Pending, "it has a guard that no door asks", EntryPending, true
	}
	if all == 0 {
		return
	}
	for i := range r.contributions {
		if c := &r.contributions[i]; c.Status == Active || c.Status == EntryPending {
			c.Status, c.Reason = all, r.reason
		}
	}
}

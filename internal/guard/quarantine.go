package guard

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// builder makes a set.
type builder struct {
	members  Members
	set      Set
	rules    []policy.Rule
	lost     map[ext.Name]bool // extensions that cannot be composed with the others
	present  map[ext.Name]map[string]bool
	trees    map[place]ext.Tree
	contents map[place]ext.Digest         // of the trees
	frozen   map[ext.Name]map[string]bool // entries that are asked as they were last granted
	asked    map[ext.Digest]bool          // what was remembered and is asked
}

// add adds a guard that can be read.
func (b *builder) add(g Guard, value any) {
	switch v := value.(type) {
	case policy.Policy:
		b.rules = append(b.rules, policy.Rule{Name: g.Name, Policy: v})
		b.set.rules = append(b.set.rules, g)
	case surface.Implementation:
		switch {
		case g.Kind == clientevent.On.Name:
			b.handler(g, v)
		case v.Role == surface.Guard:
			b.set.hooks = append(b.set.hooks, hook{g, named(v.Matches), v})
		}
	}
}

// handler adds a handler of a client's hook file. What cannot be run here (a prompt,
// another agent) is asked by nobody, which admission tells.
func (b *builder) handler(g Guard, im surface.Implementation) {
	if len(clientevent.On.Asks(im)) == 0 {
		return
	}
	at := place{g.Origin.Extension, g.Origin.Source, g.Origin.Path}
	im = b.observed(g, im, b.contents[at])
	t := b.trees[at]
	b.handlerAt(g, im, t.Leads, t, nil)
}

// handlerAt adds a handler whose program lies in a directory.
func (b *builder) handlerAt(g Guard, im surface.Implementation, root string, t ext.Tree, still func() bool) {
	h := handler{Guard: g, occasion: occasionOf(im), im: im, root: root, still: still}
	if b.members.Data != nil && t.Extension != "" {
		h.data = b.members.Data(t)
	}
	if im.Role == surface.Observer {
		b.set.observers++
	}
	b.set.handlers = append(b.set.handlers, h)
}

// observed is a handler as its owner declared it.
func (b *builder) observed(g Guard, im surface.Implementation, tree ext.Digest) surface.Implementation {
	if g.Kind == clientevent.On.Name && b.members.Observes != nil && b.members.Observes(g.Name, g.Content, tree) {
		im.Role = surface.Observer
	}
	return im
}

// place is where something is declared.
type place struct {
	extension    ext.Name
	source, path string
}

// trees are the trees that handlers lie in, and their contents, by where each is
// declared.
func trees(ds []admit.Decision) (map[place]ext.Tree, map[place]ext.Digest) {
	out, contents := map[place]ext.Tree{}, map[place]ext.Digest{}
	for i := range ds {
		for j := range ds[i].Contributions() {
			if c := &ds[i].Contributions()[j]; c.Spec.Name == clientevent.On.Name {
				at := place{c.Origin.Extension, c.Origin.Source, c.Origin.Path}
				out[at], contents[at] = ds[i].Tree(), ds[i].Content()
			}
		}
	}
	return out, contents
}

// wall adds a guard that cannot answer, and denies.
func (b *builder) wall(g Guard, p pattern, why string) {
	g.Broken = why
	b.set.walls = append(b.set.walls, wall{g, p})
}

// hold adds the guards of what is enabled and not in use.
func (b *builder) hold(d *admit.Decision) {
	t := d.Tree()
	switch {
	case t.Describes != nil, d.Status() == admit.Disabled, d.Status() == admit.Outdated:
		return
	case admit.OfWorkspace(t) && !b.members.Adopted:
		return
	}
	if d.Unaccepted() { // what nobody accepted guards nothing; what was in use of it before is asked as it was
		b.recall(t, true)
		return
	}
	b.ungranted(d)
	refused := d.Status() == admit.Refused || b.lost[t.Extension] && d.Status() == admit.Admitted
	var unreadable []*admit.Contribution
	for i := range d.Contributions() {
		c := &d.Contributions()[i]
		if !Guards(c.Spec) {
			continue
		}
		switch {
		case c.Status == admit.EntryDisabled, c.Status == admit.Unasked, c.Status == admit.Active && !refused:
		case b.frozen[t.Extension][state.EntryName(c.Spec.Name, c.Name)]: // it is asked as it was granted
		case !readable(c):
			unreadable = append(unreadable, c)
		default:
			g := of(t.Extension, c)
			g.Held = refused
			b.held(g, c, d)
		}
	}
	if !refused {
		return
	}
	recalled := b.recall(t, false)
	for _, c := range unreadable {
		if t.Origin.Trust >= ext.Owner || !recalled[state.EntryName(c.Spec.Name, c.Name)] {
			b.unreadable(t, c)
		}
	}
	if len(d.Contributions())+len(recalled) == 0 {
		b.wall(Guard{Name: string(t.Extension), Kind: extension, Origin: t.Origin, Held: true}, pattern{of: t.Extension}, "what it holds cannot be read, and nothing of it is remembered")
	}
}

func readable(c *admit.Contribution) bool { return c.Value != nil && !c.Findings.Failed() }

// present are the guards that extensions have now and that can be read, or that
// were disabled: these are not asked as they were.
func present(ds []admit.Decision) map[ext.Name]map[string]bool {
	out := map[ext.Name]map[string]bool{}
	for i := range ds {
		x := ds[i].Tree().Extension
		for j := range ds[i].Contributions() {
			c := &ds[i].Contributions()[j]
			if !Guards(c.Spec) || !readable(c) && c.Status != admit.EntryDisabled {
				continue
			}
			if out[x] == nil {
				out[x] = map[string]bool{}
			}
			out[x][state.EntryName(c.Spec.Name, c.Name)] = true
		}
	}
	return out
}

// held adds a readable guard that is not in use: one whose answer is written down
// is asked all the same; code runs only where it was granted, and denies what it
// guards where it was not.
func (b *builder) held(g Guard, c *admit.Contribution, d *admit.Decision) {
	im, code := c.Value.(surface.Implementation)
	switch {
	case !code || im.Answer != nil:
		b.add(g, c.Value)
	case b.observed(g, im, d.Content()).Role == surface.Guard:
		why := "it " + orWaits(c.Reason, d.Reason())
		b.wall(g, guarded(c.Spec.Name, im), why)
	}
}

// ungranted has the guards of a plugin asked as they were when its code was last
// granted, where what it is now is not: a new version takes none of them away, by
// itself or by what they are for, before its owner consented to it.
func (b *builder) ungranted(d *admit.Decision) {
	t := d.Tree()
	if t.Origin.Trust != ext.Plugin || b.members.Granted == nil || d.Status() != admit.Admitted && d.Status() != admit.Refused || b.members.Granted(t.Extension, d.Content()) {
		return
	}
	for _, r := range b.members.Remembered {
		entry := state.EntryName(r.Record.Event, r.Record.Name)
		if r.Record.Extension != t.Extension || r.Tree == (ext.Digest{}) || r.Tree == d.Content() || b.asked[r.Record.Code] || b.members.off(t.Extension, entry) ||
			!b.members.Granted(t.Extension, r.Tree) {
			continue
		}
		b.again(r, Guard{Name: ext.Qualified(t.Extension, r.Record.Name), Kind: r.Record.Event, Origin: t.Origin, Held: true}, t)
		if b.frozen[t.Extension] == nil {
			b.frozen[t.Extension] = map[string]bool{}
		}
		b.frozen[t.Extension][entry] = true
	}
}

// guarded is what an implementation guards, as it declares that.
func guarded(spec string, im surface.Implementation) pattern {
	if spec != clientevent.On.Name {
		return named(im.Matches)
	}
	o := occasionOf(im)
	return pattern{occasion: &o}
}

func orWaits(reasons ...string) string {
	for _, r := range reasons {
		switch r {
		case "":
		case admit.WaitsForGrant:
			return "is not in use: " + r + "; its person sees with mortise trust what it is, and grants it"
		default:
			return "is not in use: " + r
		}
	}
	return "is not in use"
}

// unreadable adds what stands for a guard that cannot be read and is not remembered:
// a denial of the calls of its extension's own tools. What the owner's own guard
// would deny cannot be guessed at, remembered or not: it is everything.
func (b *builder) unreadable(t ext.Tree, c *admit.Contribution) {
	g := of(t.Extension, c)
	g.Held = true
	p := pattern{of: t.Extension}
	if t.Origin.Trust >= ext.Owner {
		p = everything
	}
	b.wall(g, p, "it cannot be read")
}

// lapsed adds the guards of the workspace as they were remembered, where they are
// gone or otherwise by now and nobody disabled them.
func (b *builder) lapsed() {
	settled := map[ext.Digest]bool{} // what is asked as it was
	off := map[string]bool{}         // what was disabled, extensions and entries
	for i := range b.members.Decisions {
		d := &b.members.Decisions[i]
		x := d.Tree().Extension
		if d.Status() == admit.Disabled {
			off[string(x)] = true
		}
		for _, m := range Mementos(d) {
			settled[m.Record.Code] = true
		}
		for j := range d.Contributions() {
			if c := &d.Contributions()[j]; c.Status == admit.EntryDisabled {
				off[ext.Qualified(x, state.EntryName(c.Spec.Name, c.Name))] = true
			}
		}
	}
	for _, r := range b.members.Remembered {
		x, entry := r.Record.Extension, state.EntryName(r.Record.Event, r.Record.Name)
		switch {
		case r.Record.Scope != b.members.Scope, settled[r.Record.Code], b.asked[r.Record.Code], off[string(x)], off[ext.Qualified(x, entry)], b.members.off(x, entry):
			continue
		}
		b.again(r, Guard{Name: ext.Qualified(x, r.Record.Name), Kind: r.Record.Event, Origin: ext.Origin{Extension: x}, Held: true}, ext.Tree{Extension: x})
	}
}

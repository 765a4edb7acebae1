package host

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
)

// Effect is one thing that a person who adopts the workspace consents to.
type Effect struct {
	Kind   string     `json:"kind"` // "setting", "directory", "link", "identity", or a surface: "server", "tool", …
	Name   string     `json:"name"`
	Detail string     `json:"detail,omitempty"` // what it is: a value, a command line, where it leads
	Path   string     `json:"path,omitempty"`   // where it is written, below its extension or the workspace
	Line   int        `json:"line,omitempty"`
	Key    ext.Digest `json:"key"` // equal keys, the same consent
}

// Kinds of effects that are no surface.
const (
	kindSetting   = "setting"
	kindDirectory = "directory"
	kindLink      = "link"
	kindIdentity  = "identity"
)

func effect(kind, name, detail string, o ext.Origin) Effect {
	return Effect{
		Kind: kind, Name: name, Detail: detail, Path: o.Path, Line: o.Line,
		Key: ext.NewHash("consent").Text(kind, name, detail).Sum(),
	}
}

// effects are what a person who adopts the workspace consents to: what its
// files decide, what in it runs, connects or guards, and where what is read
// really lies, so that no link can bring in what nobody was shown.
func (p *pass) effects(c *config.Config, decisions []admit.Decision) []Effect {
	w := c.Workspace()
	out := []Effect{effect(kindIdentity, w.Mark, "", ext.Origin{})}
	for _, s := range c.Effects() {
		out = append(out, effect(kindSetting, s.Key, s.Text, s.Origin))
	}
	if owner := c.OwnerDir(); owner != w.Dir { // it may hold nothing yet
		if real, err := filepath.EvalSymlinks(owner); err == nil && real != owner {
			out = append(out, effect(kindDirectory, string(ext.OwnerName), place(w.Dir, real), ext.Origin{}))
		}
	}
	out = append(out, leads(w.Dir, decisions)...)
	for _, e := range admit.Effects(decisions) {
		out = append(out, Effect{
			Kind: e.Surface, Name: ext.Qualified(e.Extension, e.Name), Detail: e.Detail,
			Path: e.Origin.Path, Line: e.Origin.Line, Key: e.Key(),
		})
	}
	return out
}

// leads are the roots and links of the workspace's trees that lead elsewhere.
func leads(workspace string, decisions []admit.Decision) []Effect {
	var out []Effect
	seen := map[ext.Name]bool{}
	for i := range decisions {
		t := decisions[i].Tree()
		if !admit.OfWorkspace(t) {
			continue
		}
		if e, led := ledRoot(workspace, t); led && !seen[t.Extension] { // once for all trees of an extension
			seen[t.Extension] = true
			out = append(out, e)
		}
		for j := range t.Places {
			if l := t.Places[j].Leads; l != "" {
				out = append(out, effect(kindLink, ext.Qualified(t.Extension, t.Places[j].File), place(workspace, l), t.Origin.At(t.Places[j].File, 0)))
			}
		}
	}
	return out
}

// ledRoot is the effect of a tree whose directory is another than it seems.
func ledRoot(workspace string, t ext.Tree) (Effect, bool) {
	led := place(workspace, t.Leads)
	if t.Leads == "" || led == place(workspace, t.Root) {
		return Effect{}, false
	}
	return effect(kindDirectory, string(t.Extension), led, ext.Origin{}), true
}

// place is a directory or file as its workspace sees it: below it, so that all
// worktrees agree, or as the machine names it.
func place(workspace, name string) string {
	if rel, err := filepath.Rel(workspace, name); err == nil && filepath.IsLocal(rel) {
		return "./" + filepath.ToSlash(rel)
	}
	return filepath.ToSlash(name)
}

// sum is the digest of effects, whose order does not matter.
func sum(effects []Effect) ext.Digest {
	keys := make([]string, len(effects))
	for i := range effects {
		keys[i] = effects[i].Key.String()
	}
	slices.Sort(keys)
	return ext.NewHash("workspace effects").Int(len(keys)).Text(keys...).Sum()
}

// Difference is how one effect differs from what was adopted.
type Difference struct {
	Change string  `json:"change"` // "new", "changed", "gone"
	Now    *Effect `json:"now,omitempty"`
	Was    *Effect `json:"was,omitempty"`
}

// About is the effect that the difference is about, as it is now if it is still
// there.
func (d Difference) About() *Effect { return cmp.Or(d.Now, d.Was) }

// difference compares effects with those that were adopted. What is on both
// sides, content and all, is none; of the rest, what has one kind and name is a
// change.
func difference(was, now []Effect) []Difference {
	type name struct{ kind, name string }
	was, now = without(was, now), without(now, was)
	old := map[name][]*Effect{}
	for i := range was {
		k := name{was[i].Kind, was[i].Name}
		old[k] = append(old[k], &was[i])
	}
	out := []Difference{}
	for i := range now {
		e, k := &now[i], name{now[i].Kind, now[i].Name}
		if before := old[k]; len(before) > 0 {
			out = append(out, Difference{Change: "changed", Now: e, Was: before[0]})
			old[k] = before[1:]
		} else {
			out = append(out, Difference{Change: "new", Now: e})
		}
	}
	for i := range was {
		if e := &was[i]; slices.Contains(old[name{e.Kind, e.Name}], e) {
			out = append(out, Difference{Change: "gone", Was: e})
		}
	}
	return out
}

// without are the effects of list that are not, content and all, in other: as
// many of one key as other has fewer.
func without(list, other []Effect) []Effect {
	n := map[ext.Digest]int{}
	for i := range other {
		n[other[i].Key]++
	}
	var out []Effect
	for i := range list {
		if k := list[i].Key; n[k] > 0 {
			n[k]--
			continue
		}
		out = append(out, list[i])
	}
	return out
}

// summary says in one line what differs.
func summary(ds []Difference) string {
	const few = 5
	var parts []string
	for _, d := range ds[:min(few, len(ds))] {
		e := d.About()
		parts = append(parts, fmt.Sprintf("%s %s %s", d.Change, e.Kind, ext.Quote(ext.Shorten(e.Name, 80))))
	}
	if len(ds) > few {
		parts = append(parts, fmt.Sprintf("%d more", len(ds)-few))
	}
	return strings.Join(parts, ", ")
}

// adopted is what is kept of an adoption beside its digest, so that what was
// adopted goes on when the workspace changes.
type adopted struct {
	Files   config.Files `json:"files"`
	Effects []Effect     `json:"effects"`
}

func (a adopted) text() string {
	raw, err := json.Marshal(a)
	if err != nil {
		panic(err) // texts and digests always can be written
	}
	return string(raw)
}

// readAdopted reads what text wrote. ok is false for anything else, such as the
// nothing of an older version.
func readAdopted(text string) (a adopted, ok bool) {
	err := json.Unmarshal([]byte(text), &a)
	return a, err == nil && len(a.Effects) > 0
}

// consented are the keys that admission asks for.
func (a adopted) consented() map[ext.Digest]bool {
	out := make(map[ext.Digest]bool, len(a.Effects))
	for i := range a.Effects {
		out[a.Effects[i].Key] = true
	}
	return out
}

package plan

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Inputs is everything that a registry depends on.
type Inputs struct {
	Composition *compose.Composition
	Specs       []*surface.Spec // of the build, in catalogue order; those that are no hooks of a plan are passed over
	Worktree    string          // absolute directory
	Rows        []Row
	// Tables are the tables of the configuration that are for what is built in, as JSON.
	Tables map[string]json.RawMessage
	// Settings are those of extensions, JSON objects; one without has none.
	Settings map[ext.Name]json.RawMessage
	// Dirs are the directories of extensions that answers may name.
	Dirs map[ext.Name]Dirs
	// Caller reaches code that answers. Nil: none is asked, and each is told.
	Caller call.Caller
	// Patience is how long code may take for an answer whose document does not say; 0: 5
	// seconds. No answer depends on it but one that is late.
	Patience time.Duration
}

// Dirs are the directories that belong to an extension; "" where it has none.
type Dirs struct{ Root, Data string }

// Row is one row of the configuration that is an answer, or says what axes require of
// each other.
type Row struct {
	Table  string // the name of the array of tables: "axis"
	Doc    ext.Doc
	Origin ext.Origin
}

// Registry is what all hooks of a composition answer for one configuration, axes first.
// Making one asks which axes there are and nothing else. It is immutable, and may be used
// by several goroutines; any number of them live in one process.
type Registry struct {
	in        Inputs
	digest    ext.Digest
	axes      []Typed[axis.Axis]
	places    map[string]int // of axes, by their names
	relations []relation
	findings  ext.Findings

	mu    sync.Mutex
	fixed map[*surface.Spec]*Gathered
	data  map[*ext.Doc][]surface.Answer // answers that are data, read
}

// New makes a registry. What is wrong with answers and rows is among its findings.
func New(ctx context.Context, in Inputs) *Registry {
	r := &Registry{in: in, fixed: map[*surface.Spec]*Gathered{}, data: map[*ext.Doc][]surface.Answer{}, places: map[string]int{}, digest: in.Digest()}
	r.in.Tables = maps.Clone(in.Tables)
	r.inject()
	g := r.Fixed(ctx, axis.Axes.Spec)
	r.axes = typed[axis.Axis](g)
	r.findings = append(r.findings, g.Findings...)
	for i := range r.axes {
		a := &r.axes[i]
		r.places[a.Value.Name] = i
		r.relations = append(r.relations, relationsOf(&a.Value, a.Origin)...)
	}
	for i := range in.Rows {
		r.relate(&in.Rows[i])
	}
	slices.SortStableFunc(r.relations, func(a, b relation) int { return r.place(a.owner) - r.place(b.owner) })
	return r
}

// Digest is over all that a registry depends on, but for the code that is asked: that is
// part of what its extension is, and so of the composition.
func (in *Inputs) Digest() ext.Digest {
	h := ext.NewHash("registry of hooks").Digest(in.Composition.Digest()).Text(in.Worktree).Int(len(in.Rows))
	for i := range in.Rows {
		row := &in.Rows[i]
		h.Text(row.Table, row.Origin.Source, row.Origin.Path).Int(row.Origin.Line).Digest(row.Doc.Digest())
	}
	h.Int(len(in.Tables))
	for _, name := range slices.Sorted(maps.Keys(in.Tables)) {
		h.Text(name).Bytes(in.Tables[name])
	}
	h.Int(len(in.Settings))
	for _, name := range slices.Sorted(maps.Keys(in.Settings)) {
		h.Text(string(name)).Bytes(in.Settings[name])
	}
	h.Int(len(in.Dirs))
	for _, name := range slices.Sorted(maps.Keys(in.Dirs)) {
		h.Text(string(name), in.Dirs[name].Root, in.Dirs[name].Data)
	}
	return h.Sum()
}

// Digest identifies the registry: equal digests, equal answers.
func (r *Registry) Digest() ext.Digest { return r.digest }

// Axes are the axes in load order, those of the configuration first.
func (r *Registry) Axes() []Typed[axis.Axis] { return r.axes }

// Axis is one axis by its name; nil where there is none.
func (r *Registry) Axis(name string) *Typed[axis.Axis] {
	if at := r.place(name); at < len(r.axes) {
		return &r.axes[at]
	}
	return nil
}

// place is where an axis stands; behind all others when there is none.
func (r *Registry) place(name string) int {
	if at, ok := r.places[name]; ok {
		return at
	}
	return len(r.axes)
}

// Default is the mode in which every axis is at its default.
func (r *Registry) Default() ext.Mode {
	m := make(ext.Mode, len(r.axes))
	for i := range r.axes {
		m[r.axes[i].Value.Name] = r.axes[i].Value.Default()
	}
	return m
}

// Findings are what was wrong when the registry was made.
func (r *Registry) Findings() ext.Findings { return r.findings }

// Unanswered says what may declare axes and did not answer, so that there may be more axes
// than are known; "": all did.
func (r *Registry) Unanswered() string {
	for _, f := range r.findings {
		if f.Check == HookFailed {
			return f.Message
		}
	}
	return ""
}

// Hooks are the hooks of plans, in catalogue order.
func (r *Registry) Hooks() []*surface.Spec {
	var out []*surface.Spec
	for _, s := range r.in.Specs {
		if s.Answers != nil {
			out = append(out, s)
		}
	}
	return out
}

// Fixed is what a hook is answered whose answers are the same in every mode.
func (r *Registry) Fixed(ctx context.Context, hook *surface.Spec) *Gathered {
	r.mu.Lock()
	g, known := r.fixed[hook]
	r.mu.Unlock()
	if known {
		return g
	}
	g = r.gather(ctx, hook, nil, false)
	if ctx.Err() == nil {
		r.mu.Lock()
		r.fixed[hook] = g
		r.mu.Unlock()
	}
	return g
}

// Deep is Gather for checks that may take their time. It is not remembered.
func (p *Plan) Deep(ctx context.Context, hook *surface.Spec) *Gathered {
	return p.registry.gather(ctx, hook, p.Mode, true)
}

// relation is one requirement or conflict, with the axis that has it and where it is
// declared. Exactly one of its two halves is set.
type relation struct {
	owner    string
	origin   ext.Origin
	requires *axis.Requirement
	conflict *axis.Conflict
}

func relationsOf(a *axis.Axis, o ext.Origin) []relation {
	var out []relation
	for i := range a.Requires {
		out = append(out, relation{owner: a.Name, origin: o, requires: &a.Requires[i]})
	}
	for i := range a.Conflicts {
		out = append(out, relation{owner: a.Name, origin: o, conflict: &a.Conflicts[i]})
	}
	return out
}

// relate takes in a row of the configuration that says what axes require of each other.
// Rows come behind what the axes themselves say.
func (r *Registry) relate(row *Row) {
	requires := row.Table == "require"
	if !requires && row.Table != "conflict" {
		return
	}
	owner := row.Doc.Word("axis")
	if owner == "" {
		owner = row.Doc.Word("switch")
	}
	a := r.Axis(owner)
	if a == nil {
		var known []string
		for i := range r.axes {
			known = append(known, r.axes[i].Value.Name)
		}
		there := "there is none"
		if len(known) > 0 {
			there = "there are " + strings.Join(known, ", ")
		}
		r.findings.Add(RelationFault.At(row.Origin, "[[%s]] is about the axis %s, which there is not; %s", row.Table, ext.Quote(owner), there))
		return
	}
	one, err := related(row, &a.Value)
	if err != nil {
		r.findings.Add(RelationFault.At(row.Origin, "[[%s]] %s", row.Table, err))
		return
	}
	one.origin = row.Origin
	r.relations = append(r.relations, one)
}

// related reads a row as what an axis would say itself.
func related(row *Row, a *axis.Axis) (relation, error) {
	member := map[string]string{"require": "needs", "conflict": "with"}[row.Table]
	var what ext.Doc
	what.Kind = ext.Map
	for _, p := range row.Doc.Map {
		switch p.Key {
		case "axis", "switch":
			continue
		case member:
			p.Key = "axis"
		}
		what.Map = append(what.Map, p)
	}
	only := axis.Axis{Name: a.Name, Levels: a.Levels, Blurb: a.Blurb}
	raw := surface.JSON(&what)
	var err error
	if row.Table == "require" {
		only.Requires = make([]axis.Requirement, 1)
		err = jsonv2.Unmarshal(raw, &only.Requires[0], jsonv2.RejectUnknownMembers(true))
	} else {
		only.Conflicts = make([]axis.Conflict, 1)
		err = jsonv2.Unmarshal(raw, &only.Conflicts[0], jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return relation{}, fmt.Errorf("cannot be read: %s", ext.Escape(ext.Shorten(err.Error(), 300)))
	}
	if err := only.Check(); err != nil {
		return relation{}, err
	}
	return relationsOf(&only, row.Origin)[0], nil
}

func sorted(mode ext.Mode) []string { return slices.Sorted(maps.Keys(mode)) }

package tools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pysrc"
)

// Verdict is what reading says of the class behind an entry.
type Verdict uint8

const (
	// Unchecked is an entry without a class: there is nothing to be checked.
	Unchecked Verdict = iota
	// Contained is a class that has the entry's capability.
	Contained
	// Undecided is one of which reading does not tell.
	Undecided
	// Contradicted is one that is not there, or has not the capability.
	Contradicted
)

var verdictWords = [...]string{"unchecked", "ok", "unresolved", "mismatch"}

// String is the word for v in documents.
func (v Verdict) String() string { return verdictWords[v] }

// Outcome is a verdict, and why.
type Outcome struct {
	Verdict Verdict
	File    string // what decides stands there; "" where no file does
	Line    int    // 0 where it is about the file
	Reason  string // what is there; foreign text in it is quoted
}

// at is a text with the place of the outcome before it.
func (o *Outcome) at(text string) string {
	switch {
	case o.File == "":
		return text
	case o.Line == 0:
		return ext.Escape(o.File) + ": " + text
	}
	return fmt.Sprintf("%s:%d: %s", ext.Escape(o.File), o.Line, text)
}

// String is "file:line: what is there".
func (o *Outcome) String() string { return o.at(o.Reason) }

// Finding is what check says of an entry of the file of origin; ok is false where there is
// nothing to say.
func (o *Outcome) Finding(origin ext.Origin, e *Entry) (f ext.Finding, ok bool) {
	check := SpecUnresolved
	switch o.Verdict {
	case Contradicted:
		check = SpecMismatch
	case Undecided:
	default:
		return ext.Finding{}, false
	}
	line := e.Line
	if v := e.Doc.Get(keyClass); v != nil {
		line = v.Line
	}
	return check.At(origin.At(origin.Path, line), "%s with the class %s: %s", quoted(e.Name), quoted(e.Class), o.String()).Of(keyClass), true
}

func undecided(file string, line int, format string, args ...any) *Outcome {
	return &Outcome{Undecided, file, line, fmt.Sprintf(format, args...)}
}

func contradicted(file string, line int, format string, args ...any) *Outcome {
	return &Outcome{Contradicted, file, line, fmt.Sprintf(format, args...)}
}

// Check reads the class behind an entry, and says whether it has the entry's capability:
// whether "spec = ToolSpec(capabilities=[…])" stands in it, or in a base of it, with that
// text. The error is that of ctx.
func (r *Repository) Check(ctx context.Context, e *Entry) (Outcome, error) {
	if e.Stub() {
		return Outcome{}, nil
	}
	module, name, err := cutClass(e.Class)
	if err != nil {
		return *contradicted("", 0, "%s", err.Error()), nil
	}
	c, why, err := r.class(ctx, module, name, r.rootsOf(e))
	if err != nil || why != nil {
		return orNone(why), err
	}
	s := specs{repo: r, capability: e.Capability}
	if err := s.gather(ctx, c, mostHops); err != nil {
		return Outcome{}, err
	}
	return s.outcome(c), nil
}

func orNone(o *Outcome) Outcome {
	if o == nil {
		return Outcome{}
	}
	return *o
}

// rootsOf are where the modules of an entry are looked for.
func (r *Repository) rootsOf(e *Entry) []string {
	l := e.At()
	if l.Dir == "" || l.Remote != "" {
		return r.roots
	}
	if strings.HasSuffix(l.Dir, ".py") {
		return with(r.roots, path.Dir(l.Dir))
	}
	return with(r.roots, l.Dir)
}

// specs are the classes that could give a class its spec.
type specs struct {
	repo       *Repository
	capability string
	holders    []Outcome // what each says of the capability
	seen       []string  // "file:line" of each holder
	open       *Outcome  // why others could give it as well
}

func (s *specs) unknown(o *Outcome) {
	if s.open == nil {
		s.open = o
	}
}

// gather finds the nearest classes with a spec of their own, in each line of bases. A
// class comes before its bases wherever it stands, so that nothing behind one counts.
func (s *specs) gather(ctx context.Context, c class, hops int) error {
	stmt := c.stmt()
	if hops == 0 {
		s.unknown(undecided(c.file, stmt.Line, "%s has too many bases behind each other", quoted(stmt.Name)))
		return nil
	}
	if why := doubtful(c); why != nil {
		s.unknown(why)
	}
	if s.own(c) {
		return nil
	}
	for i, b := range stmt.Bases {
		if plain(b.Value) {
			continue
		}
		base, why, err := s.repo.value(ctx, c.module, b.Value, b.Line, "the base "+quoted(b.Text), mostHops)
		if err != nil {
			return err
		}
		if why != nil {
			why.Verdict = Undecided // what is wrong with a base is wrong with the file, and not with the entry
			s.unknown(why)
			continue
		}
		if i == 0 && s.own(base) { // it comes right after the class, whatever the others are
			return nil
		}
		if err := s.gather(ctx, base, hops-1); err != nil {
			return err
		}
	}
	return nil
}

// own reports whether a class has a spec of its own, and notes it.
func (s *specs) own(c class) bool {
	for i := range c.stmt().Attributes {
		if a := &c.stmt().Attributes[i]; a.Name == "spec" {
			key := fmt.Sprintf("%s:%d", c.file, a.Line)
			if !slices.Contains(s.seen, key) {
				s.seen = append(s.seen, key)
				s.holders = append(s.holders, s.judge(c, a))
			}
			return true
		}
	}
	return false
}

// outcome is what all that was found says together.
func (s *specs) outcome(c class) Outcome {
	stmt := c.stmt()
	switch {
	case s.open != nil:
		return *s.open
	case len(s.holders) == 0:
		return *contradicted(c.file, stmt.Line, "the class %s has no spec, nor has any base of it", quoted(stmt.Name))
	}
	for _, o := range s.holders[1:] {
		if o.Verdict != s.holders[0].Verdict {
			return *undecided(c.file, stmt.Line, "several bases of %s have a spec, and which counts is not told by reading", quoted(stmt.Name))
		}
	}
	return s.holders[0]
}

// doubtful says why what a class statement says may not be what the class has.
func doubtful(c class) *Outcome {
	stmt := c.stmt()
	for _, d := range stmt.Decorators {
		if !harmless[decorator(d.Value)] {
			return undecided(c.file, d.Line, "the decorator %s could change the class %s", quoted(d.Text), quoted(stmt.Name))
		}
	}
	return nil
}

// harmless are decorators that leave the attributes of a class as they are.
var harmless = map[string]bool{
	"dataclasses.dataclass": true, "typing.final": true, "typing.runtime_checkable": true, "functools.total_ordering": true,
	"typing_extensions.final": true, "typing_extensions.deprecated": true, "warnings.deprecated": true,
}

func decorator(v pysrc.Value) string {
	if v.Kind == pysrc.Called && len(v.Of) > 0 {
		v = v.Of[0]
	}
	if v.Kind == pysrc.Imported {
		return v.Name
	}
	return ""
}

// plain reports whether a base is known to have no spec.
func plain(v pysrc.Value) bool {
	switch v.Kind {
	case pysrc.Builtin:
		return v.Name == "object"
	case pysrc.Imported:
		return v.Name == "abc.ABC" || v.Name == "typing.Generic" || v.Name == "typing.Protocol" ||
			strings.HasPrefix(v.Name, "polymathera.colony.") && strings.HasSuffix(v.Name, ".ToolCapability")
	}
	return false
}

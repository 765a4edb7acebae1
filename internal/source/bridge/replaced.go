package bridge

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// What a format looks for at a place of its own is not read where the manifest
// names another place, or where an earlier place has it. That is as the format
// has it, and is told all the same.

// instead tells of the files, below the format's own directory, that would be
// read if the manifest did not have the key. It is to be called once what the
// key names was read: that is not told.
func (l *layer) instead(key string, files ...string) {
	for _, file := range files {
		l.passedOver(l.below(file), "the key %q of the manifest names what is read instead", key)
	}
}

// later tells of the files, below the format's own directory, that are not
// read since an earlier one of them is there.
func (l *layer) later(first string, files ...string) {
	for _, file := range files {
		l.passedOver(l.below(file), "%s is there, and only the first is read", ext.Quote(first))
	}
}

func (l *layer) passedOver(file, format string, args ...any) {
	if real := l.real(file); l.there(file) && !l.opened[real] {
		l.hooked[real] = true
		l.t.Findings.Add(passed(l.at(file, 0), "it is not read: "+format, args...))
	}
}

// insteadOf tells, in one finding, what a component's usual directory holds
// that no path of the manifest leads to. It is to be called once the component
// was laid; one whose directory is read anyway has nothing to tell.
func (l *layer) insteadOf(c component) {
	if c.key == "" || c.dir == "" || c.adds || l.key(c.key) == nil {
		return
	}
	spec := l.env.Spec(c.surface)
	if spec == nil {
		return
	}
	probe := *l.t
	probe.Places, probe.Findings = nil, nil
	w := c.where
	w.Dir, w.Beside = l.below(c.dir), func(string) {}
	source.IntoAs(&probe, spec, w, l.env)
	if len(probe.Places) == 0 {
		return
	}
	laid := map[string]bool{}
	for i := range l.t.Places {
		if p := &l.t.Places[i]; p.Surface == spec.Name {
			laid[l.real(p.File)] = true
		}
	}
	var names []string
	for i := range probe.Places {
		if p := &probe.Places[i]; !laid[l.real(p.File)] {
			names = append(names, ext.Quote(spec.EntryName(p.Path)))
		}
	}
	if len(names) > 0 {
		l.t.Findings.Add(passed(l.at(w.Dir, 0), "%d here are not read, since the key %q of the manifest names what is read instead: %s", len(names), c.key, first(names)))
	}
}

// passed is the finding on what is passed over.
func passed(o ext.Origin, format string, args ...any) ext.Finding {
	return source.NotRead.At(o, format, args...).With("Name it in the manifest as well, or remove it: its own client does not read it either.")
}

// first are the first few of names.
func first(names []string) string {
	const few = 5
	if more := len(names) - few; more > 0 {
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(names, ", ")
}

// real is where a file lies once links are followed, which tells whether two
// names lead to the same; the name itself where that cannot be told.
func (l *layer) real(file string) string {
	if real, ok := source.Real(l.t.FS, file); ok {
		return real
	}
	return file
}

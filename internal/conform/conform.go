// Package conform judges what was read as another format, or the client that it
// is made for, would: what that refuses is an error, although it is read here,
// and what that takes is none, although it is refused here.
package conform

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
)

// Profile is what one format, or its client, refuses.
type Profile struct {
	Name    string
	Aliases []string
	Doc     string // who judges, in one sentence
	// Format is what a directory must be laid out as; "" lets it be any.
	Format string
	// Only is the one surface that it knows; "" is all.
	Only  string
	Rules []Rule

	entry func(c *admit.Contribution) ext.Findings
	tree  func(t ext.Tree) ext.Findings
}

// Rule is the severity of a check under a profile, where it is another than
// here.
type Rule struct {
	Code     string
	Severity ext.Severity
	Surfaces []string // that the finding must be about; none: any, and what is about none
	But      []string // surfaces that it must not be about
	Field    string   // that the finding must be about; "": any
	Why      string   // what the format or its client does, in a few words
}

// Named is the profile of a name or an alias.
func Named(name string) (*Profile, bool) {
	for i := range Profiles {
		if p := &Profiles[i]; p.Name == name || slices.Contains(p.Aliases, name) {
			return p, true
		}
	}
	return nil, false
}

// Names are the names of all profiles, with their aliases.
func Names() []string {
	var names []string
	for _, p := range Profiles {
		names = append(append(names, p.Name), p.Aliases...)
	}
	return names
}

// Judges reports whether a tree of a format is one that the profile is for.
func (p *Profile) Judges(format string) bool {
	family, _, _ := strings.Cut(format, "/")
	return p.Format == "" || family == p.Format
}

// Judge is a finding as the profile has it: about an entry of a surface, or, for
// "", about the extension. The message then says why. A nil profile leaves it as
// it is.
func (p *Profile) Judge(surface string, f ext.Finding) ext.Finding {
	if p == nil {
		return f
	}
	for _, r := range p.Rules {
		if r.matches(surface, &f) {
			check := *f.Check
			check.Severity = r.Severity
			f.Check, f.Message = &check, f.Message+"; "+r.Why
			break
		}
	}
	return f
}

func (r *Rule) matches(surface string, f *ext.Finding) bool {
	return r.Code == f.Check.Code && r.Severity != f.Check.Severity &&
		(len(r.Surfaces) == 0 || slices.Contains(r.Surfaces, surface)) && !slices.Contains(r.But, surface) &&
		(r.Field == "" || r.Field == f.Field)
}

// Further is what the profile finds in a tree that is no fault here. A nil
// profile finds nothing.
func (p *Profile) Further(d *admit.Decision) ext.Findings {
	var fs ext.Findings
	if p == nil {
		return nil
	}
	if p.tree != nil {
		fs.Add(p.untold("", d.Findings(), p.tree(d.Tree()))...)
	}
	for i := range d.Contributions() {
		if c := &d.Contributions()[i]; p.entry != nil && c.Value != nil {
			fs.Add(p.untold(c.Spec.Name, c.Findings, p.entry(c))...)
		}
	}
	return fs
}

// untold are the findings without those about a field that is told already: one
// of those told, about an entry of a surface, is an error about it, or about
// something on its line.
func (p *Profile) untold(surface string, told, fs ext.Findings) ext.Findings {
	return slices.DeleteFunc(fs, func(f ext.Finding) bool {
		return f.Field != "" && slices.ContainsFunc(told, func(g ext.Finding) bool {
			same := f.Field == strings.TrimPrefix(g.Field, "/") || f.Field == g.Field || f.Origin.Line == g.Origin.Line
			return same && f.Origin.Path == g.Origin.Path && p.Judge(surface, g).Check.Severity == ext.Error
		})
	})
}

// recovered are findings that ask for nothing and of which a stricter reader
// makes a fault.
var recovered = []string{"bom", "yaml-tag"}

// Strict is the severity of a finding for who wants nothing recovered from: an
// error for each warning, and for each recovery that asks for nothing here.
func Strict(code string, s ext.Severity) ext.Severity {
	if s == ext.Warning || slices.Contains(recovered, code) {
		return ext.Error
	}
	return s
}

package spinetest

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/surface"
)

// shown replaces the directory of this run.
func shown(s string, t ext.Tree) string {
	if i := strings.LastIndexByte(t.Root, '/'); i > 0 {
		return strings.ReplaceAll(s, t.Root[:i], "$TREES")
	}
	return s
}

// Candidates shows what was read: a line for each tree, each place and each
// finding.
func Candidates(cs []discover.Candidate) string {
	var b strings.Builder
	for i := range cs {
		t := cs[i].Tree()
		fmt.Fprintf(&b, "%s: %s%s\n", t.Extension, t.Format, unread(t))
		show(&b, "\t", t, t.Findings)
		for _, f := range cs[i].Found() {
			d := &f.Document
			fmt.Fprintf(&b, "\t%s %s at %s:%d", f.Spec.Name, d.Path, d.Origin.Path, d.Origin.Line)
			if d.Dialect != "" {
				fmt.Fprintf(&b, " (%s)", d.Dialect)
			}
			if f.Broken {
				b.WriteString(": broken")
			}
			b.WriteByte('\n')
			for _, name := range sorted(d.Refs) {
				fmt.Fprintf(&b, "\t\tnames %s: %s\n", name, presence[d.Refs[name]])
			}
			show(&b, "\t\t", t, d.Findings)
		}
	}
	return b.String()
}

func unread(t ext.Tree) string {
	if t.Unread {
		return ", not read"
	}
	return ""
}

var presence = map[surface.Presence]string{
	surface.Missing: "missing", surface.File: "file", surface.Directory: "directory",
	surface.Outside: "outside", surface.Unreadable: "unreadable",
}

func show(b *strings.Builder, indent string, t ext.Tree, fs ext.Findings) {
	for _, f := range fs {
		fmt.Fprintf(b, "%s- %s\n", indent, shown(f.String(), t))
	}
}

// Decisions shows what was decided: a line for each tree, each entry and each
// finding.
func Decisions(ds []admit.Decision) string {
	var b strings.Builder
	for i := range ds {
		d := &ds[i]
		t := d.Tree()
		if t.Unread { // no candidate: the host does not ask about it
			fmt.Fprintf(&b, "%s: %s%s\n", t.Extension, t.Format, unread(t))
			show(&b, "\t", t, d.Findings())
			continue
		}
		fmt.Fprintf(&b, "%s: %s: %s", t.Extension, t.Format, d.Status())
		if d.Reason() != "" {
			fmt.Fprintf(&b, ": %s", d.Reason())
		}
		if n := d.Incomplete(); n > 0 {
			fmt.Fprintf(&b, ", %d of %d refused", n, len(d.Contributions()))
		}
		b.WriteByte('\n')
		show(&b, "\t", t, d.Findings())
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			fmt.Fprintf(&b, "\t%s %s at %s:%d: %s", c.Spec.Name, ext.Quote(c.Name), c.Origin.Path, c.Origin.Line, c.Status)
			if c.Reason != "" {
				fmt.Fprintf(&b, ": %s", c.Reason)
			}
			b.WriteByte('\n')
			show(&b, "\t\t", t, c.Findings)
		}
	}
	return b.String()
}

// Composition shows what a composition holds.
func Composition(specs []*surface.Spec, c *compose.Composition) string {
	var b strings.Builder
	for _, s := range specs {
		entries := c.Entries(s)
		if len(entries) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s, %s:\n", s.Name, s.Merge)
		for _, e := range entries {
			fmt.Fprintf(&b, "\t%s = %s at %s:%d\n", ext.Escape(e.Qualified), ext.Quote(e.Description), e.Origin.Path, e.Origin.Line)
		}
	}
	for _, s := range c.Shadowed() {
		fmt.Fprintf(&b, "shadowed: %s %s by %s\n", s.Lost.Spec.Name, s.Lost.Qualified, s.Kept.Qualified)
	}
	for _, r := range c.Refused() {
		fmt.Fprintf(&b, "refused: %s\n", r.Extension)
		for _, f := range r.Findings {
			fmt.Fprintf(&b, "\t- %s\n", f)
		}
	}
	for _, f := range c.Findings() {
		fmt.Fprintf(&b, "- %s\n", f)
	}
	return b.String()
}

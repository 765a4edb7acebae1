package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/mend"
	"github.com/mortise-dev/mortise/internal/surface"
)

const generated = "<!-- Made by make gen from the code. Do not edit. -->\n\n"

// points is the reference of the extension points.
func points() string {
	var b strings.Builder
	b.WriteString("# Extension points\n\n" + generated)
	b.WriteString("A *surface* is a point whose contribution is an entry in the tree; a *hook* is one whose contribution is an answer to a question. " +
		"They are read and shown in this order. In an Agent Plugins package, skills and servers lie where that format puts them; everything else lies below `dev.mortise/`.\n\n")
	b.WriteString("| point | kind | files | needs | merges | a fault refuses |\n|---|---|---|---|---|---|\n")
	for _, s := range catalog.Specs {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | `%s` | %s | %s | %s |\n", s.Name, s.Name, kind(s), files(s), s.Needs, s.Merge, refuses(s))
	}
	b.WriteString("\n*Needs* is the least trust of a source that may contribute. Trust is, from least to most: project, plugin, owner, builtin.\n\n## How entries merge\n\n| rule | what it does |\n|---|---|\n")
	for m := surface.Unique; m <= surface.Exclusive; m++ {
		fmt.Fprintf(&b, "| %s | %s |\n", m, m.Doc())
	}
	b.WriteString("\nPrecedence, who wins a name or a key: the owner, plugins as the configuration lists them, projects, built-ins.\n")
	question(&b)
	for _, s := range catalog.Specs {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.Name, s.Doc)
		if s.Runs {
			b.WriteString("What an entry declares runs or connects: a plugin's waits for a grant.\n\n")
		}
		if s.Inert {
			b.WriteString("Inert: it is read, checked and listed, and nothing here uses it.\n\n")
		}
		if s.Consumer != "" {
			b.WriteString(s.Consumer + "\n\n")
		}
		b.WriteString("| field | holds | required | at most | meaning |\n|---|---|---|---|---|\n")
		for _, f := range s.Fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", f.Name, f.Type, yes(f.Required), most(f.Max), f.Doc)
		}
		if s.Answers != nil {
			answers(&b, s)
		}
	}
	return b.String()
}

// question is what a hook of plans is asked.
func question(b *strings.Builder) {
	b.WriteString("\n## What the hooks of plans are asked\n\nCode that answers one gets a JSON object and answers a list, or null for none. It has no effect, and answers the same to the same question.\n\n| member | meaning |\n|---|---|\n")
	for f := range reflect.TypeFor[surface.Question]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fmt.Fprintf(b, "| `%s` | %s |\n", name, f.Tag.Get("doc"))
	}
}

// answers is what the answers to a hook may say, and how they come together.
func answers(b *strings.Builder, s *surface.Spec) {
	a := s.Answers
	rule := a.Merge.Doc()
	if a.Merge == surface.Unique { // a union, whoever says it
		rule = "of several about one thing the first in load order is kept; the rest are shadowed and listed"
	}
	fmt.Fprintf(b, "\nIts answers are a list of objects, in a file or from code. They merge by **%s**: %s. ", a.Merge, rule)
	if a.Fixed {
		b.WriteString("They are the same in every mode, so that none has a condition.\n")
	} else {
		b.WriteString("Each may have a condition, `when`: an object that names for each axis a level, or a list of them, at which the answer holds.\n")
	}
	if len(a.Reads) > 0 {
		fmt.Fprintf(b, "\nWho answers is given the merged answers to %s.\n", strings.Join(a.Reads, ", "))
	}
	b.WriteString("\n| member of an answer | holds | required | meaning |\n|---|---|---|---|\n")
	for _, f := range a.Fields {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.Name, f.Type, yes(f.Required), cell(f.Doc))
	}
}

func kind(s *surface.Spec) string {
	if s.Hook {
		return "hook"
	}
	return "surface"
}

func files(s *surface.Spec) string {
	if s.Dir == "." {
		return s.Files
	}
	return s.Dir + "/" + s.Files
}

func refuses(s *surface.Spec) string {
	if s.Whole {
		return "the extension"
	}
	return "the entry"
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

func most(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d characters", n)
}

// checks is the reference of everything that can be found.
func checks() string {
	var b strings.Builder
	b.WriteString("# Checks\n\n" + generated)
	b.WriteString("Every finding carries one of these codes. An *error* refuses the entry it was found in, or the extension where the entry is code or the fault is in its manifest; " +
		"a *warning* is something recovered from, ignored or doubtful; an *info* asks for nothing. Codes are stable.\n\n")
	l := ext.DefaultLimits
	fmt.Fprintf(&b, "## Limits\n\n| limit | default | code |\n|---|--:|---|\n| bytes of one document | %d | `limit-file-bytes` |\n| documents of one extension | %d | `limit-files` |\n| directories below a component's directory | %d | `limit-depth` |\n",
		l.FileBytes, l.Files, l.Depth)
	b.WriteString(fixedLimits())
	b.WriteString("\nThe first three are keys of the configuration (`[limits]`).\n")
	for _, g := range catalog.Checks() {
		fmt.Fprintf(&b, "\n## %s\n\n| code | severity | meaning | what to do |\n|---|---|---|---|\n", g.Part)
		for _, c := range g.Checks {
			fmt.Fprintf(&b, "| <a id=\"%s\"></a>`%s` | %s | %s | %s |\n", c.Code, c.Code, c.Severity, cell(c.Doc), cell(c.Fix))
		}
	}
	return b.String() + profiles() + fixes()
}

// profiles tells what `check --format` knows.
func profiles() string {
	var b strings.Builder
	b.WriteString("\n## Formats to be judged as\n\n`mortise check --format NAME` gives findings the severity that they have in another format, or with the client that it is made for.\n\n" +
		"| name | who judges | findings of another severity |\n|---|---|---|\n")
	for _, p := range conform.Profiles {
		names := "`" + strings.Join(append([]string{p.Name}, p.Aliases...), "`, `") + "`"
		fmt.Fprintf(&b, "| %s | %s | %s |\n", names, cell(p.Doc), cell(rules(p.Rules)))
	}
	return b.String()
}

// rules lists what is judged otherwise; the codes of one reason together.
func rules(all []conform.Rule) string {
	var parts []string
	for len(all) > 0 {
		first := all[0]
		n := slices.IndexFunc(all, func(r conform.Rule) bool {
			return r.Severity != first.Severity || r.Why != first.Why || r.Field != first.Field || !slices.Equal(r.Surfaces, first.Surfaces) || !slices.Equal(r.But, first.But)
		})
		if n < 0 {
			n = len(all)
		}
		var codes []string
		for _, r := range all[:n] {
			codes = append(codes, "`"+r.Code+"`")
		}
		part := fmt.Sprintf("%s: %s", first.Severity, strings.Join(codes, ", "))
		if len(first.Surfaces) > 0 {
			part += " of " + strings.Join(first.Surfaces, ", ")
		}
		if len(first.But) > 0 {
			part += ", but not of " + strings.Join(first.But, ", ")
		}
		if first.Field != "" {
			part += " (its `" + first.Field + "`)"
		}
		parts, all = append(parts, part+", as "+first.Why), all[n:]
	}
	return strings.Join(parts, "; ")
}

// fixes tells what `check --fix` mends.
func fixes() string {
	var b strings.Builder
	b.WriteString("\n## What is mended\n\n`mortise check --fix` mends these in files of the owner's own, and shows what it changes; a plugin's files are never touched.\n\n| code | what it does |\n|---|---|\n")
	for _, f := range mend.Fixes {
		fmt.Fprintf(&b, "| `%s` | %s |\n", f.Code, cell(f.Doc))
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// formats is the reference of the formats.
func formats() string {
	var b strings.Builder
	b.WriteString("# Formats\n\n" + generated)
	b.WriteString("How extensions may be laid out. Where a directory is laid out in several formats, the first of this list that is read wins, unless `format` in mortise.toml names another. " +
		"A format that is known by sight is counted as of unknown format and named in a finding.\n\n")
	b.WriteString("| format | recognised by | read | what it is |\n|---|---|---|---|\n")
	for _, f := range catalog.Formats {
		marker := "nothing of the above"
		if f.Marker != "" {
			marker = "`" + f.Marker + "`"
		}
		read := "yes"
		if f.Lay == nil {
			read = "by sight"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Name, marker, read, f.Doc)
	}
	return b.String() + places()
}

// places tells which surfaces each format has a place for.
func places() string {
	var b strings.Builder
	b.WriteString("\n## What each has a place for\n\nWhere a directory is laid out in several formats, they are compared in what both have a place for.\n\n| format |")
	for _, s := range catalog.Specs {
		fmt.Fprintf(&b, " %s |", s.Name)
	}
	b.WriteString("\n|---|" + strings.Repeat(":-:|", len(catalog.Specs)) + "\n")
	for _, f := range catalog.Formats {
		if f.Lay == nil {
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", f.Name)
		for _, s := range catalog.Specs {
			mark := ""
			if f.Holds == nil || slices.Contains(f.Holds, s.Name) {
				mark = "yes"
			}
			fmt.Fprintf(&b, " %s |", mark)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

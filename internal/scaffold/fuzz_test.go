package scaffold

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// A name is taken or refused; what is made of one is read back with its description, or
// refused as what nobody sees.
func FuzzRoundTrip(f *testing.F) {
	for _, c := range names {
		f.Add(c.name, "What it is.")
	}
	for _, text := range descriptions {
		f.Add("my-thing", text)
	}
	f.Fuzz(func(t *testing.T, name, description string) {
		for i := range Templates {
			tmpl := &Templates[i]
			m, err := unwritten(tmpl, name, description)
			if err != nil {
				continue // it says so before anything is read
			}
			if err := m.readBack(t.Context()); err != nil {
				t.Fatalf("%s %q with %q: %v", tmpl.ID, name, description, err)
			}
			if text := strings.TrimSpace(description); m.done.Description != text || !utf8.ValidString(text) || unseen.Hides(text) || strings.ContainsAny(name, "./\\ ") {
				t.Fatalf("%s %q: read back as %q, want %q", tmpl.ID, name, m.done.Description, text)
			}
		}
	})
}

// unwritten is something new without a repository: what is read back, and not written.
func unwritten(tmpl *Template, name, description string) (*making, error) {
	if err := checkName(tmpl.Surface, name); err != nil {
		return nil, err
	}
	said := Said{"description": {description}}
	for _, v := range tmpl.Variables {
		switch {
		case v.Required && v.Kind == Class:
			said[v.Name] = []string{"acme.lead.Lead"}
		case v.Kind == Text && v.Name != "purpose", v.Kind == Texts:
			said[v.Name] = []string{description}
		}
	}
	m := &making{Options: Options{Surface: tmpl.Surface, Name: name, Said: said}, template: tmpl, done: &Made{}}
	m.branch = &scribe.Branch{Manifest: colony.Default()}
	var err error
	if m.values, err = tmpl.take(name, said); err != nil {
		return nil, err
	}
	if m.dir, err = m.branch.Manifest.Directory(tmpl.Surface); err != nil {
		return nil, err
	}
	if err := m.render(context.Background()); err != nil {
		return nil, err
	}
	if tmpl.Surface == colony.Tools {
		return m, m.enter(new(tools.Catalogue), nil)
	}
	return m, nil
}

// What a form writes does not show nothing, and has no line end but those of a docstring.
func FuzzQuote(f *testing.F) {
	for _, text := range descriptions {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		for form, quote := range map[string]func(string) string{"python": quoted, "yaml": quoted, "docstring": docstring} {
			written := quote(s)
			if form == "docstring" {
				written = strings.ReplaceAll(written, "\n", "")
			}
			if strings.ContainsFunc(written, ext.Hidden) {
				t.Fatalf("%s of %q has what does not show: %q", form, s, written)
			}
			if form == "yaml" {
				continue
			}
			if got, err := evaluated(t.Context(), quote(s)); err != nil || got != s {
				t.Fatalf("%s of %q is read as %q, %v", form, s, got, err)
			}
		}
	})
}

package catalog_test

import (
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/mend"
)

// TestProfilesAreOfThisBuild wants every rule of a profile to be about a check
// of this build and to change its severity, every surface and format that it
// names to be there, and every fix to be for something that can be found.
func TestProfilesAreOfThisBuild(t *testing.T) {
	checks := map[string]*ext.Check{}
	for _, c := range catalog.AllChecks() {
		checks[c.Code] = c
	}
	surfaces := []string{}
	for _, s := range catalog.Specs {
		surfaces = append(surfaces, s.Name)
	}
	for _, p := range conform.Profiles {
		if p.Format != "" && !slices.Contains(catalog.FormatNames(), p.Format) {
			t.Errorf("%s: there is no format %s that is read; there are %v", p.Name, p.Format, catalog.FormatNames())
		}
		for _, r := range p.Rules {
			c := checks[r.Code]
			if c == nil || c.Severity == r.Severity {
				t.Errorf("%s, %s: want a check of this build with another severity than %s, got %+v", p.Name, r.Code, r.Severity, c)
			}
			for _, s := range slices.Concat(r.Surfaces, r.But) {
				if !slices.Contains(surfaces, s) {
					t.Errorf("%s, %s: there is no surface %s", p.Name, r.Code, s)
				}
			}
		}
	}
	for _, f := range mend.Fixes {
		if checks[f.Code] == nil {
			t.Errorf("there is a fix for %s, which nothing finds", f.Code)
		}
	}
}

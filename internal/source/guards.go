package source

import (
	"fmt"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// guards adds to the tree what another format declares as guards and the tree
// has not: the same program for the same event is the same guard, whatever the
// capitals. A file of hooks that the other format could not read may hold some.
// Each goes by the format's name, and lies where the other format found it.
func (c *comparison) guards(probe *ext.Tree, format string) {
	has, taken := map[string]bool{}, map[string]bool{}
	for i := range c.t.Places {
		p := &c.t.Places[i]
		has[guardKey(p)] = true
		taken[surface.Fold(p.Path)] = true
	}
	for i := range probe.Places {
		p := probe.Places[i]
		spec := c.env.Spec(p.Surface)
		if spec == nil || !spec.Hook || has[guardKey(&p)] || p.Doc != nil && p.Doc.Word("role") == surface.Observer.String() {
			continue
		}
		has[guardKey(&p)] = true
		dir, file := path.Split(p.Path)
		ending := path.Ext(file)
		bare := dir + strings.ReplaceAll(format, "/", "-") + "-" + strings.TrimSuffix(file, ending)
		p.Path = bare + ending
		for n := 2; taken[surface.Fold(p.Path)]; n++ {
			p.Path = fmt.Sprintf("%s-%d%s", bare, n, ending)
		}
		taken[surface.Fold(p.Path)] = true
		if p.Fault != nil {
			f := p.Fault.With("%s Or name the format that you mean with format = \"…\" in mortise.toml; it is then read alone.", p.Fault.Fix())
			p.Fault = &f
		}
		LayingOf(c.t, c.env.Limits).Add(p)
	}
}

// plain is a command line without what makes no other program of it.
var plain = strings.NewReplacer(`"`, "", "'", "", surface.RootVariable+"/", "./")

// guardKey tells the handlers of hooks apart: by the event and by what runs, or,
// where there is no handler, by the file and what is wrong with it.
func guardKey(p *ext.Place) string {
	switch {
	case p.Doc != nil:
		ref := p.Doc.Get("ref")
		runs := plain.Replace(ref.Word("target"))
		if ref.Word("target") == ref.Word("name") { // no program: what answers is said elsewhere
			runs = p.Doc.Word("prompt") + "\x00" + p.Doc.Word("also")
		}
		return strings.Join([]string{p.Surface, strings.ToLower(p.Doc.Word("event")), ref.Word("name"), runs}, "\x00")
	case p.Fault != nil:
		return strings.Join([]string{p.Surface, p.File, p.Fault.Check.Code, p.Fault.Message}, "\x00")
	}
	return p.Surface + "\x00" + p.File
}

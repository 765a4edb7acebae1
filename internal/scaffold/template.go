package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/source/monorepo"
	"github.com/mortise-dev/mortise/internal/spelling"
)

//go:embed templates
var embedded embed.FS

// Template is what something new is made from.
type Template struct {
	ID        string
	Surface   colony.Surface
	Doc       string // what it makes, in one sentence without a point
	Variables []Variable
	files     []file
	binds     []string // names that its Python has for something else than the class
}

// file is one file of a template. Its path is below the directory of the surface, and has
// places too.
type file struct{ path, from string }

// Variable is something that whoever uses a template says, beside the name.
type Variable struct {
	Name     string
	Kind     Kind
	Required bool
	Default  string // where it is not said; "" for none
	Doc      string // with the word for its value in back quotes
}

// Usage is what a flag for the variable says of itself.
func (of *Variable) Usage() string {
	if of.Default != "" {
		return of.Doc + "; without it " + of.Default
	}
	return of.Doc
}

// Kind is what a variable may hold.
type Kind string

// The kinds.
const (
	Text       Kind = "text"       // any text
	Texts      Kind = "texts"      // any number of texts
	Identifier Kind = "identifier" // a name of Python
	Class      Kind = "class"      // module.Class
	Keywords   Kind = "keywords"   // KEY=VALUE, which a decorator takes
)

var (
	description = Variable{"description", Text, true, "", "what it is, as `TEXT`"}
	className   = Variable{"class", Identifier, false, "", "the `NAME` of its class; without it the words of NAME, each with a capital letter"}
	whenToUse   = Variable{"when-to-use", Text, false, "", "when it is to be used, as `TEXT`"}
)

// Templates are all templates. The first of a surface is the one that is used where none is
// named.
var Templates = []Template{
	{
		ID: "instructions", Surface: colony.Plugins, Doc: "A skill that is instructions alone",
		Variables: []Variable{description, whenToUse},
		files:     []file{{"${name:slug}/SKILL.md", "instructions.md"}},
	},
	{
		ID: "script", Surface: colony.Plugins, Doc: "A skill with a script that is run",
		Variables: []Variable{description, whenToUse},
		files:     []file{{"${name:slug}/SKILL.md", "script.md"}, {"${name:slug}/scripts/run.sh", "run.sh"}},
	},
	{
		ID: "agent", Surface: colony.Agents, Doc: "An agent that is a class",
		Variables: []Variable{
			description, className,
			{"base", Class, false, "polymathera.colony.agents.base.Agent", "what it derives from, as `MODULE.CLASS`"},
		},
		files: []file{{"${stem:slug}.py", "agent.py"}},
	},
	{
		ID: "deployment", Surface: colony.Deployments, Doc: "A class that is deployed",
		Variables: []Variable{
			description, className,
			{"keyword", Keywords, false, "", "what its decorator is given, as `KEY=VALUE` where VALUE is JSON, or a text; may be repeated"},
		},
		files: []file{{"${stem:slug}.py", "deployment.py"}},
		binds: []string{"serving"},
	},
	{
		ID: "tool", Surface: colony.Tools, Doc: "A tool that is a class, and its entry in the catalogue",
		Variables: []Variable{
			description, className,
			{"capability", Text, true, "", "what it can do, as `TEXT`"},
			{"purpose", Text, false, "general", "what it is for, as `TEXT`"},
		},
		files: []file{{"${stem:slug}.py", "tool.py"}},
		binds: []string{"ToolCapability", "ToolSpec"},
	},
	{
		ID: "profile", Surface: colony.Profiles, Doc: "A profile with tags",
		Variables: []Variable{
			description,
			{"tag", Texts, false, "", "a tag, as `TEXT`; may be repeated"},
			{"embedding-strategy", Text, false, "", "how what it is for is embedded, as `TEXT`"},
		},
		files: []file{{"${name:slug}.yaml", "profile.yaml"}},
	},
	{
		ID: "mission", Surface: colony.Missions, Doc: "A mission that is written out",
		Variables: []Variable{
			description,
			{"coordinator", Class, true, "", "the class that leads it, as `MODULE.CLASS`"},
			{"label", Text, false, "", "what it is called, as `TEXT`; without it the words of NAME"},
			{"worker", Class, false, "", "the class that works on it, as `MODULE.CLASS`"},
			{"goal", Texts, false, "", "what it is to reach, as `TEXT`; may be repeated"},
			{"constraint", Texts, false, "", "what it must keep to, as `TEXT`; may be repeated"},
			{"coordinator-capability", Texts, false, "", "what its coordinator can do, as `TEXT`; may be repeated"},
			{"worker-capability", Texts, false, "", "what its worker can do, as `TEXT`; may be repeated"},
		},
		files: []file{{"${name:slug}.py", "mission.py"}},
	},
}

// Known is what a configuration adds to the classes that are known, each text as it is
// written there.
func Known(agents, deployments, decorators string) monorepo.Known {
	return monorepo.Known{Agents: monorepo.Names(agents), Deployments: monorepo.Names(deployments), Decorators: monorepo.Names(decorators)}
}

// Of are the templates of a surface.
func Of(s colony.Surface) (out []Template) {
	for _, t := range Templates {
		if t.Surface == s {
			out = append(out, t)
		}
	}
	return out
}

// Find is the template of that name for a surface; "" is the surface's first. One that does
// not exist, or is for another surface, is an error of usage.
func Find(s colony.Surface, id string) (*Template, error) {
	own := Of(s)
	if id == "" {
		return &own[0], nil
	}
	names := make([]string, len(own))
	for i := range own {
		if names[i] = own[i].ID; own[i].ID == id {
			return &own[i], nil
		}
	}
	at := slices.IndexFunc(Templates, func(t Template) bool { return t.ID == id })
	switch near := spelling.Nearest(id, names); {
	case at >= 0:
		return nil, ext.AsUsage(fmt.Errorf("the template %s is for %s; those for %s are %s", ext.Quote(id), Templates[at].Surface, s, strings.Join(names, ", ")))
	case near != "":
		return nil, ext.AsUsage(fmt.Errorf("there is no template %s; did you mean %s?", ext.Quote(ext.Shorten(id, 80)), near))
	}
	return nil, ext.AsUsage(fmt.Errorf("there is no template %s; those for %s are %s", ext.Quote(ext.Shorten(id, 80)), s, strings.Join(names, ", ")))
}

// variable is the variable of that name; nil for none.
func (t *Template) variable(name string) *Variable {
	for i := range t.Variables {
		if t.Variables[i].Name == name {
			return &t.Variables[i]
		}
	}
	return nil
}

// source is a file that is compiled in.
func source(name string) (string, error) {
	data, err := fs.ReadFile(embedded, path.Join("templates", name+".tmpl"))
	return string(data), err
}

// valid looks whether templates could be used at all: each name once, of a surface that
// there is, with files that are there, and with places that can be filled.
func valid(all []Template) error {
	var errs []error
	seen := map[string]bool{}
	for i := range all {
		t := &all[i]
		fail := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("the template %s %s", ext.Quote(t.ID), fmt.Sprintf(format, args...)))
		}
		switch {
		case t.ID == "" || seen[t.ID]:
			fail("has a name that is missing, or another one's")
		case !slices.Contains(colony.Surfaces, t.Surface):
			fail("is for no surface: %s", ext.Quote(string(t.Surface)))
		case len(t.files) == 0:
			fail("has no file")
		}
		seen[t.ID] = true
		for _, f := range t.files {
			text, err := source(f.from)
			if err != nil {
				fail("has the file %s, which is not there", ext.Quote(f.from))
				continue
			}
			for _, text := range []string{f.path, text} {
				if _, err := fill(text, t.sample()); err != nil {
					fail("cannot be filled: %v", err)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// sample are values of all variables of a template.
func (t *Template) sample() values {
	v := values{"name": slug("x"), "stem": slug("x"), "class": identifier("X")}
	for _, of := range t.Variables {
		switch of.Kind {
		case Text:
			v[of.Name] = text("x")
		case Texts:
			v[of.Name] = texts{"x"}
		case Identifier:
			v[of.Name] = identifier("X")
		case Class:
			v[of.Name] = dotted("x.X")
		case Keywords:
			v[of.Name] = keywords(nil)
		}
	}
	return v
}

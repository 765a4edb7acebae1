package cli

import (
	"strings"

	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/scaffold"
)

// nameHelp is what names are, everywhere.
const nameHelp = `NAME has small letters, digits, - and _, and must differ from other names there by more than
capitals, - and _.`

// newHelp is what is said of making one thing of a surface.
var newHelp = map[colony.Surface]string{
	colony.Plugins: `Make the skill NAME: a directory with SKILL.md, and with --from script a script beside it.
` + nameHelp,
	colony.Agents: `Make an agent: a file with one class that derives from --base, which must be a known
agent: of the framework, or of agent_bases under [monorepo] in the configuration.
` + nameHelp,
	colony.Deployments: `Make a deployment: a file with one class that carries the framework's decorator, with what
--keyword gives it.
` + nameHelp,
	colony.Tools: `Make a tool: a file with one class that can do --capability, and its entry in the tool
catalogue, in one commit.
` + nameHelp,
	colony.Profiles: `Make a profile: a file of YAML.
` + nameHelp,
	colony.Missions: `Make a mission: a file with a factory that returns it, written out. Whether the classes that
it names exist is not checked.
` + nameHelp,
}

var newExamples = map[colony.Surface]string{
	colony.Plugins:     "mortise new plugins mesh-check --description 'Checks a mesh before it is solved.' --from script --as ada --branch skills",
	colony.Agents:      "mortise new agents cfd-solver --description 'Solves flows.' --as ada --role builder --branch agents/solver",
	colony.Deployments: "mortise new deployments solver-pool --description 'Solvers, several at once.' --keyword max_concurrency=8 --as ada --branch work",
	colony.Tools:       "mortise new tools solver --description 'Solves flows.' --capability navier-stokes --purpose cfd --as ada --branch tools/solver",
	colony.Profiles:    "mortise new profiles thermal --description 'For heat.' --tag cfd --tag heat --as ada --branch work",
	colony.Missions:    "mortise new missions cool-it --description 'Cools the board.' --coordinator acme.lead.Lead --goal 'below 60 degrees' --as ada --branch work",
}

// templatesDoc are all templates, as a document.
type templatesDoc struct {
	Templates []templateDoc `json:"templates"`
}

type templateDoc struct {
	Template string        `json:"template"`
	Surface  string        `json:"surface"`
	Doc      string        `json:"doc"`
	Flags    []templateVar `json:"flags"`
}

type templateVar struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Required bool   `json:"required"`
	Default  string `json:"default"`
	Doc      string `json:"doc"`
}

// templates lists the templates.
func (c *call) templates() error {
	var doc templatesDoc
	for _, t := range scaffold.Templates {
		row := templateDoc{Template: t.ID, Surface: string(t.Surface), Doc: t.Doc, Flags: []templateVar{}}
		for _, v := range t.Variables {
			row.Flags = append(row.Flags, templateVar{v.Name, string(v.Kind), v.Required, v.Default, strings.ReplaceAll(v.Doc, "`", "")})
		}
		doc.Templates = append(doc.Templates, row)
	}
	if c.json {
		return c.document(doc)
	}
	view := c.page(nil)
	for i, t := range doc.Templates {
		if i > 0 {
			view.gap()
		}
		view.line("%s  %s", view.bold("mortise new "+t.Surface+" NAME --from "+t.Template), t.Doc+".")
		for _, v := range t.Flags {
			switch {
			case v.Required:
				view.line("  --%s  %s, which must be said", v.Name, v.Doc)
			case v.Default != "":
				view.line("  --%s  %s; without it %s", v.Name, v.Doc, v.Default)
			default:
				view.line("  --%s  %s", v.Name, v.Doc)
			}
		}
	}
	return nil
}

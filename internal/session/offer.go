package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/resource"
	"github.com/mortise-dev/mortise/internal/surface/task"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// Offer is one thing that a client may list and use by a name of its own.
type Offer struct {
	Name       string          // as clients call it: an exposed name, or an address
	Definition json.RawMessage // as clients are shown it
	Entry      compose.Entry
	Ref        ext.Ref          // what answers; zero for what is text
	Text       string           // what it is, where Ref is zero and it is no command
	MIMEType   string           // of Text
	Command    *command.Command // a prompt that is text; else nil
}

// Offers are everything of a session that clients use by name, each list in the
// order of the names, or of the one server that it is of.
type Offers struct {
	Tools, Prompts, Resources, Templates []Offer
	// Hidden are those that cannot be offered because another has their name. A
	// name is never given twice.
	Hidden []Offer
}

// OfferOptions say how things are offered.
type OfferOptions struct {
	NameLimit int // the longest exposed name; 0: NameLimit
	// Only, when not "", is a server, by its qualified name: nothing else is
	// offered, and its tools and prompts go by their own names.
	Only string
}

// Offer gives everything of the session that can be used by name its name.
func (s *Session) Offer(options OfferOptions) *Offers { return s.offer(options, false) }

// Hidden are those that Offer hides, without their definitions, which no other entry
// gets either: who asks for these alone pays for names.
func (s *Session) Hidden(options OfferOptions) []Offer { return s.offer(options, true).Hidden }

func (s *Session) offer(options OfferOptions, bare bool) *Offers {
	options.NameLimit = cmp.Or(options.NameLimit, NameLimit)
	b := offering{options: options, bare: bare}
	b.Tools = make([]Offer, 0, len(s.Tools))
	for i := range s.Tools {
		b.tool(&s.Tools[i])
	}
	for i := range s.Commands {
		b.prompt(&s.Commands[i])
	}
	for i := range s.Tasks {
		b.task(&s.Tasks[i])
	}
	for i := range s.Resources {
		b.resource(&s.Resources[i])
	}
	if options.Only == "" {
		for _, k := range s.Skills {
			b.text(k.Entry, "skill", "/SKILL.md", k.Value.Body)
		}
		for _, a := range s.Agents {
			b.text(a.Entry, "agent", "", a.Value.Prompt)
		}
		for _, t := range s.Tasks {
			b.text(t.Entry, "task", "/"+task.File, t.Value.Body)
		}
		for _, r := range s.Rules {
			r.Description = r.Value.Described(r.Description)
			b.text(r.Entry, "rule", "", r.Value.Text())
		}
		b.declared(s)
	}
	for _, list := range []*[]Offer{&b.Tools, &b.Prompts, &b.Resources, &b.Templates} {
		b.settle(list)
	}
	return &b.Offers
}

// Tool is the tool that clients call by name; nil when there is none.
func (o *Offers) Tool(name string) *Offer { return named(o.Tools, name) }

// Prompt is the prompt that clients start by name; nil when there is none.
func (o *Offers) Prompt(name string) *Offer { return named(o.Prompts, name) }

// Resource is the resource at an address; nil when there is none.
func (o *Offers) Resource(uri string) *Offer { return named(o.Resources, uri) }

func named(list []Offer, name string) *Offer {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

// offering makes the offers of one session.
type offering struct {
	Offers
	options OfferOptions
	bare    bool // nothing is defined
}

// settle orders a list and lets no name stand twice. What one server alone offers
// keeps the order in which that lists it.
func (b *offering) settle(list *[]Offer) {
	if b.options.Only != "" {
		return // a server's own names differ
	}
	slices.SortStableFunc(*list, func(x, y Offer) int { return cmp.Compare(x.Name, y.Name) })
	kept := (*list)[:0]
	for _, o := range *list {
		if n := len(kept); n > 0 && kept[n-1].Name == o.Name {
			b.Hidden = append(b.Hidden, o)
			continue
		}
		kept = append(kept, o)
	}
	*list = kept
}

// name is what clients call an entry, and whether it is offered. A server's
// entry is called SERVER/NAME within its extension.
func (b *offering) name(e *compose.Entry, ref ext.Ref, served bool) (string, bool) {
	server, name := "", e.Name
	if served {
		name = ref.Name
		server = strings.TrimSuffix(e.Name, "/"+name)
	}
	if b.options.Only != "" {
		return name, served && b.options.Only == ext.Qualified(e.Extension, server)
	}
	return exposed(e.Extension, server, name, b.options.NameLimit), true
}

func (b *offering) tool(t *compose.Typed[tool.Tool]) {
	name, ok := b.name(&t.Entry, t.Value.Ref, t.Value.Definition != nil)
	if !ok {
		return
	}
	o := Offer{Name: name, Entry: t.Entry, Ref: t.Value.Ref}
	if !b.bare {
		o.Definition = toolAs(name, t.Description, &t.Value)
	}
	b.Tools = append(b.Tools, o)
}

// toolAs is the definition of a tool as clients are shown it that call it by name.
func toolAs(name, description string, t *tool.Tool) json.RawMessage {
	if t.Definition != nil {
		return with(t.Definition, "name", name)
	}
	return compact(object(
		text("name", name), text("title", t.Title), text("description", description),
		node("inputSchema", t.Input), node("outputSchema", t.Output), node("annotations", t.Annotations),
	))
}

func (b *offering) prompt(c *compose.Typed[command.Command]) {
	name, ok := b.name(&c.Entry, c.Value.Ref, c.Value.Definition != nil)
	if !ok {
		return
	}
	o := Offer{Name: name, Entry: c.Entry, Ref: c.Value.Ref}
	served := c.Value.Definition != nil
	if !served {
		o.Command = &c.Value
	}
	switch {
	case b.bare:
	case served:
		o.Definition = with(c.Value.Definition, "name", name)
	default:
		o.Definition = object(text("name", name), text("description", c.Description), arguments(&c.Value))
	}
	b.Prompts = append(b.Prompts, o)
}

// task offers a task as a prompt: its instructions, and one argument for what its
// inputs are to be. Its name is no command's.
func (b *offering) task(t *compose.Typed[task.Task]) {
	e := t.Entry
	e.Name = task.Surface.Name + "-" + e.Name
	if name, ok := b.name(&e, ext.Ref{}, false); ok {
		c := &command.Command{ArgumentHint: t.Value.Asks(), Body: t.Value.Body}
		b.Prompts = append(b.Prompts, Offer{
			Name: name, Entry: t.Entry, Command: c,
			Definition: object(text("name", name), text("title", t.Value.Title), text("description", t.Description), arguments(c)),
		})
	}
}

// Arguments is the one argument of a command that is text: all that is typed
// after its name.
const Arguments = "arguments"

func arguments(c *command.Command) member {
	if c.ArgumentHint == "" && !c.TakesArguments() {
		return member{}
	}
	one := object(text("name", Arguments), text("description", c.ArgumentHint), member{"required", []byte("false")})
	return member{"arguments", slices.Concat([]byte("["), one, []byte("]"))}
}

func (b *offering) resource(r *compose.Typed[resource.Resource]) {
	if b.options.Only != "" && (r.Value.Definition == nil || b.options.Only != serverOf(r.Value.Ref)) {
		return
	}
	o := Offer{Name: r.Value.URI, Entry: r.Entry, Ref: r.Value.Ref}
	switch d := r.Value.Definition; {
	case b.bare:
	case d != nil:
		o.Definition = d.Raw
	default:
		o.Definition = object(
			text("uri", r.Value.URI), text("name", r.Value.URI), text("title", r.Value.Title),
			text("description", r.Description), text("mimeType", r.Value.MIMEType),
		)
	}
	if r.Value.Template {
		b.Templates = append(b.Templates, o)
	} else {
		b.Resources = append(b.Resources, o)
	}
}

// compact is a definition of ours without the blanks that a document has for people.
func compact(definition json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, definition) != nil {
		return definition // it is no JSON, which its reader says
	}
	return out.Bytes()
}

// serverOf is the server that answers for something, by its qualified name: a
// target is that and, after the last '@', the digest of its declaration.
func serverOf(r ext.Ref) string {
	return r.Target[:max(strings.LastIndexByte(r.Target, '@'), 0)]
}

// declared offers what a design monorepo declares as resources, each the JSON of what is
// known of it.
func (b *offering) declared(s *Session) {
	for i := range s.AgentClasses {
		b.data(s.AgentClasses[i].Entry, s.AgentClasses[i].Value.Text)
	}
	for i := range s.Deployments {
		b.data(s.Deployments[i].Entry, s.Deployments[i].Value.Text)
	}
	for i := range s.ToolSpecs {
		b.data(s.ToolSpecs[i].Entry, s.ToolSpecs[i].Value.Text)
	}
	for i := range s.Profiles {
		b.data(s.Profiles[i].Entry, s.Profiles[i].Value.Text)
	}
	for i := range s.Missions {
		b.data(s.Missions[i].Entry, s.Missions[i].Value.Text)
	}
}

// data offers an entry that is JSON as a resource at an address of the host's.
func (b *offering) data(e compose.Entry, body func() string) {
	text := ""
	if !b.bare {
		text = body()
	}
	b.offered(e, e.Spec.Name, "", "application/json", text)
}

// text offers an entry that is text as a resource at an address of the host's.
func (b *offering) text(e compose.Entry, scheme, rest, body string) {
	b.offered(e, scheme, rest, "text/markdown", body)
}

func (b *offering) offered(e compose.Entry, scheme, rest, mime, body string) {
	uri := scheme + "://" + string(e.Extension) + "/" + url.PathEscape(e.Name) + rest
	o := Offer{Name: uri, Entry: e, Text: body, MIMEType: mime}
	if !b.bare {
		o.Definition = object(text("uri", uri), text("name", e.Qualified), text("description", e.Description), text("mimeType", mime))
	}
	b.Resources = append(b.Resources, o)
}

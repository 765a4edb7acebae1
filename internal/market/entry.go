package market

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// entry reads one entry of a file.
func (d *reader) entry(f *File, node *ext.Doc, pluginRoot string) Entry {
	e := Entry{Strict: true, Origin: d.at(f.Path, node.Line)}
	if node.Kind != ext.Map {
		e.Findings.Add(Field.At(e.Origin, "an entry of \"plugins\" must be an object, found %s", node.Kind))
		return e
	}
	e.Findings.Add(unseen.InNode(e.Origin, node)...)
	node = withoutCredentials(node, e.Origin, &e.Findings)
	k := keys{doc: node, at: e.Origin, findings: &e.Findings}
	e.name(k)
	e.describe(k, f.Kind)
	e.others(k, f.Kind)
	e.Declares = components(node)
	s := sourcing{entry: &e, file: f, keys: k, pluginRoot: pluginRoot}
	if where, inPlace := s.read(); inPlace {
		d.place(&e, f, where)
	}
	return e
}

// name reads what the plugin is called.
func (e *Entry) name(k keys) {
	v := k.doc.Get("name")
	if v == nil || v.Kind != ext.String || v.Text == "" {
		e.Findings.Add(Field.At(k.line("name"), "an entry needs a \"name\" that is a string"))
		return
	}
	e.Name = v.Text
	name, err := ext.ParseName(e.Name)
	switch {
	case unsafe(e.Name) != "":
		e.Findings.Add(Unsafe.At(k.line("name"), "the name %s %s", quoted(e.Name), unsafe(e.Name)))
	case err != nil:
		e.Findings.Add(NameForm.At(k.line("name"), "%s", err))
	case slices.Contains(ext.Reserved, name):
		e.Findings.Add(NameReserved.At(k.line("name"), "the name %s is Mortise's own", quoted(e.Name)))
	}
}

// unsafe says what of a name must not become part of a path or of a command;
// "" when nothing.
func unsafe(name string) string {
	switch {
	case strings.HasPrefix(name, "-"):
		return "begins with a hyphen"
	case strings.ContainsAny(name, `/\`):
		return "holds a separator of paths"
	case strings.Contains(name, ".."), name == ".":
		return "holds a way out of its directory"
	case strings.ContainsFunc(name, ext.Hidden):
		return "holds characters that do not show"
	case len(name) > maxName:
		return fmt.Sprintf("has %d characters", len(name))
	}
	return ""
}

// maxName is the longest name that is believed to be one, in bytes: more than
// that fits no directory's name.
const maxName = 255

// describe reads what the entry says about its plugin.
func (e *Entry) describe(k keys, kind Kind) {
	e.Title = cmp.Or(k.text("displayName"), k.under("interface").text("displayName"))
	e.Version = k.text("version")
	e.Description = k.text("description")
	e.Author = k.owner("author").Name
	e.Homepage, e.Repository, e.License = k.text("homepage"), k.text("repository"), k.text("license")
	e.Category = k.text("category")
	e.Tags = distinct(append(k.texts("tags"), k.texts("keywords")...))
	e.Strict = k.flag("strict", true)
	if kind == Codex {
		e.policy(k.under("policy"))
	}
}

// entryKeys are the keys of an entry that are read, besides those of components.
var entryKeys = []string{
	"$schema", "name", "source", "displayName", "interface", "version", "description", "author", "homepage", "repository", "license",
	"category", "tags", "keywords", "strict",
}

// elsewhere are the keys of an entry that some client has a use for, and nothing
// here; policy is read in the files of the client that has it.
var elsewhere = []string{"dependencies", "defaultEnabled", "userConfig", "settings", "metadata", "relevance", "policy"}

// others tells of the keys that nothing here reads.
func (e *Entry) others(k keys, kind Kind) {
	k.strangers(slices.Concat(entryKeys, componentKeys, elsewhere), "an entry")
	for _, p := range k.doc.Map {
		if slices.Contains(elsewhere, p.Key) && (p.Key != "policy" || kind != Codex) {
			e.Findings.Add(Ignored.At(e.Origin.At(e.Origin.Path, p.Line), "key %q is left to the clients that know it; nothing here uses it", p.Key))
		}
	}
}

// policy reads what Codex is to do with the plugin.
func (e *Entry) policy(k keys) {
	e.Policy = Policy{Installation: k.text("installation"), Authentication: k.text("authentication"), Products: k.texts("products")}
	for _, w := range []struct {
		key, word string
		known     []string
	}{
		{"installation", e.Policy.Installation, []string{"AVAILABLE", "INSTALLED_BY_DEFAULT", "NOT_AVAILABLE"}},
		{"authentication", e.Policy.Authentication, []string{"ON_INSTALL", "ON_USE"}},
	} {
		if w.word != "" && !slices.Contains(w.known, w.word) {
			k.findings.Add(PolicyUnknown.At(k.line(w.key), "%s is %s, expected one of %s", w.key, quoted(w.word), strings.Join(w.known, ", ")))
		}
	}
}

func distinct(words []string) []string {
	var out []string
	for _, w := range words {
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

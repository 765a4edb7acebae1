package colony

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// Encode is the manifest as a file: every field, defaults too, and what was not understood;
// keys sorted, two blanks for each level, text as it is, a line end at the end. It panics
// where the Rest of a part is no JSON object, which is a programming mistake.
func (m *Manifest) Encode() []byte {
	d := m.doc()
	return encode(&d)
}

// encode writes a document in the form of a manifest.
func encode(d *ext.Doc) []byte {
	var out bytes.Buffer
	e := jsontext.NewEncoder(&out, jsontext.Multiline(true), jsontext.WithIndent("  "))
	if err := write(e, d); err != nil {
		panic(fmt.Sprintf("colony: write a document: %v", err)) // it was read, or is of our making
	}
	return out.Bytes()
}

func write(e *jsontext.Encoder, d *ext.Doc) error {
	switch d.Kind {
	case ext.Null:
		return e.WriteToken(jsontext.Null)
	case ext.Bool:
		return e.WriteToken(jsontext.Bool(d.Text == "true"))
	case ext.Number:
		return e.WriteValue(jsontext.Value(d.Text))
	case ext.String:
		return e.WriteToken(jsontext.String(d.Text))
	case ext.List:
		return writeList(e, d.List)
	}
	return writeMap(e, d.Map)
}

func writeList(e *jsontext.Encoder, items []ext.Doc) error {
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for i := range items {
		if err := write(e, &items[i]); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndArray)
}

func writeMap(e *jsontext.Encoder, pairs []ext.Pair) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	pairs = slices.Clone(pairs)
	slices.SortFunc(pairs, func(a, b ext.Pair) int { return cmp.Compare(a.Key, b.Key) })
	for i := range pairs {
		if err := e.WriteToken(jsontext.String(pairs[i].Key)); err != nil {
			return err
		}
		if err := write(e, &pairs[i].Value); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndObject)
}

// doc is the manifest as a document.
func (m *Manifest) doc() ext.Doc {
	d := ext.Doc{Kind: ext.Map, Map: []ext.Pair{
		{Key: "schema_version", Value: number(m.Version)},
		{Key: "tenant", Value: text(m.Tenant)}, {Key: "colony", Value: text(m.Colony)}, {Key: "program", Value: text(m.Program)},
		{Key: "target_system", Value: text(m.TargetSystem)}, {Key: "design_repo_url", Value: text(m.DesignRepoURL)},
		{Key: "topology", Value: text(string(m.Topology))}, {Key: "credentials_ref", Value: nullable(m.CredentialsRef)},
		{Key: "default_branch", Value: text(m.DefaultBranch)}, {Key: "agent_email_domain", Value: text(m.AgentEmailDomain)},
		{Key: "lfs", Value: m.LFS.doc()}, {Key: "webhook", Value: m.Webhook.doc()},
	}}
	imports, protected := ext.Doc{Kind: ext.List}, ext.Doc{Kind: ext.List}
	for _, i := range m.Imports {
		imports.List = append(imports.List, i.doc())
	}
	for _, p := range m.ProtectedBranches {
		protected.List = append(protected.List, text(p))
	}
	extensions := ext.Doc{}
	if m.Directories != nil {
		extensions = directories(m.Directories)
	}
	d.Map = append(d.Map, ext.Pair{Key: "imports_tooling_from", Value: imports},
		ext.Pair{Key: "protected_branches", Value: protected}, ext.Pair{Key: "extensions", Value: extensions})
	return d
}

// directories is a block of extensions.
func directories(of map[Surface]string) ext.Doc {
	d := ext.Doc{Kind: ext.Map}
	for _, s := range Surfaces {
		if dir, ok := of[s]; ok {
			d.Map = append(d.Map, ext.Pair{Key: string(s), Value: surfaceAt(dir)})
		}
	}
	return d
}

func surfaceAt(dir string) ext.Doc {
	return ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "directory", Value: text(dir)}}}
}

func (i Import) doc() ext.Doc {
	return withRest(i.Rest, ext.Pair{Key: "name", Value: text(i.Name)}, ext.Pair{Key: "url", Value: text(i.URL)},
		ext.Pair{Key: "ref", Value: text(i.Ref)}, ext.Pair{Key: "scope", Value: text(i.Scope)}, ext.Pair{Key: "writable", Value: flag(i.Writable)})
}

func (l LFS) doc() ext.Doc {
	return withRest(l.Rest, ext.Pair{Key: "mode", Value: text(string(l.Mode))},
		ext.Pair{Key: "separate_url", Value: nullable(l.SeparateURL)}, ext.Pair{Key: "credentials_ref", Value: nullable(l.CredentialsRef)})
}

func (w Webhook) doc() ext.Doc {
	return withRest(w.Rest, ext.Pair{Key: "enabled", Value: flag(w.Enabled)},
		ext.Pair{Key: "endpoint", Value: nullable(w.Endpoint)}, ext.Pair{Key: "secret_ref", Value: nullable(w.SecretRef)})
}

// withRest is an object of these keys, and of those that are not known here.
func withRest(rest string, pairs ...ext.Pair) ext.Doc {
	d := ext.Doc{Kind: ext.Map, Map: pairs}
	if rest == "" {
		return d
	}
	more, found := doc.JSON(ext.Origin{Path: Path}, []byte(rest))
	if found.Failed() || more.Kind != ext.Map {
		panic("colony: the rest of an object is no object")
	}
	d.Map = append(d.Map, more.Map...)
	return d
}

func text(s string) ext.Doc { return ext.Doc{Kind: ext.String, Text: s} }

func number(n int) ext.Doc { return ext.Doc{Kind: ext.Number, Text: strconv.Itoa(n)} }

func flag(b bool) ext.Doc { return ext.Doc{Kind: ext.Bool, Text: strconv.FormatBool(b)} }

func nullable(s *string) ext.Doc {
	if s == nil {
		return ext.Doc{}
	}
	return text(*s)
}

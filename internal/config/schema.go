package config

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mortise-dev/mortise/ext"
)

// namePattern is the rule of ext.ParseName, apart from the length.
const namePattern = `^[a-z0-9]+((-(\.-)*\.?|\.(-\.)*-?)[a-z0-9]+)*$`

// Schema is the JSON Schema (draft 2020-12) of a configuration file, indented.
// It is the same for every file: who may widen is not in it.
func Schema() ([]byte, error) {
	s, err := schema.schema()
	if err != nil {
		return nil, fmt.Errorf("make the schema of the configuration: %w", err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "Mortise configuration"
	s.Description = "mortise.toml, mortise.local.toml, config.toml and the managed file."
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("make the schema of the configuration: %w", err)
	}
	return append(data, '\n'), nil
}

func (n *node) schema() (*jsonschema.Schema, error) {
	s := &jsonschema.Schema{Description: n.doc}
	switch n.kind {
	case kindTable:
		return s, n.properties(s)
	case kindNamed:
		rows := &jsonschema.Schema{}
		s.Type = "object"
		s.PropertyNames = &jsonschema.Schema{Pattern: namePattern, MaxLength: new(ext.MaxName), Not: reservedNames()}
		s.AdditionalProperties = rows
		return s, n.properties(rows)
	case kindOpen:
		s.Type = "object"
		return s, nil
	case kindWords:
		text := &jsonschema.Schema{Type: "string"}
		s.AnyOf = []*jsonschema.Schema{text, {Type: "array", Items: text}}
		return s, nil
	case kindRows:
		s.Type, s.Items = "array", &jsonschema.Schema{}
		return s, n.properties(s.Items)
	}
	return s, n.value(s)
}

// properties says which keys a table has, and that it has no others.
func (n *node) properties(s *jsonschema.Schema) error {
	s.Type = "object"
	s.Properties = map[string]*jsonschema.Schema{}
	s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	for _, c := range n.children {
		p, err := c.schema()
		if err != nil {
			return err
		}
		s.Properties[c.name] = p
		s.PropertyOrder = append(s.PropertyOrder, c.name)
	}
	return nil
}

// value describes a key with one value.
func (n *node) value(s *jsonschema.Schema) (err error) {
	s.Type = map[kind]string{kindText: "string", kindBool: "boolean", kindInt: "integer"}[n.kind]
	if n.form != "" {
		s.Pattern = forms[n.form].pattern.String()
	}
	for _, e := range n.enum {
		s.Enum = append(s.Enum, e)
	}
	if n.min != nil {
		s.Minimum = new(float64(*n.min))
	}
	if n.def != "" {
		s.Default, err = json.Marshal(n.def)
	}
	return err
}

func reservedNames() *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, r := range ext.Reserved {
		s.Enum = append(s.Enum, string(r))
	}
	return s
}

package cli

import (
	"encoding/json"
)

// offered is what a server said of itself, as far as it is shown.
type offered struct {
	Protocol  string // revision
	Name      string // and version, of the program
	Version   string
	Tools     []offeredRow
	Prompts   []offeredRow
	Resources []offeredRow
	Templates []offeredRow // of resources
	Notes     []string     // what was odd
}

// offeredRow is one thing that a server offers.
type offeredRow struct {
	Name        string `json:"name"` // of a resource its address
	Description string `json:"description"`
}

// offeredOf reads what a server said of itself. It is foreign: what is not as it
// should be is left out.
func offeredOf(content string) (o offered) {
	doc := members(json.RawMessage(content))
	info := members(doc["serverInfo"])
	o.Protocol, o.Name, o.Version = textOf(doc["protocolVersion"]), textOf(info["name"]), textOf(info["version"])
	o.Tools, o.Prompts = rowsOf(doc["tools"], "name"), rowsOf(doc["prompts"], "name")
	o.Resources, o.Templates = rowsOf(doc["resources"], "uri"), rowsOf(doc["resourceTemplates"], "uriTemplate")
	for _, n := range elements(doc["notes"]) {
		o.Notes = append(o.Notes, textOf(n))
	}
	return o
}

// rowsOf are the entries of a list, named by one of their members.
func rowsOf(list json.RawMessage, named string) []offeredRow {
	rows := []offeredRow{}
	for _, raw := range elements(list) {
		m := members(raw)
		row := offeredRow{Name: textOf(m[named]), Description: textOf(m["description"])}
		if row.Description == "" {
			row.Description = textOf(m["title"])
		}
		if row.Name != "" {
			rows = append(rows, row)
		}
	}
	return rows
}

func members(raw json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m) // nil: it is no object
	return m
}

func elements(raw json.RawMessage) (all []json.RawMessage) {
	_ = json.Unmarshal(raw, &all) // nil: it is no list
	return all
}

func textOf(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s) // "": it is no text
	return s
}

package mcptest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// What the server offers besides tools.
const (
	// Prompt is the name of the only prompt. It takes name, which is required,
	// and tone.
	Prompt = "greet"
	// Resource is the address of the only resource, and ResourceText what it
	// holds.
	Resource     = "mcptest://readme"
	ResourceText = "This server is for tests.\n"
	// Template is the only template: mcptest://number/7 holds 7.
	Template = "mcptest://number/{n}"
)

const (
	promptDef = `{"name":"greet","title":"Greet","description":"Greets somebody.","arguments":[` +
		`{"name":"name","description":"Who is greeted.","required":true},{"name":"tone","description":"How."}]}`
	resourceDef = `{"uri":"mcptest://readme","name":"readme","title":"Read me","mimeType":"text/plain"}`
	templateDef = `{"uriTemplate":"mcptest://number/{n}","name":"number","mimeType":"text/plain"}`
)

func (s *server) listPrompts(json.RawMessage) (string, *fault) {
	return `{"prompts":[` + promptDef + `]}`, nil
}

func (s *server) getPrompt(params json.RawMessage) (string, *fault) {
	var p struct {
		Name      string            `json:"name"`
		Arguments map[string]string `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return "", &fault{invalidParams, err.Error()}
	}
	name, ok := p.Arguments["name"]
	switch {
	case p.Name != Prompt:
		return "", &fault{invalidParams, "there is no prompt " + p.Name}
	case !ok:
		return "", &fault{invalidParams, "the argument name is required"}
	}
	said := "Greet " + name + "."
	if tone := p.Arguments["tone"]; tone != "" {
		said = "Greet " + name + ", " + tone + "."
	}
	return fmt.Sprintf(`{"description":"Greets somebody.","messages":[{"role":"user","content":{"type":"text","text":%s}}]}`, encode(said)), nil
}

func (s *server) listResources(json.RawMessage) (string, *fault) {
	return `{"resources":[` + resourceDef + `]}`, nil
}

func (s *server) listTemplates(json.RawMessage) (string, *fault) {
	return `{"resourceTemplates":[` + templateDef + `]}`, nil
}

func (s *server) readResource(params json.RawMessage) (string, *fault) {
	var p struct {
		URI string `json:"uri"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return "", &fault{invalidParams, err.Error()}
	}
	holds := ResourceText
	if p.URI != Resource {
		n, ok := strings.CutPrefix(p.URI, "mcptest://number/")
		if !ok || n == "" {
			return "", &fault{resourceNotFound, "there is no resource " + p.URI}
		}
		holds = n
	}
	return fmt.Sprintf(`{"contents":[{"uri":%s,"mimeType":"text/plain","text":%s}]}`, encode(p.URI), encode(holds)), nil
}

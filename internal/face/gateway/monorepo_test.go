package gateway_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/face/gateway"
)

// TestMonorepoIsServed wants what a design monorepo declares to be read as resources, and
// none of it to be a tool or a prompt.
func TestMonorepoIsServed(t *testing.T) {
	b := served(t, map[string]string{
		"mortise.toml":                 "",
		".mortise/mcp.json":            `{"mcpServers": {"search": {"command": "search"}}}`,
		".colony/agents/a.py":          "from polymathera.colony.agents.base import Agent\nclass Solver(Agent): pass\n",
		".colony/deployments/d.py":     "from polymathera.colony.distributed.ray_utils import serving\n@serving.deployment(name=\"Svc\")\nclass Serve: pass\n",
		".colony/tool-registry.json":   `{"schema_version": 2, "tools": [{"name": "mesh/fine", "purpose": "cad", "location": "subdir:t", "capability": "mesh"}]}`,
		".colony/profiles/p.yaml":      "dense: on\nlimit: 1:30\n",
		".colony/missions/m.py":        "def mission_entry():\n    return {\"label\": \"L\", \"description\": \"D.\", \"coordinator_v1\": \"\", \"coordinator_v2\": \"\", \"self_concept\": {\"description\": \"S\"}}\n",
		".colony/plugins/s/SKILL.md":   "---\nname: s\ndescription: D.\nscript: run.sh\n---\nDo it.\n",
		".colony/plugins/t/skill.md":   "x",
		".colony/agents/unreadable.py": "class (\n",
	}, said)
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	var got []string
	for r, err := range s.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.URI, "://monorepo/") {
			got = append(got, r.URI+" "+r.MIMEType)
		}
	}
	want := []string{
		"agentclass://monorepo/Solver application/json", "deployment://monorepo/Serve application/json", "mission://monorepo/m application/json",
		"profile://monorepo/p application/json", "skill://monorepo/s/SKILL.md text/markdown", "toolspec://monorepo/mesh%2Ffine application/json",
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("resources: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for uri, want := range map[string]string{
		"agentclass://monorepo/Solver": `"class":"Solver"`, "deployment://monorepo/Serve": `"value":"Svc"`, "mission://monorepo/m": `"label":"L"`,
		"profile://monorepo/p": `{"dense":true,"limit":90}`, "toolspec://monorepo/mesh%2Ffine": `"purpose"`,
	} {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || !json.Valid([]byte(r.Contents[0].Text)) || !strings.Contains(r.Contents[0].Text, want) || r.Contents[0].MIMEType != "application/json" {
			t.Errorf("%s: got %+v, %v, want JSON with %s", uri, r, err, want)
		}
	}
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil || strings.HasPrefix(tool.Name, "monorepo") {
			t.Errorf("tools: got %v and error %v, want none of the monorepo's", tool, err)
		}
	}
	for prompt, err := range s.Prompts(t.Context(), nil) {
		if err != nil || strings.HasPrefix(prompt.Name, "monorepo") {
			t.Errorf("prompts: got %v and error %v, want none of the monorepo's", prompt, err)
		}
	}
}

package conform

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/surface/skill"
)

// Checks are what profiles find beyond what every extension is checked for.
// They are told by check --format alone.
var Checks = []*ext.Check{SkillKey, SkillNameMissing, PluginName, VersionMissing, ContextFile, ManifestValue, FrontMatter, HookKind, ServerType}

var (
	// SkillKey is a key that Agent Skills does not have.
	SkillKey = &ext.Check{
		Code: "agent-skills-key", Severity: ext.Error,
		Doc: "A skill's front matter has a key that Agent Skills does not know; the reference validator refuses the skill. (check --format agent-skills)",
		Fix: "Move the key under metadata, or remove it.",
	}
	// SkillNameMissing is a skill that does not say its name.
	SkillNameMissing = &ext.Check{
		Code: "agent-skills-name", Severity: ext.Error,
		Doc: "A skill's front matter has no name, which Agent Skills asks for. (check --format)",
		Fix: "Add the key name, with the name of the skill's directory.",
	}
	// PluginName is a name that the client does not take.
	PluginName = &ext.Check{
		Code: "client-plugin-name", Severity: ext.Error,
		Doc: "An extension has a name that its client does not take. (check --format)",
		Fix: "Rename the extension, as the message says.",
	}
	// VersionMissing is an extension without a version.
	VersionMissing = &ext.Check{
		Code: "client-version-missing", Severity: ext.Error,
		Doc: "An extension of Gemini CLI does not say its version, without which the client does not load it. (check --format gemini-cli)",
		Fix: "Add the key version to the manifest, as in \"1.0.0\".",
	}
	// ContextFile is a context file that the client does not take.
	ContextFile = &ext.Check{
		Code: "client-context-file", Severity: ext.Error,
		Doc: "A context file of a Gemini CLI extension is not there, or is named in a way that the client does not take. (check --format gemini-cli)",
		Fix: "Name a file below the extension's directory by its path from there, or remove the key.",
	}
	// ManifestValue is a value of a manifest that the client does not take.
	ManifestValue = &ext.Check{
		Code: "client-manifest", Severity: ext.Error,
		Doc: "A manifest has a value that its client does not take; the client then does not load the plugin. (check --format claude)",
		Fix: "Write a value as the message says, or remove the key.",
	}
	// FrontMatter is front matter that the client does not take.
	FrontMatter = &ext.Check{
		Code: "client-front-matter", Severity: ext.Error,
		Doc: "The front matter of a file has a value that its client does not take, or is none that the client can read. (check --format claude)",
		Fix: "Write a value as the message says; put text with a colon or a line end in quotes.",
	}
	// HookKind is a hook of a kind that the client does not know.
	HookKind = &ext.Check{
		Code: "client-hook-type", Severity: ext.Error,
		Doc: "A hook that may deny something is of a type that its client does not know; the client then does not load the plugin. (check --format claude)",
		Fix: "Give the hook one of the types command, prompt, agent, http and mcp_tool.",
	}
	// ServerType is a server without a type that needs one.
	ServerType = &ext.Check{
		Code: "client-server-type", Severity: ext.Error,
		Doc: "A server is given by its address and does not say its type; its client takes it for a command. (check --format claude)",
		Fix: "Add \"type\": \"http\" to the server, or \"sse\".",
	}
)

// skillKeys are all keys that Agent Skills knows.
var skillKeys = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

func agentSkill(c *admit.Contribution) ext.Findings {
	s, ok := c.Value.(skill.Skill)
	if !ok {
		return nil
	}
	fs := skillName(c)
	for _, p := range s.Front.Map {
		if !slices.Contains(skillKeys, p.Key) && !toldUnknown(c, p.Line) {
			fs.Add(SkillKey.At(c.Origin.At(c.Origin.Path, p.Line), "the key %s is not one of %s", ext.Quote(p.Key), strings.Join(skillKeys, ", ")))
		}
	}
	return fs
}

// toldUnknown reports whether a key was told to be unknown, so that it need not
// be told twice.
func toldUnknown(c *admit.Contribution, line int) bool {
	return slices.ContainsFunc(c.Findings, func(f ext.Finding) bool { return f.Check.Code == "field-unknown" && f.Origin.Line == line })
}

func skillName(c *admit.Contribution) ext.Findings {
	s, ok := c.Value.(skill.Skill)
	if !ok || s.Front.Kind != ext.Map || s.Front.Get("name") != nil {
		return nil
	}
	f := SkillNameMissing.At(c.Origin, "the skill %s does not say its name", ext.Quote(c.Name))
	return ext.Findings{f.Of("name").Wanting(skill.Wanted(c.Name))}
}

package conform

import (
	"github.com/mortise-dev/mortise/ext"
)

// Profiles are the formats that extensions may be judged as, in the order in
// which they are shown.
var Profiles = []Profile{
	{
		Name: "agent-plugins", Format: "agent-plugins",
		Doc: "Agent Plugins 1.0.0, as its specification has a client load and skip.",
		Rules: join(
			errors("it is then no Agent Skill, and skipped", []string{"skill"},
				"skill-name-differs", "skill-name-pattern", "field-length", "frontmatter-late", "frontmatter-fenced", "frontmatter-unended", "frontmatter-duplicate", "frontmatter-tabs", "frontmatter-requoted", "frontmatter-lines"),
			errors("the document would be no JSON to a strict reader", nil, "bom"),
		),
		entry: skillName,
	},
	{
		Name: "claude-code", Aliases: []string{"claude"}, Format: "claude-code",
		Doc: "Claude Code, as its own validation judges a plugin.",
		Rules: join(
			errors("Claude Code takes only paths that begin with ./", nil, "manifest-path"),
			errors("Claude Code then does not load the plugin", []string{"setting", "app", "language-server", "monitor"}, "field-unknown", "field-ignored"),
			errors("Claude Code then takes none of the front matter", []string{"skill", "agent", "command"}, "frontmatter-not-a-map", "frontmatter-unread"),
			warnings("Claude Code loads it without", []string{"skill", "agent"}, "frontmatter-missing"),
			[]Rule{{Code: "field-missing", Severity: ext.Warning, Surfaces: []string{"skill", "agent"}, Field: "description", Why: "Claude Code takes the first paragraph, or the file's name, instead"}},
			warnings("Claude Code takes the file for one without front matter", claudeFiles, "frontmatter-unclosed"),
			warnings("Claude Code asks those of a skill itself, and leaves out the others", claudeFiles, "entry-guard"),
			warnings("Claude Code loads it as it is", claudeFiles, "command-empty", "output-style-empty"),
			warnings("Claude Code asks only whether something is there", []string{"agent", "command", "output-style", "workflow"}, "location-kind"),
		),
		entry: claudeEntry, tree: claudeTree,
	},
	{
		Name: "codex", Format: "codex",
		Doc: "Codex, as far as its documentation and its source say what it refuses.",
		Rules: join(
			errors("Codex takes only paths that begin with ./", nil, "manifest-path"),
			errors("Codex mends values with a colon alone", []string{"skill"}, "frontmatter-late", "frontmatter-fenced", "frontmatter-unended", "frontmatter-duplicate", "frontmatter-tabs", "frontmatter-lines"),
			[]Rule{{Code: "field-length", Severity: ext.Error, Surfaces: []string{"skill"}, Field: "name", Why: "Codex takes names of at most 64 characters"}},
		),
	},
	{
		Name: "cursor", Format: "cursor",
		Doc:   "Cursor, by the published schema of its manifest, which has no further keys.",
		Rules: errors("the schema of Cursor's manifest has no such key", nil, "manifest-ignored"),
	},
	{
		Name: "copilot", Format: "copilot",
		Doc:   "GitHub Copilot and VS Code, by their documented limits.",
		Rules: errors("Copilot takes names of at most 64 characters and descriptions of at most 1,024", []string{"skill"}, "field-length"),
	},
	{
		Name: "gemini-cli", Aliases: []string{"gemini"}, Format: "gemini-cli",
		Doc: "Gemini CLI, as its own validation judges a manifest and the context files that it names; it looks at nothing else, and the rest is judged as here.",
		Rules: []Rule{
			// It reads the text of a context file whatever it begins with.
			{Code: "bom", Severity: ext.Error, But: []string{"rule"}, Why: "Gemini CLI does not skip it, and cannot read the file"},
			{Code: "manifest-ignored", Severity: ext.Error, Field: "contextFileName", Why: "Gemini CLI does not load the extension"},
		},
		tree: geminiManifest,
	},
	{
		Name: "agent-skills", Only: "skill",
		Doc: "Agent Skills, as the reference validator judges a skill.",
		Rules: errors("the reference validator refuses it", []string{"skill"},
			"bom", "frontmatter-late", "frontmatter-fenced", "frontmatter-unended", "frontmatter-duplicate", "frontmatter-tabs", "frontmatter-requoted", "frontmatter-lines",
			"field-length", "field-unknown", "skill-name-differs", "skill-name-pattern"),
		entry: agentSkill,
	},
	{
		Name: "loose", Format: "loose",
		Doc: "Loose files, which no client but this one reads as an extension.",
	},
}

// claudeFiles are the surfaces whose files Claude Code reads with front matter.
var claudeFiles = []string{"skill", "agent", "command", "output-style"}

// errors are rules that make an error of each check.
func errors(why string, surfaces []string, codes ...string) []Rule {
	return rules(ext.Error, why, surfaces, codes)
}

// warnings are rules that leave a warning of each check.
func warnings(why string, surfaces []string, codes ...string) []Rule {
	return rules(ext.Warning, why, surfaces, codes)
}

func rules(s ext.Severity, why string, surfaces, codes []string) []Rule {
	out := make([]Rule, len(codes))
	for i, code := range codes {
		out[i] = Rule{Code: code, Severity: s, Surfaces: surfaces, Why: why}
	}
	return out
}

func join(lists ...[]Rule) (all []Rule) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

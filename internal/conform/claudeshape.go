package conform

import (
	"path"

	"github.com/mortise-dev/mortise/ext"
)

// Shapes that occur again and again.
var (
	aText   = shape{text: anyText}
	aWord   = shape{text: someText} // not empty
	aFlag   = shape{plain: []ext.Kind{ext.Bool}}
	aNumber = shape{plain: []ext.Kind{ext.Number}}
	aMap    = shape{object: &object{}}
	texts   = shape{list: &aText}

	aPath    = like(`^\./`, "a path that begins with ./")
	markdown = like(`^\./.*\.md$`, "a path that begins with ./ and ends with .md")
	bundle   = like(`^\./.*\.(json|mcpb|dxt)$|^https?://.*\.(mcpb|dxt)$`, "a path that begins with ./ and ends with .json, or a bundle")
	jsonFile = like(`^\./.*\.json$`, "a path that begins with ./ and ends with .json")
)

// one is a text or a list of such texts.
func one(w word) shape { return shape{text: w, list: &shape{text: w}} }

// optional is an object that need not have any of the keys; others are not looked at.
func optional(keys map[string]shape) shape { return shape{object: &object{keys: keys}} }

// claudeShape is how Claude Code takes a manifest whose skills were laid out at
// places. Its keys are of the right kinds, or that was told.
func claudeShape(places []ext.Place) shape {
	return optional(map[string]shape{
		"$schema":      aText,
		"homepage":     {text: address},
		"keywords":     texts,
		"author":       {object: &object{needed: []string{"name"}, keys: map[string]shape{"name": aWord, "email": aText, "url": aText}}},
		"skills":       one(aDirectory(places)),
		"agents":       one(markdown),
		"commands":     {text: aPath, list: &shape{text: aPath}, object: &object{each: &claudeCommand}},
		"workflows":    one(aPath),
		"outputStyles": one(aPath),
		"hooks":        {text: jsonFile, list: &shape{text: jsonFile, object: claudeHooks}, object: claudeHooks},
		"mcpServers":   {text: bundle, list: &shape{text: bundle, object: claudeServerMap}, object: claudeServerMap},
		"lspServers":   {text: jsonFile, list: &shape{text: jsonFile, object: claudeLanguageServers}, object: claudeLanguageServers},
		"userConfig":   {object: &object{name: like(`^[A-Za-z_]\w*$`, "by letters, digits and _"), each: &claudeSetting}},
		"channels":     {list: &claudeChannel},
		"dependencies": {list: &claudeDependency},
		"experimental": {either: true, object: &object{keys: claudeExperimental}},
		"themes":       claudeExperimental["themes"],
		"monitors":     claudeExperimental["monitors"],
		"settings":     aMap,
	})
}

// aDirectory takes a path that leads to no file: what it leads to was laid out.
func aDirectory(places []ext.Place) word {
	files := map[string]bool{}
	for i := range places {
		files[places[i].File] = files[places[i].File] || places[i].Surface == "skill"
	}
	return func(s string) string {
		switch {
		case files[path.Clean(s)]:
			return "a directory with SKILL.md in it"
		case s == ".":
			return ""
		}
		return aPath(s)
	}
}

var claudeCommand = shape{object: &object{
	keys: map[string]shape{"source": {text: aPath}, "content": aText, "description": aText, "argumentHint": aText, "model": aText, "allowedTools": texts},
	whole: func(d *ext.Doc) string {
		if (d.Word("source") == "") == (d.Word("content") == "") {
			return `must have either "source" or "content"`
		}
		return ""
	},
}}

var claudeSetting = shape{object: &object{
	needed: []string{"type", "title", "description"},
	keys: map[string]shape{
		"type": {text: oneOf("string", "number", "boolean", "directory", "file")}, "title": aText, "description": aText,
		"default":  {text: anyText, list: &aText, plain: []ext.Kind{ext.Number, ext.Bool}},
		"required": aFlag, "sensitive": aFlag, "multiple": aFlag, "min": aNumber, "max": aNumber,
	},
}}

var claudeChannel = shape{object: &object{
	needed: []string{"server"},
	keys:   map[string]shape{"server": aWord, "userConfig": {object: &object{each: &claudeSetting}}},
}}

var claudeDependency = shape{
	text: like(`^`+identifier+`(@`+identifier+`)?(@\^[^@]*)?$`, "a plugin, or a plugin and its marketplace, as in acme@market"),
	object: &object{needed: []string{"name"}, keys: map[string]shape{
		"name":        {text: like(`^`+identifier+`$`, "the name of a plugin")},
		"marketplace": {text: like(`^`+identifier+`$`, "the name of a marketplace")},
	}},
}

const identifier = `[A-Za-z0-9][A-Za-z0-9._-]*`

var claudeExperimental = map[string]shape{
	"themes": one(aPath),
	"monitors": {text: jsonFile, list: &shape{object: &object{
		needed: []string{"name", "command", "description"},
		keys: map[string]shape{
			"name": aWord, "command": aWord, "description": aWord,
			"when": {text: like(`^(always|on-skill-invoke:.+)$`, "always, or on-skill-invoke: with the name of a skill")},
		},
	}}},
}

// claudeGuards are the events whose hooks Claude Code refuses where they are
// malformed: what was meant as a guard would be gone.
var claudeGuards = []string{"PreToolUse", "PermissionRequest"}

// claudeHandlers are the types of hooks, and which texts each must have.
var claudeHandlers = map[string][]string{
	"command": {"command"}, "prompt": {"prompt"}, "agent": {"prompt"}, "http": {"url"}, "mcp_tool": {"server", "tool"},
}

var claudeHooks = &object{keys: map[string]shape{"PreToolUse": claudeGroups, "PermissionRequest": claudeGroups}}

var claudeGroups = shape{list: &shape{object: &object{
	needed: []string{"hooks"},
	keys:   map[string]shape{"matcher": aText, "hooks": {list: &claudeHook}},
}}}

var claudeHook = shape{object: &object{
	needed: []string{"type"},
	keys: map[string]shape{
		"type": aText, "timeout": aNumber, "async": aFlag, "once": aFlag, "if": aText, "shell": {text: oneOf("bash", "powershell")}, "args": texts,
		"statusMessage": aText, "model": aText, "url": {text: address}, "headers": {object: &object{each: &aText}}, "allowedEnvVars": texts, "input": aMap,
	},
	whole: claudeHandler,
}}

// claudeHandler says what is wrong with a hook, as far as its type tells.
func claudeHandler(d *ext.Doc) string {
	kind := d.Word("type")
	needed, known := claudeHandlers[kind]
	switch {
	case kind == "": // that is told
		return ""
	case !known:
		return "has a type that Claude Code does not know: " + ext.Quote(kind)
	}
	for _, key := range needed {
		if v := d.Get(key); v == nil || v.Kind != ext.String {
			return "must have the key " + key + ", as a text"
		}
	}
	return ""
}

var claudeServerMap = &object{each: &shape{either: true, object: &object{keys: map[string]shape{
	"command": aText, "timeout": aNumber, "alwaysLoad": aFlag, "oauth": aMap,
}}}}

var claudeLanguageServers = &object{each: &shape{object: &object{
	needed: []string{"extensionToLanguage"},
	keys: map[string]shape{
		"command": {text: like(`^(/.*|\S+)$`, "a command without blanks: its arguments stand in args")},
		"extensionToLanguage": {object: &object{name: like(`^\.`, "by a file's ending, as in .go"), each: &aWord, whole: func(d *ext.Doc) string {
			if len(d.Map) == 0 {
				return "must name the ending of a file"
			}
			return ""
		}}},
		"args": {list: &aWord}, "env": {object: &object{each: &aText}}, "transport": {text: oneOf("stdio", "socket")}, "workspaceFolder": aText,
		"startupTimeout": aNumber, "shutdownTimeout": aNumber, "maxRestarts": aNumber, "restartOnCrash": aFlag, "diagnostics": aFlag,
	},
}}}

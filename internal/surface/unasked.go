package surface

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Checks on hooks that the front matter of an entry declares.
var (
	EntryHooks = &ext.Check{
		Code: "entry-hooks", Severity: ext.Warning,
		Doc: "The front matter of a skill, a command or an agent declares hooks. They are not asked here: hooks are read from the hook files of an extension.",
		Fix: "Move the hooks to hooks/hooks.json of the extension, or remove the key hooks.",
	}
	EntryGuard = &ext.Check{
		Code: "entry-guard", Severity: ext.Error,
		Doc: "The front matter of a skill, a command or an agent declares a hook that may deny something. It would not be asked here, so that the entry would be used without its guard: the entry is refused.",
		Fix: "Move the hook to hooks/hooks.json of the extension, where it is a guard, or remove the key hooks.",
	}
)

// watching are the events, as clients spell them, of which a hook is only told:
// whatever it answers, nothing is kept from happening (package clientevent says
// so of hook files). A hook of any other event may be one that denies.
var watching = []string{
	"SessionStart", "Setup", "SessionEnd", "PermissionDenied", "PostToolUse", "PostToolUseFailure", "Notification", "MessageDisplay",
	"SubagentStart", "StopFailure", "InstructionsLoaded", "CwdChanged", "DirectoryAdded", "FileChanged",
	"WorktreeRemove", "PostCompact",
	"sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure", "errorOccurred", "notification", // GitHub Copilot
}

// ReadHooks tells of the hooks that the field hooks of an entry's front matter
// declares. No door asks them, so one that may deny is an error: an entry must
// not reach an agent without its guard (law 6).
func ReadHooks[T any](v Values, e *Entry[T]) {
	hooks := v.Doc("hooks")
	if hooks == nil || hooks.Kind != ext.Map && declaresNothing(hooks) {
		return
	}
	if hooks.Kind != ext.Map {
		e.ReportField("hooks", EntryGuard, hooks.Line, "its hooks are %s, which is not read here; what they guard would go unguarded", hooks.Kind)
		return
	}
	var events, guards []string
	line := 0
	for i := range hooks.Map {
		p := &hooks.Map[i]
		events = append(events, p.Key)
		if declaresNothing(&p.Value) || slices.Contains(watching, p.Key) {
			continue
		}
		if guards = append(guards, p.Key); line == 0 {
			line = p.Line
		}
	}
	switch {
	case len(guards) > 0:
		e.ReportField("hooks", EntryGuard, line, "its hooks for %s would not be asked here; what they guard would go unguarded", listed(guards))
	case len(events) > 0:
		e.ReportField("hooks", EntryHooks, hooks.Line, "its hooks for %s are not asked here", listed(events))
	}
}

// listed is names of a document made fit for a message.
func listed(names []string) string { return ext.Quote(ext.Shorten(strings.Join(names, ", "), 80)) }

// declaresNothing reports whether a value is empty.
func declaresNothing(d *ext.Doc) bool { return len(d.Map)+len(d.List) == 0 && d.Text == "" }

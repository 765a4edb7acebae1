package mortise

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// LegacyPlugin is a plugin object of an older interface: what an adopter's own
// plugins are given a few methods to be. It is known by its identity: pass a
// pointer. It may be a [LegacyPrompter] and a [LegacyValidator] as well.
//
// Tools is asked once for each object, when the host first sees it. So is Name, and
// then only whether it still answers the same: an object that was renamed in place
// is not the plugin that was admitted. It has no lifecycle hooks: who owns it begins
// and ends it.
type LegacyPlugin interface {
	// Name is what the plugin's extension is called; see [Contribution].
	Name() string
	// Tools are the plugin's tools.
	Tools() []LegacyTool
}

// LegacyTool is a tool of a plugin, which reads its arguments itself.
type LegacyTool struct {
	About
	Input json.RawMessage // JSON Schema of its arguments, of type object; nil: any object
	Call  func(ctx context.Context, arguments json.RawMessage) (any, error)
}

// LegacyPrompter is a plugin with a hook that is asked for text on every turn.
type LegacyPrompter interface {
	// Prompt is text for one turn; "" is none. It is fenced and bounded as a
	// Fragment is.
	Prompt(ctx context.Context, state LegacyState) (string, error)
}

// LegacyValidator is a plugin that may veto calls of tools, its own and all others.
type LegacyValidator interface {
	// ValidateAction vetoes a call by an error. So does its panic, and so does an
	// answer that does not come in time.
	ValidateAction(ctx context.Context, action Action) error
}

// The keys of a LegacyState.
const (
	StateQuery  = "QUERY"      // the prompt of the turn
	StateTenant = "TENANT_ID"  // the first segment of the scope
	StateScope  = "SCOPE_PATH" // the scope
)

// LegacyState is what a prompt hook is told of a turn. It cannot be changed.
type LegacyState struct{ values map[string]string }

// Get is the value of a key; "" for one that is not there.
func (s LegacyState) Get(key string) string { return s.values[key] }

// Keys are all keys, sorted.
func (s LegacyState) Keys() []string { return slices.Sorted(maps.Keys(s.values)) }

// Map is a copy, for hooks that want a map.
func (s LegacyState) Map() map[string]string { return maps.Clone(s.values) }

func stateOf(r Request) LegacyState {
	tenant, _, _ := strings.Cut(r.Scope, "/")
	return LegacyState{map[string]string{StateQuery: r.Prompt, StateTenant: tenant, StateScope: r.Scope}}
}

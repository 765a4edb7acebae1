// Package dialect knows what other clients say to the hooks of their plugins,
// and how they read the answers. It runs nothing and asks nobody: text comes in,
// values go out, and back.
//
// Four directions meet here. Read is what a client tells a hook. Texts is what a
// hook of one client is told about an event, also when it happened in another
// client or in our own gateway. Heard is what a hook's exit code and output come
// to. In is how we answer a client that asked us.
//
// Whatever could be understood in two ways is an error, which denies where a
// guard is asked. An "allow" counts as no opinion, and we never say it. The
// tables of docs/hooks.md are written from what stands here.
package dialect

import "encoding/json"

// The clients, by the names of their formats.
const (
	ClaudeCode  = "claude-code"
	Codex       = "codex"
	Cursor      = "cursor"
	Copilot     = "copilot"
	Gemini      = "gemini-cli"
	Antigravity = "antigravity"
	Mortise     = "mortise" // our own gateway: it has events, and no dialect
)

// Clients are those that have a dialect, in the order of the documentation.
func Clients() []string { return []string{ClaudeCode, Codex, Cursor, Copilot, Gemini, Antigravity} }

// Moment is what events of several clients have in common.
type Moment uint8

const (
	// Other is an event that no other client has, or that is not known.
	Other Moment = iota
	// BeforeTool is before a tool is called.
	BeforeTool
	// AfterTool is after a tool was called with success, or in any way where the client does not tell them apart.
	AfterTool
	// AfterToolFailure is after a call of a tool that failed.
	AfterToolFailure
	// Permission is before a person, or what stands for one, is asked about a call.
	Permission
	// Prompt is before what the person wrote reaches the model.
	Prompt
	// SessionStart is the begin of a session.
	SessionStart
	// SessionEnd is its end.
	SessionEnd
	// Stop is before the agent stops; to deny it is to have it go on.
	Stop
	// SubagentStop is Stop for an agent that another one started.
	SubagentStop
)

var moments = [...]string{
	"other", "before a tool", "after a tool", "after a tool failed", "permission", "prompt",
	"session start", "session end", "stop", "subagent stop",
}

// String says it in words, for people.
func (m Moment) String() string { return moments[m] }

// tooled reports whether an event of that moment is about a call of a tool.
func (m Moment) tooled() bool {
	return m == BeforeTool || m == AfterTool || m == AfterToolFailure || m == Permission
}

// Event is one thing that happened in a client, or in our gateway.
type Event struct {
	Client  string
	Name    string // as the client spells it; "" where it has none
	Moment  Moment
	Session string
	Dir     string // the current directory; "" where it is not told

	Tool   string          // as the client names it, "Bash" or "mcp__search__find"
	Served Served          // which tool of which server that is; zero for the client's own, and where its name does not tell
	Use    string          // the id of the call
	Input  json.RawMessage // the arguments, an object; of a moment about a tool alone
	Output json.RawMessage // what the call came to, after it
	Prompt string          // what the person wrote
	Raw    json.RawMessage // all that was told, as it came; nil for events of our gateway
}

// Served names a tool of a server of MCP.
type Served struct {
	Extension string // whose server it is; "" where that is not told
	Server    string // "" where the client does not tell
	Tool      string
}

// Is reports whether there is such a tool.
func (s Served) Is() bool { return s.Tool != "" }

package mortise

import (
	"context"
	"encoding/json"
	"time"
)

// Provider offers one extension. [CheckProvider] holds one to this contract in a
// test.
type Provider interface {
	// Contribute returns what the extension offers. It takes nothing, has no effect
	// (it opens no file or connection and starts no process), and returns the same
	// whenever it is asked.
	Contribute() Contribution
}

// Contribution is all that one extension offers. It is a [Provider] of itself, for
// what is known beforehand.
type Contribution struct {
	// Extension is the extension's name: 1 to 64 of a-z, 0-9, '-' and '.', as
	// [github.com/mortise-dev/mortise/ext.ParseName] has it.
	Extension string
	// Version stands for the code of its functions, which no digest can see. Another
	// one has the install hooks run again where nothing else changed; it may be "".
	Version   string
	Tools     []Tool
	Fragments []Fragment
	Policies  []Policy
	Guards    []Guard
	Servers   []Server
	// Hooks answer what a worktree should be like; [Composed.Plan] asks them.
	Hooks []Hook
	// Notifications are messages that [Host.Notify] sends.
	Notifications []Notification
	// Lifecycle hooks are run by [Open] and [Host.Close], in their order here. A server
	// needs none: what connects to it ends it.
	Lifecycle []LifecycleHook
}

// Contribute returns c.
func (c Contribution) Contribute() Contribution { return c }

// Fragment is text that every session begins with. Whose layer it stands in
// follows from whose extension it is; it chooses its place only within that.
type Fragment struct {
	Name        string // of 1 to 64 letters, digits, '_' and '-', as all names within an extension
	Description string // what it is for; never part of the text
	Tier        Tier   // "" is TierGuidance
	Order       int    // its place within its tier, lowest first
	Text        string // at most 20,000 characters
}

// Tier is the kind of a fragment within its layer.
type Tier string

// The tiers, in the order in which an agent reads them.
const (
	TierRule      Tier = "rule"
	TierGuidance  Tier = "guidance"
	TierReference Tier = "reference"
)

// Policy is a rule over calls of tools. It means what a file of the surface
// "policy" with these values means.
type Policy struct {
	Name        string
	Description string
	Outcome     Verdict  // Deny or Ask
	Message     string   // what the agent and the person are told
	When        string   // an expression in CEL; "" applies always
	Tools       []string // tools it is about, by the name agents call or the qualified one, "*" standing for any text; none: all
	Servers     []string // likewise
	Extensions  []string // likewise
	// On is the action it is about; "" is "tool_call". A policy for an action that
	// nobody asks about is refused: it would be a check that never runs.
	On string
}

// Guard is a function that is asked before a tool is called. One that returns an
// error, panics, answers oddly or does not answer in time denies the call.
type Guard struct {
	Name    string
	Tools   []string      // tools it is asked about, as in a Policy; none: all
	Timeout time.Duration // how long it may take; 0: ten seconds
	// Judge says what it has against a call. It may be asked by several goroutines
	// at once. An answer that comes after ctx ended counts as none that came.
	Judge func(ctx context.Context, action Action) (Opinion, error)
}

// Action is a call of a tool that is about to be made.
type Action struct {
	Tool      string          // as the agent calls it
	Extension string          // whose tool it is
	Server    string          // the server that has it, by its name in the extension; "" for a tool of code
	Arguments json.RawMessage // a JSON object; a copy
	Session   string          // the id of the session
}

// Opinion is what a guard has against a call. The zero Opinion is nothing. There
// is no consent: what nobody objects to is done.
type Opinion struct {
	Verdict Verdict
	Reason  string // what the agent and the person are told
}

// Verdict is a word for what somebody has against a call.
type Verdict string

const (
	// Deny refuses the call.
	Deny Verdict = "deny"
	// Ask leaves the call to the person; where nobody can be asked it is denied.
	Ask Verdict = "ask"
)

// LifecycleHook is something to be run when an extension comes or goes. It failed
// when it returns an error, panics, or does not return in time.
type LifecycleHook struct {
	Name    string // no other hook of the extension has it in the same phase
	Phase   Phase
	Timeout time.Duration // how long it may take; 0: the host's Patience
	// Run does it. When its time is over ctx ends and nobody waits for it any more,
	// whatever it does then.
	Run func(ctx context.Context) error
}

// Phase is when a lifecycle hook is run.
type Phase string

const (
	// Install is when a host is opened that is the first to have the extension as it
	// is contributed. What it sets up is there for every later host as well, so that
	// what each needs of its own, such as a connection, is not its business. It is run
	// again where it is not known to have succeeded: to do so twice must be harmless.
	Install Phase = "install"
	// Teardown is when a host that was opened is closed: it ends what the extension has
	// running, and leaves what was installed to the next host. It is run as well when a
	// host is not opened after all and install hooks of the extension were begun, so
	// that it must cope with what is half there.
	Teardown Phase = "teardown"
)

// Package mortise is the Go API of the extension host: for a program that
// compiles its extensions in, and for one that has plugin objects of an older
// interface of its own.
//
// # Providers
//
// A [Provider] contributes an extension: tools, prompt fragments, policies, guards, hooks
// and lifecycle hooks. [Compose] takes each contribution through the door that every
// extension of Mortise comes through: it is laid out as files in memory, scanned,
// judged and merged. A contribution is taken whole or refused whole, with an
// [AdmissionError] that names the cause and, where a name is taken, its owner.
// Nothing that is composed widens what an extension may do: it can object to a
// call, and cannot allow one.
//
// # Servers
//
// A [Server] is an MCP server as a provider: its declaration, which is composed like
// everything else. [Host.Connect] starts the servers of a composition and takes what
// they say of themselves, their tools and their instructions, through the same door;
// what of it is at fault costs nothing but itself. [Host.Close] ends them. A program
// with servers that are processes begins with [Main].
//
// # Lifecycle
//
// A [LifecycleHook] is run when its extension comes or goes. [Open] makes a [Host] and
// runs the install hooks of what was not installed before, once for each extension as
// it is contributed; [RememberInstalls] keeps that beyond the process. One that fails
// refuses its extension, and what was installed is torn down. [Host.Close] runs every
// teardown hook, whatever another came to. Where there are no such hooks [New] makes a
// host.
//
// # Sessions
//
// A [Host] opens a [Session] for each agent. A session's tools
// and static text are sealed when it is opened. [Session.Call] asks everything
// that may object to a call before the tool is called: a denial prevails over a
// question, and a question over no opinion. What fails, panics or takes too long
// denies. A call that may not be made ends with a [Denied].
//
// # Plans
//
// A [Hook] answers what a worktree should be like: its axes, variables, daemons, checks.
// [Composed.Plan] resolves a worktree in a mode, and merges what all hooks answer for it;
// nothing of that changes anything.
//
// # Notifications
//
// A [Notification] is a message to people with places for values. [Host.Notify] finds
// one by its id, of the providers and of the workspaces that [InWorkspace] names, fills
// its places and hands it to the [Notifier] of the program.
//
// # Plugins of an older interface
//
// A [LegacyPlugin] is read as a provider: [Host.LoadPlugin] admits it, or refuses
// it and leaves it in quarantine, where it contributes nothing and may still deny,
// until [Host.Forget]. No plugin is ever used in part.
package mortise

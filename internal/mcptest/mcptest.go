// Package mcptest is an MCP server for the tests of other packages: a real
// process, or a real address, that behaves well or ill as a test asks. It is
// written without an SDK, because an SDK does not let a server misbehave.
//
// A test binary is its own server: TestMain calls [Main], and [Command] tells
// how to start the binary once more as a server. Where a file is needed that
// runs without any environment, [Build] makes one of mcptestserver.
//
// The server speaks 2025-11-25 and older revisions, and answers
// server/discover as a server that never heard of it.
package mcptest

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// A Mode is one thing that the server does otherwise than a good server. Modes
// can be combined as far as they do not contradict each other.
type Mode string

// The modes.
const (
	// Normal is a good server: [Tools], [Prompt], [Resource], [Template] and
	// [Instructions].
	Normal Mode = "normal"
	// Banner writes to stdout what is no message: a banner, an empty line and
	// log lines with brackets before the first answer, which begins with a
	// byte-order mark, and bare JSON before each later one.
	Banner Mode = "banner"
	// Exits ends at once with code 3 and [LastWords] on stderr.
	Exits Mode = "exits"
	// Once ends with code 0 after the first tool call that it answered.
	Once Mode = "once"
	// Hangs reads everything and never answers initialize.
	Hangs Mode = "hangs"
	// IgnoresEOF outlives the end of its stdin, which it answers with [Staying]
	// on stderr, and SIGTERM.
	IgnoresEOF Mode = "ignores-eof"
	// Workers starts three processes that outlive the server, before it
	// answers anything: see [ReadPIDs].
	Workers Mode = "workers"
	// Slow answers initialize after the time that [DelayVar] names.
	Slow Mode = "slow"
	// Gated answers initialize when the file that [GateVar] names is there.
	Gated Mode = "gated"
	// Pages lists 250 tools, tool_000 to tool_249, in pages of 100.
	Pages Mode = "pages"
	// Cursor answers every tools/list with the same page and the same cursor.
	Cursor Mode = "cursor"
	// Unknown lists [OddTool] besides the others, and calling it answers
	// [OddAnswer].
	Unknown Mode = "unknown"
	// Changes has a tool grow: each call adds a tool grown_N and sends
	// notifications/tools/list_changed before it answers.
	Changes Mode = "changes"
	// LongNames has two tools alone, [LongCreate] and [LongDelete], which
	// answer with their own names.
	LongNames Mode = "longnames"
	// Poison has two tools alone, [HiddenName] and the harmless good.
	Poison Mode = "poison"
	// Listed has the tools alone, and says the instructions, that the file named by
	// ListVar holds at the time: a JSON object with the members "instructions" and
	// "tools". Each tool answers with its own name.
	Listed Mode = "listed"
)

// The environment that the server looks at.
const (
	// ModesVar holds the modes, separated by commas. Where it is not set,
	// [Main] returns.
	ModesVar = "MCPTEST"
	// DelayVar is a duration as Go writes it, for [Slow].
	DelayVar = "MCPTEST_DELAY"
	// GateVar names the file that [Gated] waits for.
	GateVar = "MCPTEST_GATE"
	// ListVar names the file of [Listed].
	ListVar = "MCPTEST_LIST"
	// PIDsVar names the file that [Workers] writes.
	PIDsVar = "MCPTEST_PIDS"
)

// Lines on stderr.
const (
	// LastWords is what a server in the mode [Exits] says before it ends.
	LastWords = "mcptest: no license found"
	// Staying is what one in the mode [IgnoresEOF] says when its stdin ended.
	Staying = "mcptest: stdin ended, and this server stays"
)

func modes() []Mode {
	return []Mode{
		Normal, Banner, Exits, Once, Hangs, IgnoresEOF, Workers, Slow, Gated,
		Pages, Cursor, Unknown, Changes, LongNames, Poison, Listed,
	}
}

// Main is for TestMain, before anything else. It returns where [ModesVar] is
// not set. Otherwise this process is a server, and Main does not return.
func Main() {
	if names := os.Getenv(ModesVar); names != "" {
		os.Exit(Run(strings.Split(names, ",")))
	}
}

// Run serves on stdin and stdout in the modes of these names until stdin ends,
// and returns the exit code: 2 for a name that is no mode.
func Run(names []string) int {
	if len(names) == 1 && slices.Contains([]string{workerRole, forkerRole}, names[0]) {
		return runWorker(names[0])
	}
	set, err := parse(names)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcptest:", err)
		return 2
	}
	return serveStdio(set)
}

func parse(names []string) ([]Mode, error) {
	var set []Mode
	for _, name := range names {
		mode := Mode(name)
		if !slices.Contains(modes(), mode) {
			return nil, fmt.Errorf("there is no mode %q: want one of %q", name, modes())
		}
		set = append(set, mode)
	}
	return set, nil
}

// Command returns what to start for a server in these modes, [Normal] when
// there are none: this very binary, whose TestMain must call [Main], and what
// has to be in its environment besides what else is there. It takes no
// arguments.
func Command(modes ...Mode) (path string, env []string) {
	path, err := os.Executable()
	if err != nil {
		panic(fmt.Sprintf("mcptest: where is this test binary: %v", err))
	}
	return path, []string{ModesVar + "=" + join(modes)}
}

func join(modes []Mode) string {
	if len(modes) == 0 {
		return string(Normal)
	}
	names := make([]string, len(modes))
	for i, m := range modes {
		names[i] = string(m)
	}
	return strings.Join(names, ",")
}

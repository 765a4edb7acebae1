package dialect

import (
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
)

// servedNames are the names of a tool of a server. The servers of a plugin have
// other names in some clients than those of a person's own.
func (e *Event) servedNames(client string) (names []string, sure bool) {
	s := e.Served
	if e.Client == client {
		return []string{e.Tool}, true
	}
	if !s.Is() {
		return []string{e.Tool}, false
	}
	if s.Server == "" {
		if client == Cursor {
			return []string{"MCP:" + s.Tool}, true
		}
		return []string{e.Tool}, false
	}
	for _, server := range s.servers() {
		switch client {
		case ClaudeCode, Codex:
			names = append(names, "mcp__"+plain(server)+"__"+plain(s.Tool))
		case Gemini:
			names = append(names, "mcp_"+server+"_"+s.Tool, "mcp__"+server+"__"+s.Tool)
		case Copilot:
			names = append(names, server+"-"+s.Tool, "mcp_"+server+"_"+s.Tool, "mcp__"+plain(server)+"__"+plain(s.Tool))
		case Cursor:
			names = append(names, "MCP:"+s.Tool, "MCP:"+server+"/"+s.Tool, "MCP:"+server+":"+s.Tool)
		default:
			return []string{s.Tool}, false
		}
	}
	return unique(names), client != Copilot
}

// servers are the names that a server may go by: as one of a plugin's first,
// where it is one.
func (s Served) servers() []string {
	if s.Extension == "" {
		return []string{s.Server}
	}
	return []string{"plugin_" + s.Extension + "_" + s.Server, s.Server}
}

var odd = pattern.New(`[^A-Za-z0-9_-]`)

// plain is a name as Claude Code makes it part of a tool's.
func plain(name string) string { return odd.ReplaceAllString(name, "_") }

// servedName reports whether a client names a tool as it names those of servers.
func servedName(client, tool string) bool {
	switch client {
	case ClaudeCode, Codex:
		return strings.HasPrefix(tool, "mcp__")
	case Gemini:
		return strings.HasPrefix(tool, "mcp_")
	case Cursor:
		return strings.HasPrefix(tool, "MCP:")
	case Copilot:
		return strings.HasPrefix(tool, "mcp_") || strings.HasPrefix(tool, "mcp__")
	}
	return false
}

// servedBy is the server and the tool, where the client's name or what it says
// besides tells.
func (e *Event) servedBy(o *object) Served {
	if e.Client == Gemini {
		if s := contextOf(o); s.Is() {
			return s
		}
	}
	switch e.Client {
	case ClaudeCode, Codex:
		if rest, ok := strings.CutPrefix(e.Tool, "mcp__"); ok {
			server, tool, _ := strings.Cut(rest, "__")
			return Served{Server: server, Tool: tool}
		}
	case Gemini:
		for _, sep := range []string{"__", "_"} {
			if rest, ok := strings.CutPrefix(e.Tool, "mcp"+sep); ok {
				server, tool, _ := strings.Cut(rest, sep)
				return Served{Server: server, Tool: tool}
			}
		}
	case Cursor:
		if rest, ok := strings.CutPrefix(e.Tool, "MCP:"); ok {
			if i := strings.IndexAny(rest, "/:"); i >= 0 {
				return Served{Server: rest[:i], Tool: rest[i+1:]}
			}
			return Served{Tool: rest}
		}
	}
	return Served{}
}

// Ours is the tool of a server that a client calls, where the client knows that
// server by the given name and says so beyond doubt. Cursor does not tell which
// server a tool is of; of Gemini's names it cannot be told where the server's ends,
// so that what it says besides must tell; Copilot's name is clear where it can be
// taken apart in one way alone. Claude Code and Codex are taken at their word: the
// server is what stands before the first "__".
func (e *Event) Ours(server string) (tool string, ok bool) {
	switch e.Client {
	case ClaudeCode, Codex:
		tool, ok = strings.CutPrefix(e.Tool, "mcp__"+server+"__")
		ok = ok && !strings.Contains(server, "__")
	case Gemini:
		if o, err := parse(e.Raw); err == nil {
			s := contextOf(o)
			tool, ok = s.Tool, s.Server == server
		}
	case Copilot:
		tool, ok = strings.CutPrefix(e.Tool, server+"-")
		ok = ok && !pascal(e.Name) && !strings.Contains(server+tool, "-")
	}
	if !ok || tool == "" || server == "" {
		return "", false
	}
	return tool, true
}

// contextOf is what Gemini says besides of the server that a tool is of.
func contextOf(o *object) Served {
	in := o.object("mcp_context")
	if in == nil {
		return Served{}
	}
	s := Served{Server: in.text("server_name"), Tool: in.text("tool_name")}
	if in.fault != nil {
		return Served{}
	}
	return s
}

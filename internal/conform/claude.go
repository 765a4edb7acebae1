package conform

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/surface"
)

// claudeTree is what Claude Code's validation refuses of a plugin's name, its
// manifest and its servers, and is taken here.
func claudeTree(t ext.Tree) ext.Findings {
	fs := append(claudeName(t), claudeServers(t)...)
	if t.Manifest != nil && t.Manifest.Kind == ext.Map {
		s := claudeShape(t.Places)
		fs.Add(s.findings(ManifestValue, t.Origin, t.Manifest)...)
	}
	return fs
}

// claudeServers tells of servers with an address that do not say their type,
// wherever they are declared.
func claudeServers(t ext.Tree) ext.Findings {
	var fs ext.Findings
	for _, p := range t.Places {
		if p.Surface != "server" {
			continue
		}
		servers := p.Doc.Get("mcpServers")
		if servers == nil {
			continue
		}
		for i := range servers.Map {
			s := &servers.Map[i]
			if s.Value.Get("url") != nil && s.Value.Get("type") == nil {
				fs.Add(ServerType.At(t.Origin.At(p.File, s.Line), "the server %s has an address and no \"type\", so Claude Code takes it for a command", ext.Quote(s.Key)))
			}
		}
	}
	return fs
}

// claudeGuard tells of a guard of a kind that Claude Code does not know. It only
// warns of other hooks.
func claudeGuard(c *admit.Contribution) ext.Findings {
	im, ok := c.Value.(surface.Implementation)
	event := im.Option(clientevent.Event)
	if !ok || !slices.Contains(claudeGuards, event) || claudeHandlers[im.Ref.Name] != nil {
		return nil
	}
	return ext.Findings{HookKind.At(c.Origin, "a hook of %s is of the type %s, which Claude Code does not know", event, ext.Quote(im.Ref.Name))}
}

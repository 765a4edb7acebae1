package surface

import "github.com/mortise-dev/mortise/ext"

// Dialects of a document that is not written in the canonical way. A bridge
// names the dialect; the surface knows what follows from it.
const (
	// DialectLoose is the canonical form without identifiers of a schema, for an
	// owner's own files; what can be told from the rest may be left out.
	DialectLoose = "loose"
	// DialectClaude is canonical keys with values as Claude Code writes them.
	DialectClaude = "claude"
	// DialectMCP is a definition as a server sent it. Whatever it holds is kept
	// and handed on; Document.Path is the name of the entry.
	DialectMCP = "mcp"
	// DialectTOML is a document that another client keeps whole in TOML, with
	// keys and placeholders of its own.
	DialectTOML = "toml"
)

// Variables that a declaration may hold for the directories of its plugin.
const (
	RootVariable = "${PLUGIN_ROOT}"
	DataVariable = "${PLUGIN_DATA}"
)

// Served is the digest of an entry that a server described: every byte of its
// definition, and what reaches it.
func Served(d Document) ext.Digest {
	return ext.NewHash("served").Text(d.Path, d.Ref.Driver, d.Ref.Target).Bytes(d.Doc.Raw).Sum()
}

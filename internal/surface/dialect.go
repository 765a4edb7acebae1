package surface

// Dialects of a document that is not written in the canonical way. A bridge
// names the dialect; the surface knows what follows from it.
const (
	// DialectLoose is the canonical form without identifiers of a schema, for an
	// owner's own files; what can be told from the rest may be left out.
	DialectLoose = "loose"
	// DialectClaude is canonical keys with values as Claude Code writes them.
	DialectClaude = "claude"
)

// Variables that a declaration may hold for the directories of its plugin.
const (
	RootVariable = "${PLUGIN_ROOT}"
	DataVariable = "${PLUGIN_DATA}"
)

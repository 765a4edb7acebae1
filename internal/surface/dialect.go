package surface

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

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
	// DialectColony is a skill of a design monorepo, whose front matter says how its
	// script is run.
	DialectColony = "colony"
	// DialectInline is a document that another client keeps as one value among
	// its settings. What would be its body is the text of the key InlineText.
	DialectInline = "inline"
)

// InlineText is the key of the body of a document in DialectInline.
const InlineText = "prompt"

// Unfolded is a document whose body lies where that of a file would: d itself,
// unless it is in DialectInline.
func (d Document) Unfolded() Document {
	text := d.Doc.Get(InlineText)
	if d.Dialect != DialectInline || text == nil || text.Kind != ext.String {
		return d
	}
	d.Body, d.BodyLine = text.Text, max(text.Line, 1)
	rest := d.Doc
	rest.Raw, rest.Map = nil, slices.DeleteFunc(slices.Clone(d.Doc.Map), func(p ext.Pair) bool { return p.Key == InlineText })
	d.Doc = rest
	return d
}

// Ignored is the key under which a document that a bridge wrote keeps, by the
// names of its entries, the keys of each that have no meaning here.
const Ignored = "ignored"

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

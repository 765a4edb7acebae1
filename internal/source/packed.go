package source

import (
	"path"

	"github.com/mortise-dev/mortise/ext"
)

// Packed is an MCP bundle as it is handed round: an archive.
var Packed = &ext.Check{
	Code: "bundle-packed", Severity: ext.Warning,
	Doc: "A packed MCP bundle. Archives are never opened, so nothing of it is used.",
	Fix: "Unpack it into a directory of its own and name that.",
}

// IsPacked reports whether a file is called as packed MCP bundles are.
func IsPacked(name string) bool {
	ending := path.Ext(name)
	return ending == ".mcpb" || ending == ".dxt"
}

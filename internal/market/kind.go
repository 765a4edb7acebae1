package market

import (
	"slices"
	"strings"
)

// Kind is the client whose marketplace file one is.
type Kind string

// The kinds. Cursor's is the simplest, and Copilot's is that of VS Code too.
const (
	Claude  Kind = "claude-code"
	Codex   Kind = "codex"
	Cursor  Kind = "cursor"
	Copilot Kind = "copilot"
)

// FilePlace is where a marketplace file may lie, and of which kind it is there.
type FilePlace struct {
	Path string
	Kind Kind
}

// Places are where marketplace files are looked for, in the order in which they
// are read: of a plugin that several declare, the first counts.
var Places = []FilePlace{
	{".claude-plugin/marketplace.json", Claude},
	{".agents/plugins/marketplace.json", Codex},
	{".agents/plugins/api_marketplace.json", Codex},
	{".cursor-plugin/marketplace.json", Cursor},
	{".github/plugin/marketplace.json", Copilot},
	{".plugin/marketplace.json", Copilot},
}

// understood are the kinds of sources that a client takes; a client that is not
// here takes more than is known.
var understood = map[Kind][]SourceKind{
	Claude: {Relative, GitHub, URL, GitSubdir, NPM, Archive, Command},
	Codex:  {Relative, Local, URL, GitSubdir, NPM},
	Cursor: {Relative},
}

// client is what a kind's client is called.
func (k Kind) client() string {
	return map[Kind]string{Claude: "Claude Code", Codex: "Codex", Cursor: "Cursor", Copilot: "Copilot"}[k]
}

// understands reports whether a kind's client takes sources of a kind.
func (k Kind) understands(s SourceKind) bool {
	known, told := understood[k]
	return !told || slices.Contains(known, s)
}

// others says which clients take sources of a kind.
func others(s SourceKind) string {
	var names []string
	for _, k := range []Kind{Claude, Codex} {
		if k.understands(s) {
			names = append(names, k.client())
		}
	}
	if len(names) == 1 {
		return names[0] + " does"
	}
	return strings.Join(names, " and ") + " do"
}

// prefixed reports whether paths are to begin with ./ in files of a kind. In
// the others plain names are what everybody writes.
func (k Kind) prefixed() bool { return k == Claude || k == Codex }

// manifestWins reports whether a plugin's manifest has the last word over its
// entry in files of a kind. In the others the entry has it.
func (k Kind) manifestWins() bool { return k == Codex || k == Cursor }

// strict reports whether a kind's client knows the key strict.
func (k Kind) strict() bool { return k == Claude || k == Copilot }

package surface

import "fmt"

// Merge is the rule for entries of one surface that share a name. The rules
// are a closed set of words, so that an owner can read them in a table.
type Merge uint8

const (
	// Unique keeps the first in precedence; the rest are shadowed and listed.
	Unique Merge = iota + 1
	// Namespaced keeps every entry under its qualified name; a short name
	// resolves when it is unambiguous and lists its candidates when not.
	Namespaced
	// Append keeps all, in load order.
	Append
	// Overlay merges key by key; a second owner of a key is a reported
	// conflict, which precedence decides.
	Overlay
	// Exclusive refuses every owner of a name that has more than one.
	Exclusive
)

var mergeWords = [...]string{"", "unique", "namespaced", "append", "overlay", "exclusive"}

var mergeDocs = [...]string{
	"",
	"the first in precedence wins the name; the rest are shadowed and listed",
	"every entry keeps its qualified name; a short name resolves while it is unambiguous",
	"all are kept, in load order",
	"merged key by key; a second owner of a key is a reported conflict that precedence decides",
	"a second owner of a name refuses both owners",
}

// String is the word for m.
func (m Merge) String() string {
	if int(m) < len(mergeWords) {
		return mergeWords[m]
	}
	return fmt.Sprintf("merge(%d)", uint8(m))
}

// Doc says in one line what m does.
func (m Merge) Doc() string {
	if int(m) < len(mergeDocs) {
		return mergeDocs[m]
	}
	return ""
}

package session

import (
	"encoding/base32"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// NameLimit is how long an exposed name is at most where nothing else is
// configured: clients put words of their own before it and refuse long names.
const NameLimit = 50

// Exposed names are what clients call things by. They are of letters, digits,
// '_' and '-', and depend on nothing but whose the thing is and what it is
// called: which other servers there are never matters.
//
//	EXTENSION_TOOL           a tool of code
//	EXTENSION_SERVER__TOOL   a tool of a server
//	SERVER__TOOL             where the extension is called like the server
//	…--HASH                  where that would be too long or could mean another
//
// An extension's name holds no '_', so that the first one ends it; a server's
// holds no "__", so that the next one ends that: no two things have one name
// without a hash, and none of those names ends like one with it.
func exposed(x ext.Name, server, name string, limit int) string {
	plain := string(x) + "_" + name
	switch {
	case server == string(x):
		plain = server + "__" + name
	case server != "":
		plain = string(x) + "_" + server + "__" + name
	}
	if len(plain) <= limit && clear(x, server, name) && !hashed(plain) {
		return plain
	}
	sum := ext.NewHash("exposed name").Text(string(x), server, name).Sum()
	hash := strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:hashLength])
	readable := tame(plain)
	readable = readable[:min(len(readable), max(limit-len(mark)-hashLength, 0))]
	return strings.TrimRight(readable, "-_") + mark + hash
}

const (
	mark       = "--"
	hashLength = 12
)

// clear reports whether a plain name of the parts can be taken apart again.
func clear(x ext.Name, server, name string) bool {
	switch {
	case !callable(string(x)) || strings.Contains(string(x), "_") || !callable(name):
		return false
	case server == "":
		return !strings.HasPrefix(name, "_") && !strings.Contains(name, "__")
	}
	return callable(server) && !strings.Contains(server, "__") && !strings.HasPrefix(server, "_") && !strings.HasSuffix(server, "_") && !strings.HasPrefix(name, "_")
}

// hashed reports whether a name ends as one with a hash does.
func hashed(name string) bool {
	at := len(name) - hashLength - len(mark)
	if at < 0 || name[at:at+len(mark)] != mark {
		return false
	}
	for _, c := range []byte(name[at+len(mark):]) {
		if (c < 'a' || c > 'z') && (c < '2' || c > '7') {
			return false
		}
	}
	return true
}

func callable(s string) bool {
	for i := range len(s) {
		if !plainByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// tame replaces what may not stand in a name.
func tame(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && plainByte(byte(r)) {
			return r
		}
		return '-'
	}, s)
}

package instance

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Token is the secret that clients of a workspace show at an address that other
// machines reach. It is the same for each start, until its file is removed. Only
// Secret tells it: no verb prints it, no log and no JSON holds it.
type Token struct {
	File   string // absolute; it holds the token and a line end
	secret string
}

const (
	tokenEnd   = ".token"
	tokenBytes = 32
	// mostToken is how long a token's file may be.
	mostToken = 1 << 10
)

// TokenFile is where in dir the token of a workspace lies, or would.
func TokenFile(dir, workspace string) string {
	return place{dir, hashed(workspace)}.path(tokenEnd)
}

// TokenOf is the token of a workspace, an absolute directory, kept in dir, which
// is made if it is missing and must be this person's alone. It is made when there
// is none; one process at a time may ask for that, which a claim of the kind HTTP
// sees to. A file that is there and that others can read, or that holds something
// else, is an error: a token that somebody may know is none, and who changed it
// should be told.
func TokenOf(dir, workspace string) (Token, error) {
	t := Token{File: TokenFile(dir, workspace)}
	if err := prepare(dir); err != nil {
		return Token{}, fmt.Errorf("keep the token of %s: %w", ext.Quote(workspace), err)
	}
	data, err := readOwn(t.File, mostToken)
	if errors.Is(err, fs.ErrNotExist) {
		t.secret = random(tokenBytes)
		if err := writeWhole(t.File, []byte(t.secret+"\n")); err != nil {
			return Token{}, fmt.Errorf("keep the token of %s: %w", ext.Quote(workspace), err)
		}
		return t, nil
	}
	if err == nil {
		if t.secret = strings.TrimSpace(string(data)); hexadecimal(t.secret, tokenBytes) {
			return t, nil
		}
		err = errors.New("it holds no token of ours")
	}
	return Token{}, fmt.Errorf("read the token in %s: %w; remove the file to have another one made", ext.Quote(t.File), err)
}

// Is reports whether that is the token, in a time that does not tell how much of
// it is. The zero Token is no text.
func (t Token) Is(given string) bool {
	return t.secret != "" && subtle.ConstantTimeCompare([]byte(given), []byte(t.secret)) == 1
}

// Secret is the token itself, for a person's own eyes.
func (t Token) Secret() string { return t.secret }

// String is where the token lies.
func (t Token) String() string { return "the token in " + ext.Quote(filepath.ToSlash(t.File)) }

// GoString is the same, so that no verb prints the token.
func (t Token) GoString() string { return "instance.Token{" + t.String() + "}" }

// LogValue is where the token lies.
func (t Token) LogValue() slog.Value { return slog.StringValue(t.String()) }

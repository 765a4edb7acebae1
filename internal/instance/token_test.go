package instance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/instance"
)

// A client that was told the token once must not have to be told again, and the
// token of one workspace must open no other.
func TestTokenStaysAndIsItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tokens")
	first, err := instance.TokenOf(dir, "/srv/a")
	if err != nil {
		t.Fatal(err)
	}
	again, err := instance.TokenOf(dir, "/srv/a/")
	if err != nil || again != first {
		t.Errorf("TokenOf at a later start: got another one or %v, want the same", err)
	}
	other, err := instance.TokenOf(dir, "/srv/b")
	if err != nil || other.Is(first.Secret()) || other.File == first.File {
		t.Errorf("TokenOf another workspace: got the same one or %v, want one of its own", err)
	}
	if got := instance.TokenFile(dir, "/srv/a"); got != first.File {
		t.Errorf("TokenFile: got %s, want %s", got, first.File)
	}
	info, err := os.Stat(first.File)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the file: got %v, want 0600", info.Mode().Perm())
	}
	if len(first.Secret()) != 64 {
		t.Errorf("token: got %d characters, want 64", len(first.Secret()))
	}
}

// Nothing but the whole token opens.
func TestTokenIs(t *testing.T) {
	token, err := instance.TokenOf(filepath.Join(t.TempDir(), "tokens"), "/srv/a")
	if runtime.GOOS != "windows" && err != nil {
		t.Fatal(err)
	}
	s := token.Secret()
	for given, want := range map[string]bool{s: true, "": false, s[1:]: false, s + "0": false, strings.ToUpper(s) + " ": false} {
		if got := token.Is(given); got != want {
			t.Errorf("Is(%d characters): got %v, want %v", len(given), got, want)
		}
	}
	if (instance.Token{}).Is("") {
		t.Error("the zero Token is the empty text: want it to be none")
	}
}

// No way of printing a token prints it: it would be in a log one day.
func TestTokenOfAWorkspaceIsNotPrinted(t *testing.T) {
	token, err := instance.TokenOf(filepath.Join(t.TempDir(), "tokens"), "/srv/a")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(token)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(token), fmt.Sprintf("%+v %#v %q", token, token, token), fmt.Sprint(&token), token.LogValue().String(), string(doc)} {
		if strings.Contains(text, token.Secret()) {
			t.Errorf("got %q, want it without the token", text)
		}
	}
}

// A token that others could read, or that somebody changed, is not used, and not
// replaced in silence either.
func TestTokenThatIsNotOurs(t *testing.T) {
	for name, spoil := range map[string]func(file string) error{
		"others can read it": func(file string) error { return os.Chmod(file, 0o644) },
		"it is empty":        func(file string) error { return os.WriteFile(file, nil, 0o600) },
		"it is a word":       func(file string) error { return os.WriteFile(file, []byte("letmein\n"), 0o600) },
		"it is a link": func(file string) error {
			if err := os.Rename(file, file+".real"); err != nil {
				return err
			}
			return os.Symlink(file+".real", file)
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && (name == "others can read it" || name == "it is a link") {
				t.Skip("modes and links are others there")
			}
			dir := t.TempDir()
			if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory that is entered
				t.Fatal(err)
			}
			token, err := instance.TokenOf(dir, "/srv/a")
			if err != nil {
				t.Fatal(err)
			}
			if err := spoil(token.File); err != nil {
				t.Fatal(err)
			}
			_, err = instance.TokenOf(dir, "/srv/a")
			if err == nil || !strings.Contains(err.Error(), "remove the file to have another one made") || !strings.Contains(err.Error(), token.File) {
				t.Errorf("got %v, want an error that names the file and what to do", err)
			}
			if err != nil && (strings.Contains(err.Error(), token.Secret()) || strings.Contains(err.Error(), "letmein")) {
				t.Errorf("the error tells what the file holds: %v", err)
			}
		})
	}
}

// The directory must be this person's alone: who can exchange the file there
// chooses the token.
func TestTokenInAnOpenDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are others there")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // the case
		t.Fatal(err)
	}
	if _, err := instance.TokenOf(dir, "/srv/a"); err == nil || !strings.Contains(err.Error(), "chmod 700") {
		t.Errorf("got %v, want it refused with what to do", err)
	}
}

package server

import (
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Consents is what a person consents to who lets the server run: the program
// with its arguments, each to be told apart, where it starts and what it finds in
// its environment; or the address and what is sent there. Values that are secret
// by their names, and literal headers, are not shown.
func (s Server) Consents() string {
	if s.Transport != Stdio {
		parts := []string{shownURL(s.URL)}
		for _, h := range s.Headers {
			parts = append(parts, "header "+h.Name+": "+references(h.Value))
		}
		return strings.Join(append(parts, s.expands()...), "; ")
	}
	words := []string{quoted(s.Command)}
	for _, a := range s.Args {
		words = append(words, quoted(a))
	}
	parts := []string{strings.Join(words, " ")}
	if s.Cwd != "" {
		parts = append(parts, "in "+quoted(s.Cwd))
	}
	for _, v := range s.Env {
		value := quoted(v.Value)
		if secret.MatchString(v.Name) {
			value = references(v.Value)
		}
		parts = append(parts, "with "+v.Name+"="+value)
	}
	return strings.Join(append(parts, s.expands()...), "; ")
}

// secret are the names of variables whose values are not shown.
var secret = pattern.New(`(?i)(^|_)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$`)

var placeholder = pattern.New(`\$\{[^}]*\}`)

// references are the variables of the host that a value takes in, without what
// stands around them.
func references(value string) string {
	if found := placeholder.FindAllString(value, -1); len(found) > 0 {
		return "…" + strings.Join(found, "…") + "…"
	}
	return "…"
}

// expands names the variables of the host's environment that the declaration
// takes in (Claude Code's placeholders).
func (s Server) expands() []string {
	if s.Dialect != surface.DialectClaude {
		return nil
	}
	texts := append([]string{s.Command, s.Cwd, s.URL}, s.Args...)
	for _, p := range append(append([]Pair{}, s.Env...), s.Headers...) {
		texts = append(texts, p.Value)
	}
	var names []string
	seen := map[string]bool{}
	for _, found := range placeholder.FindAllString(strings.Join(texts, "\n"), -1) {
		name, _, _ := strings.Cut(strings.Trim(found, "${}"), ":-")
		if found != surface.RootVariable && found != surface.DataVariable && !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{"takes in from your environment: " + strings.Join(names, ", ")}
}

// quoted is a word as a shell would take it for one.
func quoted(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("-_./:@%+=,${}", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if plain {
		return s
	}
	return strconv.Quote(s)
}

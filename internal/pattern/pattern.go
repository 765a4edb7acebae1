// Package pattern has regular expressions that are compiled when they are first used. A
// program that ends after a few milliseconds compiles those that it needs.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is one regular expression. Its methods are those of regexp.Regexp, and panic
// where the expression is none, which is a programming mistake.
type Pattern struct {
	expression string
	compiled   func() *regexp.Regexp
}

// New is a pattern that is not compiled yet.
func New(expression string) *Pattern {
	return &Pattern{expression, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// String is the expression.
func (p *Pattern) String() string { return p.expression }

// Match is that of regexp.Regexp.
func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

// MatchString is that of regexp.Regexp.
func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

// FindString is that of regexp.Regexp.
func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

// FindStringSubmatch is that of regexp.Regexp.
func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

// FindSubmatch is that of regexp.Regexp.
func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.compiled().FindSubmatch(b) }

// FindAllString is that of regexp.Regexp.
func (p *Pattern) FindAllString(s string, n int) []string { return p.compiled().FindAllString(s, n) }

// ReplaceAllString is that of regexp.Regexp.
func (p *Pattern) ReplaceAllString(src, repl string) string {
	return p.compiled().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (p *Pattern) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(src, repl)
}

// ReplaceAll is that of regexp.Regexp.
func (p *Pattern) ReplaceAll(src, repl []byte) []byte { return p.compiled().ReplaceAll(src, repl) }

// Split is that of regexp.Regexp.
func (p *Pattern) Split(s string, n int) []string { return p.compiled().Split(s, n) }

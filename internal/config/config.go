// Package config reads the configuration: files and variables in layers of
// different precedence, into one value that knows where each part came from.
//
// Nothing is read from the process: whatever is ambient, such as the
// environment, is an argument. Every fault is a finding, all of them are
// collected, and what is in order takes effect all the same.
package config

import (
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// Config is what the layers say together. Its fields are the effective values.
// It is made by Load and not changed afterwards.
type Config struct {
	Settings
	workspace Workspace
	values    map[string]Value
	broken    []Layer
	digest    ext.Digest
	mine      Settings // without what the workspace's files say
	files     Files

	unplaced   []Plugin // settings alone
	declared   []Plugin // of what is built in
	rows       []Row
	unanswered error
}

// Unplaced are the tables of plugins that hold settings and no path: they are about plugins
// that are installed, or about none.
func (c *Config) Unplaced() []Plugin { return slices.Clone(c.unplaced) }

// Declared are the tables of plugins that are built in and in use where they have one.
func (c *Config) Declared() []Plugin { return slices.Clone(c.declared) }

// Unanswered is what was asked of the system that it did not answer, so that
// this may not be the configuration: a file that could not be read for now, or
// whose workspace this is. Nil: it answered everything. It matches the error that
// the system gave.
func (c *Config) Unanswered() error { return c.unanswered }

// Files are the texts of the workspace's files that the configuration was read
// from.
func (c *Config) Files() Files { return c.files }

// Workspace is the workspace that the configuration is for.
func (c *Config) Workspace() Workspace { return c.workspace }

// OwnerDir is the absolute path of the owner's directory. It need not exist.
func (c *Config) OwnerDir() string { return resolve(c.workspace.Dir, c.Owner.Path) }

// MonorepoDir is the absolute path of the design monorepo, and whether somebody said
// where it is. It need not exist.
func (c *Config) MonorepoDir() (dir string, named bool) {
	return resolve(c.workspace.Dir, c.Monorepo.Path), c.Monorepo.Path != ""
}

// Personal is how extensions that do not come with the workspace are read and
// judged: what the built-in ones and the person's own plugins are is no matter
// of a workspace's files, which could otherwise have them refused.
func (c *Config) Personal() (Limits, Trust) { return c.mine.Limits, c.mine.Trust }

// Broken lists the layers that are not known whole, the highest first: their
// file cannot be read, is no TOML, or has an error in it, or a variable's value
// is not one. What such a layer meant to forbid may be
// lost; a caller that is about to serve anything should refuse until it is mended.
func (c *Config) Broken() []Layer { return slices.Clone(c.broken) }

// Digest is over the effective values as they are written, and nothing else:
// the same configuration has the same digest on every machine and at every
// place of the workspace.
func (c *Config) Digest() ext.Digest { return c.digest }

// resolve is the absolute path that p, as written in the configuration, has
// when it is read from dir.
func resolve(dir, p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(dir, p)
}

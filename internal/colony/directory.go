package colony

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// DirectoryError is a directory that cannot be that of a surface. Where it was opened and
// a link leads outside, or it is a file, whoever opened it makes the error.
type DirectoryError struct {
	Surface   Surface
	Directory string // as the manifest spells it
	Line      int    // of the manifest; 0 where it does not name it
	Reason    DirectoryReason
}

// DirectoryReason says what is wrong with a directory.
type DirectoryReason string

// The reasons.
const (
	NoDirectory DirectoryReason = "names the repository itself" // "" or "."
	Absolute    DirectoryReason = "is absolute"
	Upwards     DirectoryReason = "leads upwards"
	Unportable  DirectoryReason = "is not written with plain names and slashes"
	GitDir      DirectoryReason = "lies in git's own directory"
	LinkOut     DirectoryReason = "leads out of the repository through a link"
	NotADir     DirectoryReason = "is a file"
)

// Error says which directory it is, and what to write.
func (e *DirectoryError) Error() string {
	at := Path
	if e.Line > 0 {
		at += fmt.Sprintf(":%d", e.Line)
	}
	return fmt.Sprintf("%s: the directory %s of %s %s; %s", at, ext.Quote(ext.Shorten(e.Directory, 80)), e.Surface, e.Reason, e.Fix())
}

// Fix is what to do.
func (e *DirectoryError) Fix() string {
	if e.Reason == NotADir {
		return "name a directory, or move the file away"
	}
	return "name a directory within the repository, such as " + e.Surface.Default()
}

// Directory is where a surface lies below the working tree: clean, with slashes, without
// one at its end. A directory that cannot be that of a surface is a *DirectoryError. That
// is judged by its name: what opens it must see to links, and whether it is a directory.
func (m *Manifest) Directory(s Surface) (string, error) {
	dir, named := m.Directories[s]
	if !named {
		dir = s.Default()
	}
	if why := wrong(dir); why != "" {
		return "", ext.AsRefused(m.Misdirected(s, why))
	}
	return path.Clean(dir), nil
}

// Misdirected is the error of a surface whose directory is wrong for that reason.
func (m *Manifest) Misdirected(s Surface, why DirectoryReason) *DirectoryError {
	dir, named := m.Directories[s]
	if !named {
		dir = s.Default()
	}
	return &DirectoryError{Surface: s, Directory: dir, Line: m.lines[s], Reason: why}
}

// wrong is what is wrong with the name of a directory, the same on every system; "" for
// nothing.
func wrong(dir string) DirectoryReason {
	drive := len(dir) > 1 && dir[1] == ':'
	switch {
	case strings.HasPrefix(dir, "/"), strings.HasPrefix(dir, `\`), drive, strings.HasPrefix(dir, "~"):
		return Absolute
	case strings.ContainsAny(dir, "\\:\x00"), strings.ContainsFunc(dir, ext.Hidden):
		return Unportable
	}
	parts := strings.Split(dir, "/")
	switch {
	case slices.Contains(parts, ".."): // through a link it may be another place than its name says
		return Upwards
	case path.Clean(dir) == ".":
		return NoDirectory
	case InGit(dir):
		return GitDir
	}
	return ""
}

// InGit reports whether a path, with slashes, leads into git's own directory on some system:
// whatever its capitals, and with what Windows leaves out of names.
func InGit(dir string) bool {
	return slices.ContainsFunc(strings.Split(dir, "/"), func(p string) bool { return strings.EqualFold(strings.TrimRight(p, ". "), ".git") })
}

package root

import (
	"fmt"
	"io/fs"
	"time"
)

// Kind is what lies at a path, links not followed.
type Kind uint8

const (
	// either, where a kind is wanted, is a regular file or a directory.
	either Kind = iota
	// Missing is nothing at all.
	Missing
	// File is a regular file.
	File
	// Dir is a directory.
	Dir
	// Link is a symbolic link.
	Link
	// Other is anything else, also what could not be looked at.
	Other
)

var kindWords = [...]string{"file or directory", "missing", "file", "directory", "link", "other"}

// String is the word for k.
func (k Kind) String() string {
	if int(k) < len(kindWords) {
		return kindWords[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// fact is what a look at one thing told, links not followed.
type fact struct {
	mode         fs.FileMode
	dev, ino     uint64
	size         int64
	mtime, ctime int64 // ns
	coarse       bool  // dev, ino and ctime are not known
}

func (f *fact) kind() Kind {
	switch f.mode & fs.ModeType {
	case 0:
		return File
	case fs.ModeDir:
		return Dir
	case fs.ModeSymlink:
		return Link
	}
	return Other
}

// fits is nil when f is of the kind that was wanted.
func (f *fact) fits(want Kind) error {
	k := f.kind()
	if k == want || want == either && (k == File || k == Dir) {
		return nil
	}
	return &KindError{Type: f.mode & fs.ModeType, Want: want}
}

// info is a fact under a name.
type info struct {
	name string
	fact
}

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.size }
func (i *info) Mode() fs.FileMode  { return i.mode }
func (i *info) ModTime() time.Time { return time.Unix(0, i.mtime) }
func (i *info) IsDir() bool        { return i.mode.IsDir() }
func (i *info) Sys() any           { return nil }
func (i *info) String() string     { return fs.FormatFileInfo(i) }

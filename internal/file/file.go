// Package file reads, writes and locks the files that are Mortise's own: those of its
// caches and its state.
package file

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
)

// Open opens a regular file to be read. Anything else that is at the name, a link
// also, is an error: it might make the reader wait.
func Open(name string) (*os.File, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", ext.Quote(name))
	}
	return os.Open(name)
}

// ReadAtMost reads a whole regular file, as Open opens it. One with more bytes is an error.
func ReadAtMost(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", ext.Quote(name), most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Replace puts a file in the place of what is at the name: it is written beside that
// and renamed, so that what is there is whole, and is the one or the other. Its
// directory must exist; only the person may read it. When Replace fails nothing is
// changed.
func Replace(name string, data []byte) error {
	return replace(name, data, func(*os.File) error { return nil })
}

// ReplaceSynced is Replace, and the bytes are on the disk before they have the name.
func ReplaceSynced(name string, data []byte) error { return replace(name, data, (*os.File).Sync) }

func replace(name string, data []byte, sync func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = sync(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

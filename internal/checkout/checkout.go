// Package checkout keeps the content of plugins: one directory for each commit of each,
// made beside and renamed whole, and never changed afterwards. What is there under its
// name is whole, whenever whoever made it was killed; two that make the same at once
// both get it. Beside each lies a record of what its content was and who made it: what
// has none is not ours, and what is not as its record says was edited; neither is
// ever removed.
package checkout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Store is a directory of checkouts, NAME/COMMIT below it, or NAME/COMMIT-submodules. It may be used by several
// goroutines and processes at once.
type Store struct {
	// Dir is absolute. It is made when there is something to keep; only the person may
	// look into it.
	Dir string
	// Digest is the digest of all that counts in a directory.
	Digest func(ctx context.Context, dir string) (ext.Digest, error)
	// Fresh is Digest of a directory that was just written, of which more may be known; nil
	// is Digest.
	Fresh func(ctx context.Context, dir string) (ext.Digest, error)
	// Now tells the time; nil is time.Now.
	Now func() time.Time
}

// Key names a checkout. Commit is the whole hash of a commit, or the SHA-256 of an
// archive in hexadecimal. With its submodules a commit is another checkout than without.
type Key struct {
	Name       ext.Name
	Commit     string
	Submodules bool
}

// modulesEnd is what the directory of a commit with its submodules ends in.
const modulesEnd = "-submodules"

// base is the name of the directory of a checkout.
func (k Key) base() string {
	if k.Submodules {
		return k.Commit + modulesEnd
	}
	return k.Commit
}

// keyAt is the key of the checkout whose directory has a name.
func keyAt(name, base string) Key {
	commit, modules := strings.CutSuffix(base, modulesEnd)
	return Key{ext.Name(name), commit, modules}
}

// String is NAME at the first digits of the commit, for people.
func (k Key) String() string {
	with := map[bool]string{true: " with its submodules"}[k.Submodules]
	return string(k.Name) + " at " + k.Commit[:min(12, len(k.Commit))] + with
}

// Checkout is one that is there.
type Checkout struct {
	Key
	Dir    string     // absolute
	Digest ext.Digest // of its content when it was made
	Made   time.Time
	New    bool // this call of Make made it
}

// EditedError is a checkout that is not as it was made.
type EditedError struct {
	Key
	Dir      string
	Want, Is ext.Digest
}

// Error says which, and what to do.
func (e *EditedError) Error() string {
	return fmt.Sprintf("the checkout of %s was edited: %s has %s, and was made with %s; move it away to have it made again",
		e.Key, ext.Quote(e.Dir), e.Is.Short(), e.Want.Short())
}

// record is what lies beside a checkout.
type record struct {
	Digest ext.Digest `json:"digest"`
	Made   time.Time  `json:"made"`
	Asked  time.Time  `json:"asked"` // when Make was last called for it
	By     process    `json:"by"`    // and by whom
}

func (r record) same(as record) bool {
	return r.Digest == as.Digest && r.By == as.By && r.Made.Equal(as.Made) && r.Asked.Equal(as.Asked)
}

const (
	recordEnd  = ".json"
	mostRecord = 4 << 10
	lockName   = ".lock"
)

var commitRE = pattern.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// check says what keeps a key from naming a checkout.
func (k Key) check() error {
	if _, err := ext.ParseName(string(k.Name)); err != nil {
		return err
	}
	if !commitRE.MatchString(k.Commit) {
		return fmt.Errorf("%s is no whole hash", ext.Quote(ext.Shorten(k.Commit, 80)))
	}
	return nil
}

// Path is where the checkout of a key is, or would be.
func (s Store) Path(k Key) string { return filepath.Join(s.Dir, string(k.Name), k.base()) }

func (s Store) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

// DigestFresh is the digest of a directory that was just written.
func (s Store) DigestFresh(ctx context.Context, dir string) (ext.Digest, error) {
	if s.Fresh == nil {
		return s.Digest(ctx, dir)
	}
	return s.Fresh(ctx, dir)
}

// Open is the checkout of a key. Where none is, the error is fs.ErrNotExist. It does not
// look whether it was edited: Verify does.
func (s Store) Open(k Key) (Checkout, error) {
	if err := k.check(); err != nil {
		return Checkout{}, err
	}
	r, err := s.read(k)
	if err != nil {
		return Checkout{}, err
	}
	return Checkout{Key: k, Dir: s.Path(k), Digest: r.Digest, Made: r.Made}, nil
}

// read is the record of a checkout that is there.
func (s Store) read(k Key) (record, error) {
	dir := filepath.Dir(s.Path(k))
	for _, d := range []string{dir, s.Path(k)} {
		switch info, err := os.Lstat(d); {
		case err != nil:
			return record{}, err
		case !info.IsDir():
			return record{}, fmt.Errorf("%s is %s, and a directory of ours should be there; move it away", ext.Quote(d), kindOf(info))
		}
	}
	r, err := readRecord(s.Path(k) + recordEnd)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, fmt.Errorf("%s was not made by Mortise: there is no record of it; move it away", ext.Quote(s.Path(k)))
	}
	return r, err
}

func kindOf(info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return "a link"
	case info.Mode().IsRegular():
		return "a file"
	case info.IsDir():
		return "a directory"
	}
	return "neither file nor directory"
}

func readRecord(name string) (record, error) {
	var r record
	f, err := file.Open(name)
	if err != nil {
		return r, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostRecord))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Digest == (ext.Digest{}) {
		return r, fmt.Errorf("the record %s cannot be read; move it and the directory beside it away", ext.Quote(name))
	}
	return r, nil
}

func (s Store) writeRecord(k Key, r record) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return file.Replace(s.Path(k)+recordEnd, data)
}

// Verify looks whether a checkout is as it was made; with want other than zero, whether
// it is that. The error is an *EditedError when it is not.
func (s Store) Verify(ctx context.Context, k Key, want ext.Digest) error {
	c, err := s.Open(k)
	if err != nil {
		return err
	}
	if want == (ext.Digest{}) {
		want = c.Digest
	}
	is, err := s.Digest(ctx, c.Dir)
	if err != nil {
		return fmt.Errorf("look at the checkout of %s: %w", k, err)
	}
	if is != want {
		return &EditedError{Key: k, Dir: c.Dir, Want: want, Is: is}
	}
	return nil
}

// List is all checkouts that are there, in the order of names and commits.
func (s Store) List() ([]Checkout, error) {
	var all []Checkout
	names, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, n := range names {
		commits, err := os.ReadDir(filepath.Join(s.Dir, n.Name()))
		if err != nil || !n.IsDir() {
			continue
		}
		for _, c := range commits {
			k := keyAt(n.Name(), c.Name())
			if found, err := s.Open(k); err == nil && !strings.HasSuffix(c.Name(), recordEnd) {
				all = append(all, found)
			}
		}
	}
	return all, err
}

// process is who works here: a process, and where its number counts.
type process struct {
	Pid     int    `json:"pid"`
	Started uint64 `json:"started"`
	Space   uint64 `json:"space"` // of process numbers; 0 where there is one alone
}

func self() process {
	id := child.Self()
	return process{id.Pid, id.Started, numberSpace()}
}

// gone reports whether that process is no more. Of one of another number space, such as
// a container's, nothing is known.
func (p process) gone() bool {
	return p.Space == numberSpace() && !child.Alive(child.Identity{Pid: p.Pid, Started: p.Started})
}

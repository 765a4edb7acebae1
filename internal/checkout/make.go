package checkout

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Make is the checkout of a key: the one that is there, after a look whether it was
// edited (an *EditedError), or a new one. To make it, fill is called with a directory
// that is not there and must then be; beside that it may lay what it needs meanwhile.
// When fill or Make fails, or the process is killed at whatever moment, nothing is at
// the key's place. The checkout is not swept for an hour while this process runs: long
// enough to write down that it is used.
func (s Store) Make(ctx context.Context, k Key, fill func(ctx context.Context, dir string) error) (Checkout, error) {
	if err := k.check(); err != nil {
		return Checkout{}, err
	}
	c, err := s.make(ctx, k, fill)
	if edited := (*EditedError)(nil); err != nil && !errors.As(err, &edited) {
		err = fmt.Errorf("make the checkout of %s: %w", k, err)
	}
	return c, err
}

func (s Store) make(ctx context.Context, k Key, fill func(ctx context.Context, dir string) error) (Checkout, error) {
	c, err := s.want(ctx, k)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	stage, err := s.stage(k.Name)
	if err != nil {
		return Checkout{}, err
	}
	defer os.RemoveAll(stage)
	tree := filepath.Join(stage, "tree")
	if err := fill(ctx, tree); err != nil {
		return Checkout{}, err
	}
	if info, err := os.Lstat(tree); err != nil || !info.IsDir() {
		return Checkout{}, errors.Join(err, errors.New("nothing was made"))
	}
	digest, err := s.DigestFresh(ctx, tree)
	if err != nil {
		return Checkout{}, err
	}
	c, err = s.settle(ctx, k, tree, digest)
	if err == nil && !c.New {
		return s.want(ctx, k)
	}
	return c, err
}

// want is the checkout that is there, which is then wanted by this process.
func (s Store) want(ctx context.Context, k Key) (Checkout, error) {
	if _, err := s.Open(k); err != nil { // most often there is nothing to lock
		return Checkout{}, err
	}
	var c Checkout
	err := s.locked(ctx, func() (err error) {
		if c, err = s.Open(k); err == nil {
			err = s.writeRecord(k, record{Digest: c.Digest, Made: c.Made, Asked: s.now().UTC(), By: self()})
		}
		return err
	})
	if err == nil {
		err = s.Verify(ctx, k, ext.Digest{})
	}
	return c, err
}

// settle gives a tree its place, unless somebody else was faster: then nothing is new.
func (s Store) settle(ctx context.Context, k Key, tree string, digest ext.Digest) (c Checkout, err error) {
	err = s.locked(ctx, func() error {
		if _, err := s.Open(k); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		now := s.now().UTC()
		if err := s.writeRecord(k, record{Digest: digest, Made: now, Asked: now, By: self()}); err != nil {
			return err
		}
		c = Checkout{Key: k, Dir: s.Path(k), Digest: digest, Made: now, New: true}
		return os.Rename(tree, c.Dir)
	})
	return c, err
}

// stageRE is the name of a staging directory: what it is for, who made it, and chance.
var stageRE = pattern.New(`^\.(?:new|old)-(\d+)-(\d+)-(\d+)-[A-Z2-7]+$`)

func stageName(what string) string {
	p := self()
	return fmt.Sprintf(".%s-%d-%d-%d-%s", what, p.Pid, p.Started, p.Space, rand.Text()[:12])
}

// stagedBy is who made a staging directory.
func stagedBy(name string) (process, bool) { return processIn(stageRE, name) }

// processIn is the process that a name says: its number, its start and the space of its
// number are the first three groups.
func processIn(in *pattern.Pattern, name string) (p process, ok bool) {
	m := in.FindStringSubmatch(name)
	if m == nil {
		return process{}, false
	}
	var errs [3]error
	p.Pid, errs[0] = strconv.Atoi(m[1])
	p.Started, errs[1] = strconv.ParseUint(m[2], 10, 64)
	p.Space, errs[2] = strconv.ParseUint(m[3], 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// stage makes a staging directory beside the checkouts of a name.
func (s Store) stage(name ext.Name) (string, error) {
	if !filepath.IsAbs(s.Dir) {
		return "", fmt.Errorf("%s is not absolute", ext.Quote(s.Dir))
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", err
	}
	const tries = 100 // a sweep takes away a directory that is empty
	for i := 0; ; i++ {
		stage, err := stageIn(filepath.Join(s.Dir, string(name)))
		if i == tries || !errors.Is(err, fs.ErrNotExist) {
			return stage, err
		}
	}
}

func stageIn(of string) (string, error) {
	if err := os.Mkdir(of, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	switch info, err := os.Lstat(of); {
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%s is no directory of ours; move it away", ext.Quote(of))
	}
	stage := filepath.Join(of, stageName("new"))
	return stage, os.Mkdir(stage, 0o700)
}

// locked calls do while no other process or goroutine does the same in this store. The
// lock is held for no longer than a rename takes.
func (s Store) locked(ctx context.Context, do func() error) error {
	l, err := file.WaitLock(ctx, filepath.Join(s.Dir, lockName))
	if err != nil {
		return err
	}
	defer l.Release()
	return do()
}

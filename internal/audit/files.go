package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

var errHeld = errors.New("another one has the lock")

const (
	keyFile  = "key"
	saltFile = "salt"
	lockFile = "lock" // is held while a secret is made, or segments are dropped
)

// prepare makes dir if it is missing, and complains if it is not private.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return errors.New("it is not a directory itself; links are not followed")
	}
	if why := private(info); why != "" {
		return errors.New(why)
	}
	return nil
}

// openRegular opens a regular file to be read.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	f, err := openFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// inUse is whether a process has the segment that f is of open for writing.
func inUse(f *os.File) bool { return errors.Is(tryLock(f, false), errHeld) }

// secret is what the file holds, made with make if it is missing. Two processes
// that come at once agree on one.
func secret(dir, name string, make func() ([]byte, error)) ([]byte, error) {
	content, err := readSecret(dir, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	lock, err := openLock(dir)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if err := waitLock(lock); err != nil {
		return nil, err
	}
	content, err = readSecret(dir, name)
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	if content, err = make(); err != nil {
		return nil, err
	}
	return content, writeSecret(dir, name, content)
}

func openLock(dir string) (*os.File, error) {
	return openFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
}

func readSecret(dir, name string) ([]byte, error) {
	f, info, err := openRegular(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if why := private(info); why != "" {
		return nil, fmt.Errorf("%s: %s", ext.Quote(f.Name()), why)
	}
	return io.ReadAll(io.LimitReader(f, 4096))
}

// writeSecret writes beside and renames: half a secret is never seen. The lock is
// held, so nothing is at the name.
func writeSecret(dir, name string, content []byte) error {
	random := make([]byte, 8)
	rand.Read(random)
	path := filepath.Join(dir, name+".new-"+hex.EncodeToString(random))
	f, err := openFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(path, filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(path)
		return err
	}
	return syncDir(dir)
}

// loadKey is the key that signs, made at first use.
func loadKey(dir string) (ed25519.PrivateKey, error) {
	content, err := secret(dir, keyFile, func() ([]byte, error) {
		_, key, err := ed25519.GenerateKey(nil)
		if err != nil {
			return nil, err
		}
		der, err := x509.MarshalPKCS8PrivateKey(key)
		return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
	})
	if err != nil {
		return nil, err
	}
	return parseKey(dir, content)
}

func parseKey(dir string, content []byte) (ed25519.PrivateKey, error) {
	if block, _ := pem.Decode(content); block != nil {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if key, ok := key.(ed25519.PrivateKey); ok {
				return key, nil
			}
		}
	}
	return nil, fmt.Errorf("%s is not an ed25519 key: restore it, or move the whole directory away to begin a new log",
		ext.Quote(filepath.Join(dir, keyFile)))
}

// loadSalt is the salt of hidden values, made at first use.
func loadSalt(dir string) (s salt, err error) {
	content, err := secret(dir, saltFile, func() ([]byte, error) {
		rand.Read(s[:])
		return []byte(hex.EncodeToString(s[:]) + "\n"), nil
	})
	if err != nil {
		return s, err
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(content)))
	if err != nil || copy(s[:], raw) != len(s) || len(raw) != len(s) {
		return s, fmt.Errorf("%s is not %d hexadecimal digits: restore it, or move it away to have a new one made; hashes before and after differ then",
			ext.Quote(filepath.Join(dir, saltFile)), 2*len(s))
	}
	return s, nil
}

package checkout

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Archive is a release: a .tar.gz, a .tar or a .zip.
type Archive struct {
	File   string
	Sum    ext.Digest // of the file; zero is refused: what it should be must be known
	Bounds unpack.Bounds
	Sums   *unpack.Sums // are told of each file that is written; nil are not
	// Manifests are paths, with slashes, of which one tells that a directory is the root
	// of a plugin. Where the top of the archive has none, and one directory at the top
	// has one, that is the root; without Manifests the top is.
	Manifests []string
}

// maxRatio is how many bytes may come of one, beyond the first megabytes.
const (
	maxRatio  = 200
	ratioFrom = 16 << 20
)

// Unpack writes the files of an archive into dir, which must not be there. What leads
// outside, devices, hard links, more than its bounds, and what is not as its sum says is
// refused (ext.Refused), and then perhaps a part lies at dir or beside it, at dir with
// .all behind it.
func Unpack(ctx context.Context, a Archive, dir string) error {
	if err := a.unpack(ctx, dir); err != nil {
		return fmt.Errorf("unpack %s: %w", ext.Quote(filepath.Base(a.File)), err)
	}
	return nil
}

func refuse(format string, args ...any) error { return ext.AsRefused(fmt.Errorf(format, args...)) }

func (a Archive) unpack(ctx context.Context, dir string) error {
	f, err := file.Open(a.File)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := a.summed(f)
	if err != nil {
		return err
	}
	all := dir + ".all"
	w, err := unpack.New(all, a.Bounds, a.Sums)
	if err != nil {
		return err
	}
	defer w.Close()
	u := unpacking{Writer: w, ctx: ctx, size: size}
	if err := u.any(f); err != nil {
		return err
	}
	if err := w.Finish(); err != nil {
		return err
	}
	root, err := a.root(all)
	if err != nil {
		return err
	}
	if err := os.Rename(root, dir); err != nil {
		return err
	}
	return os.RemoveAll(all)
}

// summed reads the file once and compares what it is with what it should be.
func (a Archive) summed(f *os.File) (size int64, err error) {
	if a.Sum == (ext.Digest{}) {
		return 0, refuse("it is not said which SHA-256 it should have; give it")
	}
	most := a.Bounds.Whole().Bytes
	h := sha256.New()
	size, err = io.Copy(h, io.LimitReader(f, most+1))
	if err != nil {
		return 0, err
	}
	var is ext.Digest
	h.Sum(is[:0])
	switch {
	case size > most:
		return 0, refuse("it has more than %d MiB", most>>20)
	case is != a.Sum:
		return 0, refuse("its SHA-256 is %s, and %s was given: it is not the release that was meant", is, a.Sum)
	}
	_, err = f.Seek(0, io.SeekStart)
	return size, err
}

// root is the directory of an unpacked archive that is the plugin's.
func (a Archive) root(all string) (string, error) {
	if len(a.Manifests) == 0 || a.manifest(all) {
		return all, nil
	}
	entries, err := os.ReadDir(all)
	if err != nil {
		return "", err
	}
	var found []string
	for _, e := range entries {
		if at := filepath.Join(all, e.Name()); e.IsDir() && a.manifest(at) {
			found = append(found, at)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", refuse("there is no manifest of a plugin in it, at the top or in a directory there (one of %s)", strings.Join(a.Manifests, ", "))
	}
	return "", refuse("there are several plugins in it: %s and %s; name one", ext.Quote(filepath.Base(found[0])), ext.Quote(filepath.Base(found[1])))
}

func (a Archive) manifest(dir string) bool {
	for _, m := range a.Manifests {
		if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(m))); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// unpacking writes what an archive holds.
type unpacking struct {
	*unpack.Writer
	ctx  context.Context //nolint:containedctx // of this one call
	size int64           // of the archive
}

// any tells by its first bytes what kind of archive it is.
func (u *unpacking) any(f *os.File) error {
	var head [4]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return refuse("it is no archive")
	}
	switch {
	case string(head[:2]) == "\x1f\x8b":
		z, err := gzip.NewReader(f)
		if err != nil {
			return damaged(err)
		}
		defer func() { _ = z.Close() }()
		return u.tar(z)
	case string(head[:]) == "PK\x03\x04":
		return u.zip(f)
	}
	return u.tar(f)
}

func damaged(err error) error {
	if errors.Is(err, fs.ErrExist) || ext.KindOf(err) == ext.Refused || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return refuse("it is damaged, or no archive of a kind that is known (.tar.gz, .tar, .zip): %s", ext.Escape(err.Error()))
}

// weigh ends what comes of an archive that is a bomb, entry by entry.
func (u *unpacking) weigh(more int64) error {
	if err := u.ctx.Err(); err != nil {
		return err
	}
	_, bytes := u.Total()
	if bytes+more > ratioFrom && (bytes+more)/maxRatio > u.size {
		return refuse("it has %d bytes, and more than %d times as many come of it", u.size, maxRatio)
	}
	return nil
}

func (u *unpacking) tar(from io.Reader) error {
	r := tar.NewReader(from)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(err)
		}
		if err := u.tarEntry(h, r); err != nil {
			return err
		}
	}
}

func (u *unpacking) tarEntry(h *tar.Header, r io.Reader) error {
	name := strings.TrimPrefix(h.Name, "./")
	if err := u.weigh(max(h.Size, 0)); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeDir:
		return u.dir(name)
	case tar.TypeReg:
		kind := unpack.File
		if h.Mode&0o111 != 0 {
			kind = unpack.Program
		}
		return damagedOr(u.File(name, kind, h.Size, r))
	case tar.TypeSymlink:
		return u.Link(name, h.Linkname)
	}
	return refuse("%s is of kind %q, which is no file, directory or link", ext.Quote(h.Name), h.Typeflag)
}

func (u *unpacking) dir(name string) error {
	if name = strings.TrimSuffix(name, "/"); name == "" || name == "." {
		return nil
	}
	return u.Dir(name)
}

func damagedOr(err error) error {
	if err == nil {
		return nil
	}
	return damaged(err)
}

func (u *unpacking) zip(f *os.File) error {
	r, err := zip.NewReader(f, u.size)
	if err != nil {
		return damaged(err)
	}
	for _, e := range r.File {
		if err := u.zipEntry(e); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacking) zipEntry(e *zip.File) error {
	if e.UncompressedSize64 > 1<<62 {
		return refuse("%s tells a size that nothing has", ext.Quote(e.Name))
	}
	name, size := strings.TrimPrefix(e.Name, "./"), int64(e.UncompressedSize64)
	if err := u.weigh(size); err != nil {
		return err
	}
	mode := e.Mode()
	switch {
	case e.Flags&1 != 0:
		return refuse("%s is encrypted", ext.Quote(e.Name))
	case mode.IsDir():
		return u.dir(name)
	case mode&fs.ModeSymlink == 0 && !mode.IsRegular():
		return refuse("%s is no file, directory or link", ext.Quote(e.Name))
	}
	r, err := e.Open()
	if err != nil {
		return damaged(err)
	}
	defer func() { _ = r.Close() }()
	if mode&fs.ModeSymlink != 0 {
		const mostTarget = 4 << 10
		target, err := io.ReadAll(io.LimitReader(r, mostTarget))
		if err != nil {
			return damaged(err)
		}
		return u.Link(name, string(target))
	}
	kind := unpack.File
	if mode&0o111 != 0 {
		kind = unpack.Program
	}
	return damagedOr(u.File(name, kind, size, r))
}

package root

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
)

// Item is one thing below the root as a look at it showed, links not followed.
// Its Path may be none that io/fs allows, where the system allows it.
type Item struct {
	Stamp
	Mode fs.FileMode
}

var (
	// ErrChanged is what is there no more as it was stamped.
	ErrChanged = errors.New("changes while it is looked at")
	// ErrCrowded is a directory of more entries than were asked for at most.
	ErrCrowded = errors.New("holds too many entries")
)

// Survey visits all that lies below the root, each directory before what it
// holds, names in the order of their bytes. It opens directories and nothing
// else, follows no link, looks whatever Options.Listing says, and leaves no
// trace. Where visit returns fs.SkipDir for a directory, that is not entered;
// any other error ends the survey and is returned, as is the end of ctx. A
// directory of more than most entries is ErrCrowded, one that went or became
// something else meanwhile ErrChanged, both under its name.
func (r *Root) Survey(ctx context.Context, most int, visit func(Item) error) error {
	return r.survey(ctx, ".", most, r.opt.Clock().UnixNano(), visit)
}

func (r *Root) survey(ctx context.Context, dir string, most int, since int64, visit func(Item) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	found, err := r.in.survey(dir, most)
	switch {
	case moved(err) && dir != ".":
		return r.failure("list", dir, ErrChanged)
	case err != nil:
		return r.failure("list", dir, err)
	}
	prefix := dir + "/"
	if dir == "." {
		prefix = ""
	}
	for i := range found {
		item := Item{newStamp(prefix+found[i].name, found[i].fact, since), found[i].mode}
		err := visit(item)
		if err == fs.SkipDir && item.Kind == Dir {
			continue
		}
		if err == nil && item.Kind == Dir {
			err = r.survey(ctx, item.Path, most, since, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CopyStamped writes the bytes of the regular file that was stamped to w, as
// many at once as buf holds. When another file lies there now, or it is of
// another size or time, nothing is written, and when it turns out shorter or
// longer, perhaps something: both are ErrChanged.
func (r *Root) CopyStamped(ctx context.Context, w io.Writer, s Stamp, buf []byte) error {
	f, at, err := r.in.open(s.Path)
	if err == nil && f != nil {
		defer func() { _ = f.Close() }()
		if err = ErrChanged; s.same(at) {
			err = pour(ctx, w, f, s.Size, buf)
		}
	}
	if _, other := err.(*KindError); other || moved(err) || err == nil && f == nil {
		err = ErrChanged
	}
	if err != nil && ctx.Err() == nil {
		return r.failure("read", s.Path, bare(err))
	}
	return err
}

// pour writes all of from, which must be size bytes, to w.
func pour(ctx context.Context, w io.Writer, from io.Reader, size int64, buf []byte) error {
	for ctx.Err() == nil {
		n, err := from.Read(buf)
		if size -= int64(n); size < 0 || err == io.EOF && size > 0 {
			return ErrChanged
		}
		if _, failed := w.Write(buf[:n]); failed != nil {
			return failed
		}
		switch err {
		case nil:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
	return ctx.Err()
}

// TargetStamped is where the link that was stamped points, with slashes; or
// ErrChanged.
func (r *Root) TargetStamped(s Stamp) (string, error) {
	f, target, err := r.in.look(s.Path)
	if err == nil && !s.same(f) || moved(err) {
		err = ErrChanged
	}
	if err != nil {
		return "", r.failure("readlink", s.Path, err)
	}
	return filepath.ToSlash(target), nil
}

package root

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
)

// ReadFile is ReadLimit with MaxFile.
func (r *Root) ReadFile(name string) ([]byte, error) { return r.ReadLimit(name, MaxFile) }

// ReadLimit reads a regular file of at most limit bytes. A larger one is a
// *TooLargeError, before anything is read if its size says so; anything but a
// regular file is a *KindError. At no time are more than limit+1 bytes held. Above
// 2 GiB limit means 2 GiB.
func (r *Root) ReadLimit(name string, limit int64) ([]byte, error) {
	data, _, err := r.ReadFrom(name, limit)
	return data, err
}

// ReadFrom is ReadLimit, and says where the bytes were read when links led
// outside: the absolute path of that very file, free of links. "" is inside.
func (r *Root) ReadFrom(name string, limit int64) (data []byte, outside string, err error) {
	if err := r.begin("read", name); err != nil {
		return nil, "", err
	}
	since := r.now()
	if !r.vague() {
		data, f, err := r.in.read(name, limit)
		if err == nil {
			r.trace.add(name, f, since)
			return data, "", nil
		}
		if !r.in.suspect(err) {
			return nil, "", r.settle("read", name, since, err)
		}
	}
	return r.readFar(name, limit, since)
}

func (r *Root) readFar(name string, limit, since int64) (data []byte, outside string, err error) {
	err = r.reach("read", name, File, since, func(d door, at string) (f fact, err error) {
		data, f, err = d.read(at, limit)
		if outside = ""; d == r.out {
			outside = at
		}
		return f, err
	})
	return data, outside, err
}

// ReadDir lists a directory, sorted by name. Options.Listing is asked first;
// what it answers is returned as it is, for nobody to change, and not recorded,
// since only who made that listing knows what the directory was like then.
// Entries look at their file when their Info is called.
func (r *Root) ReadDir(name string) ([]fs.DirEntry, error) {
	if r.opt.Listing != nil && fs.ValidPath(name) {
		if known, ok := r.opt.Listing(name); ok {
			return slices.Clip(known), nil
		}
	}
	if err := r.begin("list", name); err != nil {
		return nil, err
	}
	since := r.now()
	from := &origin{r, name}
	if !r.vague() {
		entries, f, err := r.in.list(name, from, r.trace != nil)
		if err == nil {
			r.trace.add(name, f, since)
			return entries, nil
		}
		if !r.in.suspect(err) {
			return nil, r.settle("list", name, since, err)
		}
	}
	return r.listFar(from, since)
}

func (r *Root) listFar(from *origin, since int64) (entries []fs.DirEntry, err error) {
	err = r.reach("list", from.dir, Dir, since, func(d door, at string) (f fact, err error) {
		entries, f, err = d.list(at, from, r.trace != nil)
		return f, err
	})
	return entries, err
}

// Open opens a regular file or a directory; anything else is a *KindError.
func (r *Root) Open(name string) (fs.File, error) {
	if err := r.begin("open", name); err != nil {
		return nil, err
	}
	since := r.now()
	if !r.vague() {
		f, at, err := r.in.open(name)
		if err == nil {
			r.trace.add(name, at, since)
			return newFile(r, name, f, at), nil
		}
		if !r.in.suspect(err) {
			return nil, r.settle("open", name, since, err)
		}
	}
	var opened fs.File
	err := r.reach("open", name, either, since, func(d door, at string) (fact, error) {
		f, what, err := d.open(at)
		if err == nil {
			opened = newFile(r, name, f, what)
		}
		return what, err
	})
	return opened, err
}

// Stat looks at what name leads to.
func (r *Root) Stat(name string) (fs.FileInfo, error) {
	if err := r.begin("stat", name); err != nil {
		return nil, err
	}
	since := r.now()
	if !r.vague() && !r.linked(name) {
		f, _, err := r.in.look(name)
		if err == nil && f.kind() != Link {
			r.trace.add(name, f, since)
			return &info{path.Base(name), f}, nil
		}
		if err != nil && !r.in.suspect(err) {
			return nil, r.settle("stat", name, since, err)
		}
	}
	p, err := r.walk(name, since)
	if err != nil {
		return nil, r.failure("stat", name, err)
	}
	r.trace.add(p.at, p.fact, since)
	return &info{path.Base(name), p.fact}, nil
}

// Type is the type of what name leads to, as Stat has it. Where a known listing
// tells, nothing is looked at.
func (r *Root) Type(name string) (fs.FileMode, error) {
	if typ, ok := r.typed(name); ok {
		return typ, nil
	}
	info, err := r.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Mode().Type(), nil
}

// Lstat looks at name itself, also if it is a link. Links on the way are
// followed.
func (r *Root) Lstat(name string) (fs.FileInfo, error) {
	f, _, err := r.lookAt("lstat", name)
	if err != nil {
		return nil, err
	}
	return &info{path.Base(name), f}, nil
}

// ReadLink returns where the link at name points, as it is written there.
func (r *Root) ReadLink(name string) (string, error) {
	f, target, err := r.lookAt("readlink", name)
	if err != nil {
		return "", err
	}
	if err := f.fits(Link); err != nil {
		return "", r.failure("readlink", name, err)
	}
	return target, nil
}

func (r *Root) lookAt(op, name string) (fact, string, error) {
	if err := r.begin(op, name); err != nil {
		return fact{}, "", err
	}
	since := r.now()
	if !r.vague() || name == "." {
		f, target, err := r.in.look(name)
		if err == nil {
			r.trace.add(name, f, since)
			return f, target, nil
		}
		if !r.in.suspect(err) || name == "." {
			return fact{}, "", r.settle(op, name, since, err)
		}
	}
	for range tries {
		p, err := r.walk(path.Dir(name), since)
		if err != nil {
			return fact{}, "", r.failure(op, name, err)
		}
		if err := p.fits(Dir); err != nil {
			r.trace.add(p.at, p.fact, since)
			return fact{}, "", r.failure(op, path.Dir(name), err)
		}
		at := p.join(path.Base(name))
		f, target, err := r.door(p).look(at)
		switch {
		case err == nil:
			r.trace.add(at, f, since)
			return f, target, nil
		case moved(err) && !gone(err):
			continue
		}
		r.note(r.door(p), at, since)
		return fact{}, "", r.failure(op, name, err)
	}
	return fact{}, "", r.failure(op, name, errUnsteady)
}

// Real is the absolute path of what name leads to, free of links, and whether
// it lies outside the root. Without Options.Follow what lies outside is an
// error that matches ErrEscape.
func (r *Root) Real(name string) (file string, outside bool, err error) {
	if err := valid("resolve", name); err != nil {
		return "", false, err
	}
	if _, ok := r.typed(name); ok {
		return filepath.Join(r.dir, filepath.FromSlash(name)), false, nil
	}
	since := r.now()
	p, err := r.walk(name, since)
	if err != nil {
		return "", false, r.failure("resolve", name, err)
	}
	r.trace.add(p.at, p.fact, since)
	if p.out {
		return p.at, true, nil
	}
	return filepath.Join(r.dir, filepath.FromSlash(p.at)), false, nil
}

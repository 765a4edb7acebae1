package root

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"math"
	"slices"
	"sync"

	"golang.org/x/sys/unix"
)

// batch is what listing one directory needs, kept for the next one.
type batch struct {
	raw   [32 << 10]byte
	names []byte // one after the other
	found []span
}

// span is one entry: where its name lies in names.
type span struct {
	from, to uint32
	typ      uint8
}

var batches = sync.Pool{New: func() any { return new(batch) }}

func (k *kernel) list(name string, from *origin, mark bool) ([]fs.DirEntry, fact, error) {
	fd, err := k.openat2(name, listFlags)
	if err != nil {
		return nil, fact{}, err
	}
	defer unix.Close(fd)
	var f fact
	if mark {
		if f, err = descriptor(fd).stat(); err != nil {
			return nil, f, err
		}
	}
	b := batches.Get().(*batch)
	defer batches.Put(b)
	if err := b.fill(fd, math.MaxInt); err != nil {
		return nil, f, err
	}
	return b.entries(fd, from), f, nil
}

func (k *kernel) survey(name string, most int) ([]info, error) {
	fd, err := k.openat2(name, listFlags)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	b := batches.Get().(*batch)
	defer batches.Put(b)
	if err := b.fill(fd, most); err != nil {
		return nil, err
	}
	return b.looks(fd)
}

// fill takes in every entry of the directory fd, in order.
func (b *batch) fill(fd, most int) error {
	b.names, b.found = b.names[:0], b.found[:0]
	if err := b.read(fd, most); err != nil {
		return err
	}
	slices.SortFunc(b.found, func(x, y span) int {
		return bytes.Compare(b.names[x.from:x.to], b.names[y.from:y.to])
	})
	return nil
}

func (b *batch) read(fd, most int) error {
	for {
		if len(b.found) > most {
			return ErrCrowded
		}
		n, err := unix.Getdents(fd, b.raw[:])
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return err
		case n <= 0:
			return nil
		}
		b.parse(b.raw[:n])
	}
}

// The fields of a struct linux_dirent64: d_ino, d_off, d_reclen, d_type, d_name.
const (
	lengthAt = 16
	typeAt   = 18
	nameAt   = 19
)

func (b *batch) parse(raw []byte) {
	for len(raw) >= nameAt {
		size := int(binary.NativeEndian.Uint16(raw[lengthAt:]))
		if size < nameAt || size > len(raw) {
			return
		}
		name := raw[nameAt:size]
		if end := bytes.IndexByte(name, 0); end >= 0 {
			name = name[:end]
		}
		if s := string(name); s != "." && s != ".." {
			at := uint32(len(b.names))
			b.names = append(b.names, name...)
			b.found = append(b.found, span{at, uint32(len(b.names)), raw[typeAt] & 0xf})
		}
		raw = raw[size:]
	}
}

// entries is what was taken in, in three allocations however many there are.
func (b *batch) entries(fd int, from *origin) []fs.DirEntry {
	names := string(b.names)
	all := make([]entry, len(b.found))
	out := make([]fs.DirEntry, len(b.found))
	for i, s := range b.found {
		e := &all[i]
		*e = entry{from, names[s.from:s.to], types[s.typ]}
		if s.typ == unix.DT_UNKNOWN {
			e.typ = typeIn(fd, e.name)
		}
		out[i] = e
	}
	return out
}

// looks is what was taken in and is still there, each with a look at it.
func (b *batch) looks(fd int) ([]info, error) {
	names := string(b.names)
	out := make([]info, 0, len(b.found))
	for _, s := range b.found {
		var st unix.Stat_t
		name := names[s.from:s.to]
		switch err := lookIn(fd, name, &st); err {
		case nil:
			out = append(out, info{name, factOfStat(&st)})
		case unix.ENOENT: // it went meanwhile
		default:
			return nil, err
		}
	}
	return out, nil
}

func lookIn(fd int, name string, st *unix.Stat_t) error {
	for {
		if err := unix.Fstatat(fd, name, st, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT); err != unix.EINTR {
			return err
		}
	}
}

// typeIn asks for the kind of a file that the file system did not list.
func typeIn(fd int, name string) fs.FileMode {
	var st unix.Stat_t
	if err := lookIn(fd, name, &st); err != nil {
		return fs.ModeIrregular
	}
	return modeOf(st.Mode).Type()
}

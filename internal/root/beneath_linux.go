package root

import (
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

const (
	readFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	listFlags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_DIRECTORY | unix.O_CLOEXEC
	lookFlags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC

	// Names are opened without following any link, so that a name that opens
	// has none on its way, and ELOOP alone says that there is one.
	stayInside = unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS
)

// kernel is the door that openat2 keeps.
type kernel struct {
	resolve uint64
	wary    bool // of places where a look further down may mount something

	mu     sync.RWMutex // held while fd is in use, so that it is not closed meanwhile
	fd     int
	closed bool
}

// openDoors opens dir by openat2 or, where that is missing or forbidden, by
// os.Root.
func openDoors(dir string, opt Options) (in, out door, err error) {
	if opt.portable {
		return openPortable(dir)
	}
	outside := anywhere(opt)
	fd, err := outside.openat2(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC)
	switch err {
	case nil:
		return &kernel{fd: fd, resolve: stayInside}, outside, nil
	case unix.ENOSYS, unix.EPERM:
		return openPortable(dir)
	}
	return nil, nil, failure("open", dir, err)
}

// anywhere opens absolute paths.
func anywhere(opt Options) *kernel {
	return &kernel{fd: unix.AT_FDCWD, resolve: unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_SYMLINKS, wary: !opt.Follow}
}

func (k *kernel) sub(name string, opt Options) (in, out door, err error) {
	fd, err := k.openat2(name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return nil, nil, err
	}
	return &kernel{fd: fd, resolve: stayInside}, anywhere(opt), nil
}

func (k *kernel) openat2(name string, flags uint64) (int, error) {
	how := unix.OpenHow{Flags: flags, Resolve: k.resolve}
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.closed {
		return -1, fs.ErrClosed
	}
	for try := 0; ; try++ {
		fd, err := unix.Openat2(k.fd, name, &how)
		if err == nil {
			return fd, nil
		}
		// A signal came, or the tree changed under the look-up.
		if err == unix.EINTR || err == unix.EAGAIN && try < tries {
			continue
		}
		return -1, err
	}
}

func (k *kernel) read(name string, limit int64) ([]byte, fact, error) {
	fd, err := k.openat2(name, readFlags)
	if err != nil {
		return nil, fact{}, err
	}
	data, f, err := readAll(descriptor(fd), limit)
	unix.Close(fd)
	return data, f, err
}

func (k *kernel) open(name string) (handle, fact, error) {
	fd, err := k.openat2(name, readFlags)
	if err != nil {
		return nil, fact{}, err
	}
	f, err := descriptor(fd).stat()
	if err == nil {
		err = f.fits(either)
	}
	if err != nil || f.kind() == Dir {
		unix.Close(fd)
		return nil, f, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		unix.Close(fd)
		return nil, f, err
	}
	return os.NewFile(uintptr(fd), name), f, nil
}

func (k *kernel) look(name string) (fact, string, error) {
	fd, err := k.openat2(name, lookFlags)
	if err != nil {
		return fact{}, "", err
	}
	defer unix.Close(fd)
	f, err := descriptor(fd).stat()
	if err != nil {
		return fact{}, "", err
	}
	switch f.kind() {
	case Link:
		target, err := descriptor(fd).target()
		return f, target, err
	case Dir:
		if k.wary && descriptor(fd).mounts() {
			return f, "", unix.EREMOTE
		}
	}
	return f, "", nil
}

func (k *kernel) check(name string) (fact, error) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.closed {
		return fact{}, fs.ErrClosed
	}
	var st unix.Stat_t
	for {
		err := unix.Fstatat(k.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT)
		if err == nil {
			return factOfStat(&st), nil
		}
		if err != unix.EINTR {
			return fact{}, err
		}
	}
}

// suspect is true for a link, for a file in a directory's place, and for what
// has nothing to open, such as a socket: the walk says which.
func (k *kernel) suspect(err error) bool {
	return err == unix.ELOOP || err == unix.ENOTDIR || err == unix.ENXIO
}

func (k *kernel) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil
	}
	k.closed = true
	if k.fd == unix.AT_FDCWD {
		return nil
	}
	return unix.Close(k.fd)
}

// descriptor is an open file, bare of what os.File adds.
type descriptor int

func (d descriptor) stat() (fact, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstat(int(d), &st)
		if err == nil {
			return factOfStat(&st), nil
		}
		if err != unix.EINTR {
			return fact{}, err
		}
	}
}

func (d descriptor) pread(p []byte, off int64) (int, error) {
	for {
		n, err := unix.Pread(int(d), p, off)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// target reads the link that d was opened on.
func (d descriptor) target() (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(int(d), "", buf[:])
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// mounts reports whether a look at a name below the directory d may mount
// something, perhaps over the network.
func (d descriptor) mounts() bool {
	var st unix.Statx_t
	err := unix.Statx(int(d), "", unix.AT_EMPTY_PATH|unix.AT_NO_AUTOMOUNT, 0, &st)
	if err == nil && st.Attributes&unix.STATX_ATTR_AUTOMOUNT != 0 {
		return true
	}
	var system unix.Statfs_t
	err = unix.Fstatfs(int(d), &system)
	return err == nil && int64(system.Type) == unix.AUTOFS_SUPER_MAGIC
}

func factOfStat(st *unix.Stat_t) fact {
	return fact{
		mode:  modeOf(st.Mode),
		dev:   uint64(st.Dev),
		ino:   st.Ino,
		size:  st.Size,
		mtime: st.Mtim.Nano(),
		ctime: st.Ctim.Nano(),
	}
}

func modeOf(m uint32) fs.FileMode {
	mode := fs.FileMode(m&0o777) | types[m>>12&0xf]
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

// types are the kinds of files as fstat and getdents number them; 0 is not
// known.
var types = [16]fs.FileMode{
	unix.DT_UNKNOWN: fs.ModeIrregular,
	unix.DT_FIFO:    fs.ModeNamedPipe,
	unix.DT_CHR:     fs.ModeDevice | fs.ModeCharDevice,
	unix.DT_DIR:     fs.ModeDir,
	unix.DT_BLK:     fs.ModeDevice,
	unix.DT_REG:     0,
	unix.DT_LNK:     fs.ModeSymlink,
	unix.DT_SOCK:    fs.ModeSocket,
	3:               fs.ModeIrregular, 5: fs.ModeIrregular, 7: fs.ModeIrregular, 9: fs.ModeIrregular,
	11: fs.ModeIrregular, 13: fs.ModeIrregular, 14: fs.ModeIrregular, 15: fs.ModeIrregular,
}

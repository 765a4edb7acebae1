//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package sqlstore

import "golang.org/x/sys/unix"

// look is what a file is on the outside; zero when it could not be looked at.
// Two that are equal are of one file that nobody changed in between, as far as
// its times tell.
type look struct{ stat unix.Stat_t }

// lookAt opens nothing: to close a second descriptor of a file would give up
// the locks that SQLite has on it.
func lookAt(path string) (l look) {
	if err := unix.Stat(path, &l.stat); err != nil {
		return look{}
	}
	l.stat.Atim = unix.Timespec{} // reading is no change
	return l
}

func (l *look) there() bool { return l.stat.Mode != 0 }

// changed is when the file was last changed in any way, in ns since 1970.
func (l *look) changed() int64 { return max(l.stat.Mtim.Nano(), l.stat.Ctim.Nano()) }

// is reports whether l and o are of one file, or both of none.
func (l *look) is(o *look) bool { return l.stat.Dev == o.stat.Dev && l.stat.Ino == o.stat.Ino }

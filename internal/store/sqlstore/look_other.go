//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package sqlstore

// look is nothing here: the system tells no identity of files, and the times
// of one that is open for writing late. Nothing is remembered then.
type look struct{}

func lookAt(string) look { return look{} }

func (l *look) there() bool { return false }

func (l *look) changed() int64 { return 0 }

func (l *look) is(*look) bool { return true }

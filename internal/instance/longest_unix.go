//go:build unix

package instance

import "golang.org/x/sys/unix"

// longestSocket is how long the path of a socket may be: a zero ends it.
const longestSocket = len(unix.RawSockaddrUnix{}.Path) - 1

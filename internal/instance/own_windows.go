package instance

import "io/fs"

// shortTemporary is not known here.
const shortTemporary = ""

// longestSocket is how long the path of a socket may be.
const longestSocket = 107

// Who may do what is not in a file's mode here: a person's own directories
// admit that person alone.
func owned(fs.FileInfo) bool   { return true }
func private(fs.FileInfo) bool { return true }

// A socket is a special file here.
func socket(info fs.FileInfo) bool { return !info.IsDir() && info.Size() == 0 }

//go:build !unix

package root

// unblocked has nothing to say where opening does not wait.
const unblocked = 0

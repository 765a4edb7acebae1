// Package interop holds one test: that servers of others, all behind one Mortise,
// offer and answer through it what they offer and answer without it, and that
// clients of others connect to it. make interop installs them and runs it.
package interop

//go:build race

package mcp_test

// cycles is how often a process is started and ended where often is the point.
// With the race detector every end of one takes a second.
const cycles = 12

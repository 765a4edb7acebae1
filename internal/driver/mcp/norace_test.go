//go:build !race

package mcp_test

// cycles is how often a process is started and ended where often is the point.
const cycles = 80

// Mcptestserver is the server of mcptest as a program: its arguments are
// modes, none is normal.
package main

import (
	"os"

	"github.com/mortise-dev/mortise/internal/mcptest"
)

func main() {
	mcptest.Main() // as a worker of itself, or where the environment says the modes
	names := os.Args[1:]
	if len(names) == 0 {
		names = []string{string(mcptest.Normal)}
	}
	os.Exit(mcptest.Run(names))
}

package child

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }

// executable is path, or path with the first extension of PATHEXT that is
// there.
func executable(path string, env []string) (string, error) {
	info, err := os.Stat(path)
	if err != nil && filepath.Ext(path) == "" {
		extensions := variable(env, "PATHEXT")
		if extensions == "" {
			extensions = ".com;.exe;.bat;.cmd"
		}
		for _, x := range strings.Split(extensions, ";") {
			if i, e := os.Stat(path + x); e == nil && !i.IsDir() {
				return path + x, nil
			}
		}
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", ext.Quote(path), bare(err))
	case info.IsDir():
		return "", fmt.Errorf("%s is a directory", ext.Quote(path))
	}
	return path, nil
}

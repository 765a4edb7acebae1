package instance

import (
	"os"
	"strings"

	"github.com/mortise-dev/mortise/internal/child"
)

// Alive are the hosts of a workspace whose processes are there, whether they answer or
// not. It asks nobody.
func Alive(dir, workspace string) (found []Record) {
	if secluded(dir) != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), recordEnd)
		if !ok || !strings.HasPrefix(stem, hashed(workspace)+".") {
			continue
		}
		if r, ok := (place{dir, stem}).read(); ok && child.Alive(r.Process) && r.Process != child.Self() {
			found = append(found, r)
		}
	}
	return found
}

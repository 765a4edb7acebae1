package tally

import (
	"context"
	_ "embed" // the script
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

//go:embed count.sh
var script string

// Manifest is the kind of a file that says that its directory is an extension.
const Manifest = "manifest"

// File is a file that the script counts, and what became of it.
type File struct {
	Kind  string   // Manifest, or the surface that such files declare entries of
	Marks []string // what the script says of its content; of a manifest, where in its extension it lies
	Path  string   // below its repository
	Place Place    // "" when nothing says what became of it
	// Alone: it is an entry that is refused for a fault of its own.
	Alone bool
}

// Is reports whether the script marked the file so.
func (f *File) Is(mark string) bool { return slices.Contains(f.Marks, mark) }

// surfaces are the kinds of files that are called otherwise than the surface.
var surfaces = map[string]string{"hook": "client_event"}

// count runs the script over a corpus: files by repository.
func count(ctx context.Context, dir string) (map[string][]File, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", script, "count.sh", "-l", dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("count files below %s with count.sh: %w", dir, err)
	}
	return counted(string(out))
}

// counted reads what the script lists: repository, kind, marks and path.
func counted(out string) (map[string][]File, error) {
	all := map[string][]File{}
	for line := range strings.Lines(out) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) != 4 {
			return nil, fmt.Errorf("count.sh printed %q: expected four parts between tabs", line)
		}
		kind := part[1]
		if s, ok := surfaces[kind]; ok {
			kind = s
		}
		all[part[0]] = append(all[part[0]], File{Kind: kind, Marks: strings.Split(part[2], ","), Path: part[3]})
	}
	return all, nil
}

package prepare

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/file"
)

// Undeclared is what the files of a plugin say that it depends on.
type Undeclared struct {
	File    string // that says so, at the plugin's root
	Command string // a line for a shell that installs it into the plugin's data directory
}

const mostManifest = 1 << 20

// Missing is what a plugin depends on that says so in the files of a package manager, and
// which is not installed beside them. Nothing is run to tell. data is its data directory.
func Missing(dir, data string) (all []Undeclared) {
	if u, ok := npm(dir, data); ok {
		all = append(all, u)
	}
	if u, ok := python(dir, data); ok {
		all = append(all, u)
	}
	return all
}

// npm is a package.json with dependencies. Node looks for them beside the file that wants
// them, or where NODE_PATH says.
func npm(dir, data string) (Undeclared, bool) {
	if there(dir, "node_modules") {
		return Undeclared{}, false
	}
	raw, err := file.ReadAtMost(filepath.Join(dir, "package.json"), mostManifest)
	if err != nil {
		return Undeclared{}, false
	}
	d, findings := doc.JSON(ext.Origin{}, raw)
	wants := d.Get("dependencies")
	if findings.Failed() || wants == nil || len(wants.Map) == 0 {
		return Undeclared{}, false
	}
	copied, install := []string{"package.json"}, "npm install --omit=dev"
	for _, lock := range []string{"npm-shrinkwrap.json", "package-lock.json"} {
		if there(dir, lock) {
			copied, install = append(copied, lock), "npm ci --omit=dev"
			break
		}
	}
	words := []string{"cp"}
	for _, name := range copied {
		words = append(words, shellWord(filepath.Join(dir, name)))
	}
	words = append(words, shellWord(data)+" &&", install, "--prefix", shellWord(data))
	return Undeclared{"package.json", makes(data) + strings.Join(words, " ")}, true
}

// python is what pip or uv would install, into an environment in the data directory. The
// project itself is not installed: building it writes into its directory.
func python(dir, data string) (Undeclared, bool) {
	if there(dir, ".venv") || there(dir, "venv") {
		return Undeclared{}, false
	}
	env := filepath.Join(data, ".venv")
	switch {
	case there(dir, "uv.lock") && there(dir, "pyproject.toml"):
		return Undeclared{"uv.lock", makes(data) + "UV_PROJECT_ENVIRONMENT=" + shellWord(env) + " uv sync --frozen --no-dev --no-install-project --project " + shellWord(dir)}, true
	case requires(dir):
		pip := filepath.Join(env, "bin", "pip")
		if runtime.GOOS == "windows" {
			pip = filepath.Join(env, "Scripts", "pip")
		}
		return Undeclared{"requirements.txt", makes(data) + "python3 -m venv " + shellWord(env) + " && " + shellWord(pip) + " install -r " + shellWord(filepath.Join(dir, "requirements.txt"))}, true
	case project(dir):
		return Undeclared{"pyproject.toml", makes(data) + "uv venv " + shellWord(env) + " && uv pip install --python " + shellWord(env) + " -r " + shellWord(filepath.Join(dir, "pyproject.toml"))}, true
	}
	return Undeclared{}, false
}

// requires reports whether a requirements.txt names something.
func requires(dir string) bool {
	raw, err := file.ReadAtMost(filepath.Join(dir, "requirements.txt"), mostManifest)
	if err != nil {
		return false
	}
	for l := range strings.Lines(string(raw)) {
		if l = strings.TrimSpace(l); l != "" && l[0] != '#' {
			return true
		}
	}
	return false
}

// project reports whether a pyproject.toml has dependencies.
func project(dir string) bool {
	raw, err := file.ReadAtMost(filepath.Join(dir, "pyproject.toml"), mostManifest)
	if err != nil {
		return false
	}
	d, findings := doc.TOML(ext.Origin{}, raw)
	if findings.Failed() {
		return false
	}
	p := d.Get("project")
	if p == nil {
		return false
	}
	wants := p.Get("dependencies")
	return wants != nil && len(wants.List) > 0
}

func there(dir, name string) bool {
	info, err := os.Lstat(filepath.Join(dir, name))
	return err == nil && info.Mode()&fs.ModeIrregular == 0
}

// makes makes the data directory first: it may not be there yet.
func makes(data string) string { return "mkdir -p " + shellWord(data) + " && " }

// shellWord is a path as a shell takes it for one word.
func shellWord(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune(`-_./:@%+=,\`, r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) && (runtime.GOOS == "windows" || !strings.Contains(s, `\`)) {
		return s
	}
	if runtime.GOOS == "windows" {
		return strconv.Quote(s)
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

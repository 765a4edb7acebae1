package imports

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// gemini reads what Gemini CLI has installed: each directory of its extensions is one.
func gemini(p Place) (all []Found, faults []error) {
	home := filepath.Join(cmp.Or(p.getenv("GEMINI_CLI_HOME"), p.Home), ".gemini", "extensions")
	entries, err := os.ReadDir(home)
	if err != nil {
		return nil, nil // it is not used here
	}
	rules := map[string]struct{ Overrides []string }{}
	if _, err := readJSON(filepath.Join(home, "extension-enablement.json"), &rules); err != nil {
		faults = append(faults, err)
	}
	for _, e := range entries {
		dir := filepath.Join(home, e.Name())
		if !isDir(dir) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		f, err := geminiFound(dir, e.Name())
		if err != nil {
			faults = append(faults, err)
			continue
		}
		f.On = geminiOn(rules[f.Name].Overrides, p.Workspace)
		if !f.On && f.Why == "" {
			f.Why = "it is switched off there"
		}
		all = append(all, f)
	}
	return all, faults
}

// geminiFound is one extension, which a record may say lies elsewhere.
func geminiFound(dir, base string) (Found, error) {
	f := Found{Client: "gemini-cli", ID: base, Name: base, Dir: dir}
	var record struct{ Source, Type string }
	if _, err := readJSON(filepath.Join(dir, ".gemini-extension-install.json"), &record); err != nil {
		return f, err
	}
	if record.Type == "link" {
		f.Dir = record.Source
	}
	var manifest struct{ Name string }
	ok := false
	if filepath.IsAbs(f.Dir) {
		var err error
		if ok, err = readJSON(filepath.Join(f.Dir, "gemini-extension.json"), &manifest); err != nil {
			return f, err
		}
	}
	if !ok {
		f.Dir, f.Why = "", "its directory is not there, or holds no gemini-extension.json"
		return f, nil
	}
	f.Name = cmp.Or(manifest.Name, base)
	f.ID = f.Name
	return f, nil
}

// geminiOn is whether an extension is in use in a directory: the last rule that covers it
// has the word, and without one it is.
func geminiOn(rules []string, dir string) bool {
	on := true
	at := strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/"
	for _, r := range rules {
		pattern, off := strings.CutPrefix(r, "!")
		below, all := strings.CutSuffix(pattern, "*")
		if at == strings.TrimSuffix(pattern, "/")+"/" || all && strings.HasPrefix(at, below) {
			on = !off
		}
	}
	return on
}

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// repository makes a bare repository with one commit of these files, and returns it.
func (b *bench) repository(dir string, files map[string]string) (commit string, err error) {
	for _, d := range []string{"objects", "refs"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(dir, d), 0o755))
	}
	err = errors.Join(err,
		os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644),
		os.WriteFile(filepath.Join(dir, "config"), []byte("[core]\n\trepositoryformatversion = 0\n\tbare = true\n"), 0o644))
	if err != nil {
		return "", err
	}
	var in bytes.Buffer
	in.WriteString("commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\ndata 5\nfirst\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(files[name]), files[name])
	}
	if err := b.git(&in, "-C", dir, "fast-import", "--quiet"); err != nil {
		return "", err
	}
	tip, err := os.ReadFile(filepath.Join(dir, "refs", "heads", "main"))
	return strings.TrimSpace(string(tip)), err
}

func (b *bench) git(stdin *bytes.Buffer, args ...string) error {
	cmd := exec.CommandContext(b.ctx, "git", args...)
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// gitserve serves the repositories below a directory over HTTP until stop is called.
func (b *bench) gitserve(dir string) (address string, stop func(), err error) {
	cmd := exec.CommandContext(b.ctx, b.bin("gitserve"), dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait() // it was asked to end
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("read where gitserve serves: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

// pluginFiles are those of a plugin of usual size: its manifest, three skills, an agent,
// a command and what lies beside them.
func pluginFiles(name string) map[string]string {
	body := strings.Repeat("Read the code first. Then change the least that helps.\n", 40)
	files := map[string]string{
		".claude-plugin/plugin.json": fmt.Sprintf("{\"name\": %q, \"version\": \"1.0.0\", \"description\": \"The plugin %s.\"}\n", name, name),
		"agents/reviewer.md":         "---\nname: reviewer\ndescription: Takes reviews.\n---\n" + body,
		"commands/begin.md":          "---\ndescription: Begins.\n---\n" + body,
		"README.md":                  "# " + name + "\n" + body,
		"LICENSE":                    body,
	}
	for i := range 3 {
		files[fmt.Sprintf("skills/s%d/SKILL.md", i)] = fmt.Sprintf("---\nname: s%d\ndescription: Does thing %d of %s.\n---\n%s", i, i, name, body)
		files[fmt.Sprintf("skills/s%d/references/more.md", i)] = body
	}
	return files
}

// largeFiles are those of a plugin of so many files, fifty for each of its skills.
func largeFiles(n int) map[string]string {
	files := map[string]string{".claude-plugin/plugin.json": `{"name": "large", "version": "1.0.0", "description": "A large one."}`}
	for i := 0; len(files) < n; i++ {
		dir := fmt.Sprintf("skills/s%03d/", i/50)
		if i%50 == 0 {
			files[dir+"SKILL.md"] = fmt.Sprintf("---\nname: s%03d\ndescription: Does thing %d.\n---\nDo it.\n", i/50, i/50)
		} else {
			files[fmt.Sprintf("%sreferences/f%d.md", dir, i)] = strings.Repeat(fmt.Sprintf("line %d\n", i), 100)
		}
	}
	return files
}

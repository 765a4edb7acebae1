package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// synthesize makes a tree of the shape that public plugin repositories have: a
// few hundred plugins of a few skills, agents and commands each, bodies of a
// few kilobytes, and other files beside them, where one file in thirty has a
// fault.
func synthesize(dir string) error {
	body := strings.Repeat("Read the code first. Then change the least that helps.\n", 120)
	n := 0
	document := func(name, front string) error {
		n++
		if n%30 == 0 {
			front = "description: Broken: by an unquoted colon"
		}
		return write(name, "---\n"+front+"\n---\n"+body)
	}
	for p := range 300 {
		root := filepath.Join(dir, fmt.Sprintf("repository-%d/plugins/plugin-%d", p%10, p))
		manifest := fmt.Sprintf("{\n  \"name\": \"plugin-%d\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Plugin number %d.\"\n}\n", p, p)
		if err := write(filepath.Join(root, ".claude-plugin/plugin.json"), manifest); err != nil {
			return err
		}
		for i := range 5 {
			skill := filepath.Join(root, fmt.Sprintf("skills/skill-%d", i))
			if err := document(filepath.Join(skill, "SKILL.md"), fmt.Sprintf("name: skill-%d\ndescription: Does thing %d when asked to.\nallowed-tools: Read, Grep", i, i)); err != nil {
				return err
			}
			for _, other := range []string{"references/more.md", "references/table.json", "scripts/notes.md", "LICENSE"} {
				if err := write(filepath.Join(skill, other), body[:400]); err != nil {
					return err
				}
			}
		}
		for i := range 3 {
			if err := document(filepath.Join(root, fmt.Sprintf("agents/agent-%d.md", i)), fmt.Sprintf("name: agent-%d\ndescription: \"Takes work of kind %d.\"\nmodel: inherit", i, i)); err != nil {
				return err
			}
			if err := document(filepath.Join(root, fmt.Sprintf("commands/command-%d.md", i)), fmt.Sprintf("description: Starts thing %d", i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o644)
}

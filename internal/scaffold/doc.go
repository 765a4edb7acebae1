// Package scaffold writes new things into a design monorepo: a skill, an agent, a
// deployment, a tool, a profile or a mission, from a template.
//
// Nothing gets into a file as it was said. Each place of a template names the form in which
// its value is written there: an identifier, a text of Python, a docstring, a value of YAML.
// What was made is then read back as discovery reads it, in a copy of what the branch has,
// and is written only if the new entry is found there, by its name and with its description.
// Python must use nothing but what agents may write. All files get into one commit.
package scaffold

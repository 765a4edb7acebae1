// Package env holds the hooks for the environment of a worktree's programs.
package env

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Variable is one variable of the environment.
type Variable struct {
	Name  string `json:"name" doc:"Letters, digits and '_', none of which the loader, the shell or Mortise itself is led by."`
	Value string `json:"value" doc:"Its value. ${WORKSPACE}, ${PLUGIN_ROOT} and ${PLUGIN_DATA} stand for directories."`
}

var (
	// Derived are variables that follow from the mode.
	Derived = surface.DefineHook(surface.HookDef[surface.Question, Variable]{
		Name:  "derive_env",
		Doc:   "Variables of the environment that follow from the mode.",
		Needs: ext.Project, Merge: surface.Overlay,
		Key: func(v Variable) string { return v.Name }, Valid: (*Variable).check,
	})
	// Defaults are variables that are no secret and hold where nothing else gives them.
	Defaults = surface.DefineHook(surface.HookDef[surface.Question, Variable]{
		Name:  "env_defaults",
		Doc:   "Variables without secrets, for what runs on the host and where nothing else sets them.",
		Needs: ext.Project, Merge: surface.Overlay,
		Key: func(v Variable) string { return v.Name }, Valid: (*Variable).check,
	})
)

// led are variables by which a program, a shell or the loader is made to run other code,
// or to find other programs.
var led = []string{
	"PATH", "HOME", "SHELL", "USER", "LOGNAME", "IFS", "ENV", "BASH_ENV", "PROMPT_COMMAND", "PS4", "SHELLOPTS", "BASHOPTS", "CDPATH", "GLOBIGNORE", "ZDOTDIR",
	"NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
	"EDITOR", "VISUAL", "PAGER", "BROWSER", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS",
}

// ours begin variables that nobody but their owner sets.
var ours = []string{"MORTISE_", "LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG"}

// Name is what is wrong with the name of a variable that an extension sets; nil when
// nothing is.
func Name(name string) error {
	switch {
	case !surface.VariableName(name):
		return fmt.Errorf("has the name %s, expected letters, digits and '_'", ext.Quote(ext.Shorten(name, 80)))
	case slices.Contains(led, strings.ToUpper(name)), slices.ContainsFunc(ours, func(p string) bool { return strings.HasPrefix(strings.ToUpper(name), p) }):
		return fmt.Errorf("sets %s, by which programs are led to run other code", name)
	}
	return nil
}

func (v *Variable) check() error {
	if strings.ContainsRune(v.Value, 0) {
		return fmt.Errorf("gives %s a value that holds the character NUL", ext.Quote(v.Name))
	}
	return Name(v.Name)
}

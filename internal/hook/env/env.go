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
	Name  string `json:"name" doc:"Capitals, digits and '_', with a '_' within, such as ACME_URL. None by which programs are led to run other code or to send something elsewhere."`
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

// led begin variables by which a shell, the loader, a tool or a client is made to run other
// code, to read other configuration, or to send credentials elsewhere; ends end such ones.
// Every other name that a shell gives a meaning to has no '_' within, or small letters,
// which Name refuses.
var (
	led = []string{
		"MORTISE_", "LD_", "DYLD_", "BASH_", "ZSH_", "KSH_", "FISH_", "HIST_", "COMP_", "PROMPT_", "READLINE_", "DIRSTACK_",
		"GIT_", "SSH_", "GPG_", "XDG_", "LESS_", "MAN_", "GCONV_", "GLIBC_", "MALLOC_", "LC_", "TERM_",
		"NODE_", "NPM_", "YARN_", "PNPM_", "BUN_", "DENO_", "PYTHON_", "PIP_", "UV_", "PERL5_", "PERL_", "RUBY_", "BUNDLE_", "GEM_", "JAVA_", "_JAVA_", "JDK_", "MAVEN_", "GRADLE_",
		"GO_", "CGO_", "RUSTC_", "RUST_", "CARGO_", "CC_", "CXX_", "MAKE_", "CMAKE_", "PKG_CONFIG_",
		"OPENSSL_", "SSL_", "CURL_", "REQUESTS_", "HTTP_", "HTTPS_",
		"DOCKER_", "CONTAINER_", "CONTAINERS_", "PODMAN_", "BUILDKIT_", "KUBE_", "HELM_", "AWS_ENDPOINT", "AWS_CONFIG", "AWS_SHARED", "AWS_CA",
		"ANTHROPIC_", "CLAUDE_CODE_", "CLAUDE_CONFIG_", "OPENAI_", "GEMINI_", "GOOGLE_GEMINI_", "CODEX_", "CURSOR_", "COPILOT_", "MCP_",
	}
	ends = []string{"_PROXY", "_OPTIONS", "_OPTS", "_FLAGS", "_ARGS", "_EDITOR", "_PAGER", "_BROWSER", "_ASKPASS", "_SHELL", "_PRELOAD", "_STARTUP", "_RC", "_RCFILE", "_INIT", "_WRAPPER", "_COMMAND", "_EXEC_PATH", "_LIBRARY_PATH"}
)

// Name is what is wrong with the name of a variable that an extension sets; nil when
// nothing is. A name is capitals, digits and '_', with one '_' within: shells evaluate the
// values of some of their own variables, and none of those is named so but for what led has.
func Name(name string) error {
	within := strings.Trim(name, "_")
	switch {
	case !surface.VariableName(name) || strings.ToUpper(name) != name || !strings.Contains(within, "_"):
		return fmt.Errorf("has the name %s, expected capitals, digits and '_', with a '_' within, such as ACME_URL", ext.Quote(ext.Shorten(name, 80)))
	case slices.ContainsFunc(led, func(p string) bool { return strings.HasPrefix(name, p) }), slices.ContainsFunc(ends, func(p string) bool { return strings.HasSuffix(name, p) }):
		return fmt.Errorf("sets %s, by which programs are led to run other code or to send something elsewhere", name)
	}
	return nil
}

func (v *Variable) check() error {
	for _, r := range v.Value {
		if r != '\n' && r != '\t' && ext.Hidden(r) {
			return fmt.Errorf("gives %s a value that holds the character %s, which does not show", ext.Quote(v.Name), ext.Escape(string(r)))
		}
	}
	return Name(v.Name)
}

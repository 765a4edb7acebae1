package env_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/env"
)

// No variable by which a shell runs its value, or a program is led elsewhere, is an
// extension's to set: the value of RANDOM is evaluated as arithmetic, PS0 before a command.
func TestNameRefuses(t *testing.T) {
	for _, name := range strings.Fields(`RANDOM SRANDOM OPTIND HISTCMD LINENO SECONDS UID PS0 PS1 PS4 IFS MAILPATH TMOUT PROMPT_COMMAND BASH_ENV BASHOPTS ENV CDPATH
		PATH HOME SHELL INPUTRC LESSOPEN PAGER EDITOR MAKEFLAGS GOFLAGS RUSTC_WRAPPER NODE_OPTIONS npm_config_script_shell PYTHONPATH PERL5OPT JAVA_TOOL_OPTIONS _JAVA_OPTIONS
		GIT_EXEC_PATH GIT_SSH_COMMAND SSH_ASKPASS XDG_CONFIG_HOME LD_PRELOAD DYLD_INSERT_LIBRARIES GCONV_PATH OPENSSL_CONF
		http_proxy HTTPS_PROXY MY_PROXY NO_PROXY DOCKER_HOST ANTHROPIC_BASE_URL fpath fish_function_path ZSH_EVAL_CONTEXT HISTSIZE LINES MORTISE_ENV acme_url A _A A_ ACME`) {
		if env.Name(name) == nil {
			t.Errorf("Name(%s): got nothing against it", name)
		}
	}
	for _, name := range []string{"ACME_URL", "COMPOSE_PROFILES", "GCP_METADATA_HOST", "CLAUDE_INJECT", "ROOT_DIR", "P1_URL"} {
		if err := env.Name(name); err != nil {
			t.Errorf("Name(%s): got %v, want it taken", name, err)
		}
	}
}

// Whatever variables the shells of this machine have of their own are refused.
func TestNameRefusesTheShells(t *testing.T) {
	for _, shell := range [][]string{{"bash", "-ic", "compgen -v"}, {"sh", "-c", "set"}, {"zsh", "-ic", "typeset +"}, {"fish", "-ic", "set --names"}} {
		file, err := exec.LookPath(shell[0])
		if err != nil {
			continue // bash and sh are everywhere that the tests run
		}
		cmd := exec.Command(file, shell[1:]...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TERM=dumb"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v", shell, err)
		}
		seen := 0
		for line := range strings.Lines(string(out)) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "=")
			if fields := strings.Fields(name); len(fields) > 0 {
				name = fields[len(fields)-1]
			}
			if seen++; env.Name(name) == nil {
				t.Errorf("%s has the variable %s, which an extension may set", shell[0], name)
			}
		}
		if seen < 5 {
			t.Errorf("%q: got %d variables, want those that it has", shell, seen)
		}
	}
}

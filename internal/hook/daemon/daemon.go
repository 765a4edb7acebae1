// Package daemon holds the hooks for what runs beside a worktree while it is at work.
package daemon

import (
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Daemon is one program that is kept running. It is started anew when its command or its
// environment is another one.
type Daemon struct {
	Name     string            `json:"name" doc:"What it goes by."`
	Label    string            `json:"label,omitzero" doc:"What people are shown."`
	Command  []string          `json:"command" doc:"The program and its arguments. No shell is asked. ${WORKSPACE}, ${PLUGIN_ROOT} and ${PLUGIN_DATA} stand for directories."`
	Env      map[string]string `json:"env,omitempty" doc:"Its environment, beside the documented base."`
	Port     int               `json:"port,omitzero" doc:"The port on this machine that it listens on."`
	Requires []string          `json:"requires,omitempty" doc:"Variables without which it is not started. One of a mechanism that shares the daemon with others does not belong here."`
}

// Service is one service of the stack by which a level is enforced.
type Service struct {
	Name string `json:"name" doc:"The service of the compose files."`
	Run  bool   `json:"run" doc:"Whether it should run. Where the stack is down, what should not is removed."`
}

var (
	// Daemons are what should run.
	Daemons = surface.DefineHook(surface.HookDef[surface.Question, Daemon]{
		Name:  "daemons",
		Doc:   "Programs that are kept running for a worktree in a mode.",
		Needs: ext.Project, Merge: surface.Overlay,
		Key: func(d Daemon) string { return d.Name }, Valid: (*Daemon).check,
	})
	// Services are what of the stack runs although the stack is down.
	Services = surface.DefineHook(surface.HookDef[surface.Question, Service]{
		Name:  "mode_services",
		Doc:   "Services of the stack that a level is enforced by, and whether each should run.",
		Needs: ext.Project, Merge: surface.Overlay,
		Key: func(s Service) string { return s.Name },
		Valid: func(s *Service) error {
			if s.Name == "" {
				return fmt.Errorf("names no service")
			}
			return nil
		},
	})
)

func (d *Daemon) check() error {
	switch {
	case !surface.Plain(d.Name, 64, "._-@"):
		return fmt.Errorf("is about a daemon with the name %s, expected letters, digits, '.', '_', '-' and '@'", ext.Quote(ext.Shorten(d.Name, 80)))
	case slices.ContainsFunc(d.Requires, func(v string) bool { return !surface.VariableName(v) }):
		return fmt.Errorf("is about the daemon %s, which requires something that is no variable", ext.Quote(d.Name))
	case len(d.Command) == 0 || d.Command[0] == "":
		return fmt.Errorf("is about the daemon %s, which has no command", ext.Quote(d.Name))
	case d.Port < 0 || d.Port > 65535:
		return fmt.Errorf("is about the daemon %s, whose port %d is none", ext.Quote(d.Name), d.Port)
	}
	return nil
}

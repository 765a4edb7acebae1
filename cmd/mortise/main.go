// Command mortise is the extension host for AI agents. This package wires the
// build's catalogue to the command line and holds nothing else.
package main

import (
	"context"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"

	"golang.org/x/term"

	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/face/cli"
	"github.com/mortise-dev/mortise/internal/host"
)

func main() {
	child.Main() // where this is the shim of a server, nothing else happens
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, noDir := currentDir()
	out := int(os.Stdout.Fd())
	app := &cli.App{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: dir, NoDir: noDir, Env: os.Environ(),
		Terminal: terminal(os.Stdout), Watched: terminal(os.Stderr),
		Asked: terminal(os.Stdin) && terminal(os.Stderr), Hangup: hangups(stop),
		Build: build(), Person: person,
		Specs: catalog.Specs, Checks: catalog.AllChecks(),
		Open: func(ctx context.Context, p host.Place, purpose host.Purpose) (*host.Host, func() error, error) {
			if purpose == host.Serving {
				outliveReaders()
			}
			return catalog.Open(ctx, p, purpose, nil)
		},
		Adopted:        catalog.Adopted,
		Endpoint:       newEndpoint,
		Check:          check,
		CheckWorkspace: catalog.CheckWorkspace,
		Try:            catalog.Try,
		Calls:          catalog.Calls,
		Roster:         catalog.Roster,
		Checkouts:      catalog.Checkouts,
		TryInstalled:   catalog.TryInstalled,
		SetUp:          catalog.SetUp,
		Labelled:       catalog.Labelled,
		Needs:          catalog.Needs,
		Markets:        catalog.Markets,
		Exec:           execute,
		State:          catalog.State,
		StatePath:      catalog.StatePath,
		CheckState:     catalog.CheckState,
		RepairState:    catalog.RepairState,
		Doctor:         catalog.Doctor,
		Mend:           catalog.Mend,
		Verify:         catalog.Verify,
	}
	if width, _, err := term.GetSize(out); err == nil {
		app.Width = width
	}
	return cli.Run(ctx, app, os.Args[1:])
}

// check lets more garbage gather than usual, unless the environment says how much:
// what it reads is needed for a moment, and the process ends with it.
func check(ctx context.Context, in host.Inspection) (*host.Listing, error) {
	const percent = 300
	if _, set := os.LookupEnv("GOGC"); !set {
		defer debug.SetGCPercent(debug.SetGCPercent(percent))
	}
	return catalog.Check(ctx, in)
}

// outliveReaders has a write that nobody reads fail, and not end the program:
// one that serves has to end what it started first, or goes on without.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// currentDir is the current directory with its links resolved, as the
// directories are that it is compared with; "" and why, when it is gone or
// may not be read.
func currentDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// person is who is at work, for the history of changes.
func person() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// build says what this program was built from.
func build() cli.Build {
	b := cli.Build{Version: "(unknown)", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

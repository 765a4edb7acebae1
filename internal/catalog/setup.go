package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/prepare"
)

// leftover is how long is waited for what a set-up step left that was killed with who ran
// it: it is being ended.
const leftover = 15 * time.Second

// SetUp runs one set-up step, once nobody else runs one of its plugin, unless it ran
// already and again is false: then ran is false. A step that did not end well is an
// outcome, and no error. One that nobody waited for any more counts as never run.
func SetUp(ctx context.Context, p host.Place, s *host.Setup, o host.SettingUp) (out prepare.Outcome, ran bool, err error) {
	held, err := p.Prepared().Hold(ctx, s.Data, o.Waits)
	if err != nil {
		return out, false, err
	}
	defer held.Release()
	all, _ := p.Prepared().Load(s.Data) // what cannot be read is not known, and is run again
	was := all[s.Name]
	if was.Of(s.Digest, s.Content) == prepare.Done && !o.Again {
		return was, false, nil
	}
	if err := gather(ctx, s, was.Program); err != nil {
		return out, false, err
	}
	out = prepare.Outcome{Digest: s.Digest, Content: s.Content, State: prepare.Begun, Begun: time.Now().UTC()}
	if err := held.Put(s.Name, out); err != nil {
		return out, false, err
	}
	log := prepare.NewLog(o.Output)
	err = runStep(ctx, p, s, log, func(program child.Identity) {
		out.Program = program
		_ = held.Put(s.Name, out) // without it the next run waits for nothing
	})
	if ctx.Err() != nil {
		return out, true, errors.Join(ctx.Err(), held.Forget(s.Name))
	}
	edited, digestErr := edited(ctx, s)
	out.State, out.Ended, out.Program = prepare.Done, time.Now().UTC(), child.Identity{}
	switch exit := exitCode(0); {
	case errors.As(err, &exit):
		out.State, out.Why, out.Exit = prepare.Failed, fmt.Sprintf("exit code %d", exit), int(exit)
	case err != nil:
		out.State, out.Why = prepare.Failed, err.Error()
	case digestErr != nil:
		out.State, out.Why = prepare.Failed, digestErr.Error()
	}
	if edited {
		out.State, out.Why = prepare.Failed, join(out.Why, "it changed the plugin's own directory, which is content and must stay as it is")
	}
	return out, true, errors.Join(file.Replace(p.Prepared().Log(s.Data, s.Name), log.Bytes()), held.Put(s.Name, out))
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// gather looks whether a step can run: nothing of an earlier run is left, the plugin is
// what was consented to, and there is a data directory.
func gather(ctx context.Context, s *host.Setup, program child.Identity) error {
	for end := time.Now().Add(leftover); program.Pid != 0 && child.Alive(program); {
		if time.Now().After(end) {
			return fmt.Errorf("process %d of an earlier run of %s still runs; end it, then try again", program.Pid, ext.Quote(s.Qualified()))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	changed, err := edited(ctx, s)
	if err == nil && changed {
		err = ext.AsRefused(fmt.Errorf("what lies in %s is not what was consented to; mortise trust shows what is there now", ext.Quote(s.Root)))
	}
	if err != nil {
		return err
	}
	return s.MakeData()
}

// edited reports whether a plugin's directory is not what was consented to.
func edited(ctx context.Context, s *host.Setup) (bool, error) {
	is, err := discover.Digest(ctx, s.Root)
	if err != nil {
		return false, fmt.Errorf("see whether the plugin's directory is as it was: %w", err)
	}
	return is != s.Content, nil
}

// exitCode is a program that ended by itself with another code than 0.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// runStep runs a step in the data directory, with the environment that the plugin's
// servers get. Nothing of it is left running.
func runStep(ctx context.Context, p host.Place, s *host.Setup, log io.Writer, started func(child.Identity)) error {
	step := s.Expanded()
	var declared []mcp.Pair
	for _, v := range step.Env {
		declared = append(declared, mcp.Pair(v))
	}
	c := command.Command{
		Path: step.Command, Args: step.Args, Dir: s.Data, Limit: step.Limit, Output: log, Started: started,
		Env: mcp.Environment(p.Env, declared, s.Root, s.Data),
	}
	if filepath.Base(c.Path) != c.Path { // "./…"
		c.Path = filepath.Join(s.Root, filepath.FromSlash(c.Path))
	}
	r, err := command.Run(ctx, c)
	if err == nil && r.Exit != 0 {
		err = exitCode(r.Exit)
	}
	return err
}

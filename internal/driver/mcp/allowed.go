package mcp

import (
	"context"
	"errors"
)

// denied is the answer that a server may not run.
type denied struct{ why error }

func (d *denied) Error() string { return d.why.Error() }
func (d *denied) Unwrap() error { return d.why }

// ends are the ends of a server in a row: of lives that were short, and of
// tries that were denied, which say nothing of the server.
type ends struct{ quick, denied int }

func (e *ends) count(err error, steady bool) {
	if steady {
		e.quick = 0
	}
	if _, no := errors.AsType[*denied](err); no {
		e.denied++
		return
	}
	e.quick++
	e.denied = 0
}

// try has the server live if it may. One that was denied stays so, for all to
// see, until it is told otherwise.
func (s *session) try(ctx context.Context, denied bool) error {
	starting := func(st *Status) { st.State = Starting }
	if !denied {
		s.move(starting)
	}
	if err := s.allowed(ctx); err != nil {
		return err
	}
	if denied {
		s.move(starting)
	}
	err := s.live(ctx)
	if errors.Is(err, errTwice) {
		s.move(starting)
		err = s.live(ctx)
	}
	return err
}

// allowed asks whether the server may run. Nothing is asked for one that will
// not be started anyway.
func (s *session) allowed(ctx context.Context) error {
	if s.opts.Allowed == nil || s.target.Fault != "" {
		return nil
	}
	s.allowing.Lock()
	err := s.opts.Allowed(ctx, s.target.Key)
	s.allowing.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return &denied{err}
	}
	return nil
}

// deny takes the answer into the status, and into the log when it is news.
func (s *session) deny(no *denied) {
	say, news := s.log.shown(no.Error()), false
	s.move(func(st *Status) {
		news = st.Error != say
		st.State, st.Error = Failed, say
	})
	if news {
		s.note("it is not started: %s", say)
	}
}

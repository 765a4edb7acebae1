package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
	"github.com/mortise-dev/mortise/internal/session"
)

// serving is one run of serve.
type serving struct {
	call     *call
	host     *host.Host
	place    host.Place
	options  serveOptions
	claim    *instance.Claim
	public   *door // nil: over standard input and output
	endpoint Endpoint
	others   sync.WaitGroup
}

// run reads the workspace, asks for consent where it can, tells what there is,
// and serves until ctx ends or the one client is gone.
func (s *serving) run(ctx context.Context) error {
	if _, err := s.host.Refresh(ctx); err != nil {
		return err
	}
	if err := s.consent(ctx); err != nil {
		return err
	}
	if err := s.approval(ctx); err != nil {
		return err
	}
	offer, err := s.offer()
	if err != nil {
		return err
	}
	s.endpoint = s.call.Endpoint(s.host, offer)
	control, err := s.open()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed []error
	fail := make(chan error, 4)
	s.start(func() error { return s.host.Serve(ctx) }, fail, stop)
	s.start(func() error { return serveHTTP(ctx, control, s.control(), s.call.complain) }, fail, stop)
	s.start(func() error { s.listen(ctx); return nil }, fail, stop)
	if s.options.stdio {
		s.start(func() error {
			defer stop() // the client is gone
			err := s.endpoint.Serve(ctx, s.call.In, nopCloser{s.call.Out})
			if errors.Is(err, syscall.EPIPE) {
				return nil // it went while it was told something
			}
			if err != nil {
				return fmt.Errorf("standard input: %w", err)
			}
			return nil
		}, fail, stop)
	} else {
		s.start(func() error {
			return s.public.serve(ctx, s.endpoint.Handler(), s.call.complain)
		}, fail, stop)
	}
	if err := s.told(ctx); err != nil {
		stop()
		failed = append(failed, err)
	}
	<-ctx.Done()
	s.endpoint.Close()
	s.others.Wait()
	close(fail)
	for err := range fail {
		if err != nil && !errors.Is(err, context.Canceled) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// start runs a part of serving; one that fails ends all.
func (s *serving) start(part func() error, fail chan<- error, stop context.CancelFunc) {
	s.others.Go(func() {
		err := part()
		fail <- err
		if err != nil {
			stop()
		}
	})
}

// offer is what is offered: everything, or one server.
func (s *serving) offer() (session.OfferOptions, error) {
	g := s.host.Now()
	o := session.OfferOptions{NameLimit: g.Config.Gateway.NameLimit}
	if s.options.upstream == "" {
		return o, nil
	}
	name, err := s.call.serverName(g, s.options.upstream)
	if err != nil {
		return o, err
	}
	o.Only = name
	return o, s.call.runnable(g, name)
}

// runnable refuses a server that would not run: whoever connected would find
// nothing, and not why.
func (c *call) runnable(g *host.Generation, name string) error { return c.ready(g, name, "served") }

// ready refuses a server that may not be started for what is to be done with it.
func (c *call) ready(g *host.Generation, name, done string) error {
	for _, e := range g.Entries("server") {
		if e.Qualified == name && e.Status != "active" {
			why := cmp.Or(whyNot(g, name), "it is "+e.Status)
			return refuse("%s cannot be %s: %s; %s", ext.Escape(name), done, safe(why), c.whatHelps(g, e))
		}
	}
	return nil
}

// whatHelps says what a person can do about an entry that is not active.
func (c *call) whatHelps(g *host.Generation, e host.EntryRow) string {
	flag := c.nextFlag(g.Config.Workspace().Dir)
	if e.Status == "pending" {
		return "mortise " + flag + "trust shows what it would run, and adopts it"
	}
	return "mortise " + flag + "explain " + word(e.Qualified) + " says more"
}

// open makes the control socket and tells other processes of this one, so that
// they find it as soon as it says that it serves.
func (s *serving) open() (net.Listener, error) {
	l, err := s.claim.Listen()
	if err != nil {
		return nil, fmt.Errorf("open the control socket: %w", err)
	}
	address, secure := "", false
	if s.public != nil {
		address, secure = s.public.Addr().String(), s.public.tls != nil
	}
	if err := s.claim.Publish(address, secure); err != nil {
		return nil, errors.Join(fmt.Errorf("tell other processes of this one: %w", err), l.Close())
	}
	return l, nil
}

// control is what the person's own programs may ask over a socket of theirs.
func (s *serving) control() http.Handler {
	mux := http.NewServeMux()
	mux.Handle(instance.IDPath, s.claim.Identify())
	mux.Handle("/", s.endpoint.Control(s.claim.Record().Token))
	return mux
}

// listen reads everything anew when the system asks for it, and tells on
// standard error what becomes of the servers and of the passes.
func (s *serving) listen(ctx context.Context) {
	moved := make(chan struct{}, 1)
	tell := func() {
		select {
		case moved <- struct{}{}:
		default:
		}
	}
	defer s.host.SubscribeServers(tell)()
	defer s.host.SubscribeFaults(func(error) { tell() })()
	defer s.host.Subscribe(func(*host.Generation) { tell() })()
	var noticed notices
	defer s.host.SubscribeNotices(func(err error) { noticed.put(err); tell() })()
	var said news
	tell() // what waits since before
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.call.Hangup:
			_, _ = s.host.Refresh(ctx) // when it fails that is told of
		case <-moved:
			for _, text := range slices.Concat(said.pass(s.host.Fault()), said.watched(s.host.Polled()), said.servers(s.host.Servers()), said.unapproved(s.host, s.call.nextFlag(s.place.Workspace.Dir)), noticed.news(time.Now())) {
				fmt.Fprintln(s.call.Err, "mortise: "+text)
			}
		}
	}
}

// nopCloser is a writer whose close is somebody else's.
type nopCloser struct {
	w interface{ Write([]byte) (int, error) }
}

func (n nopCloser) Write(b []byte) (int, error) { return n.w.Write(b) }
func (n nopCloser) Close() error                { return nil }

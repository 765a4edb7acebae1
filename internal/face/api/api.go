// Package api is the face over HTTP for programs: what a running host holds,
// and the few things it can be asked to do.
package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/loopback"
)

// Host is what the API needs of a host.
type Host interface {
	Current(context.Context) (*host.Generation, error)
	Refresh(context.Context) (*host.Generation, error)
	Servers() []call.Status
	Restart(ctx context.Context, name string) error
	Happen(ctx context.Context, e *dialect.Event) (dialect.Answer, error)
	TaskHost
}

// Public are the requests that anybody who reaches the address may make: they
// only look.
//
//	GET /api/generation     the listing, in the shape of mortise list --json
//	GET /api/tasks          all tasks, in the shape of mortise task list --json
//	GET /api/tasks/{name}   one task, in the shape of mortise task show --json
func Public(h Host) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/generation", func(w http.ResponseWriter, r *http.Request) {
		g, err := h.Current(r.Context())
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w, g.Listing())
	})
	readTasks(mux, h)
	return local(mux)
}

// Control are the requests of the person's own programs, over a socket that
// only the person can open. What changes something needs the token besides.
//
//	GET  /api/generation        as Public
//	GET  /api/servers           how the running servers are doing
//	POST /api/refresh           makes a pass and answers with its numbers
//	POST /api/servers/restart   starts the server that the form's name names anew
//	POST /api/hook              answers what the form's client tells its hook of an event
//
// Tasks are written in the owner's directory alone. What is not writable, or was
// changed meanwhile, is refused with the reason (403, 409).
//
//	GET    /api/tasks               as Public
//	GET    /api/tasks/{name}        as Public
//	POST   /api/tasks               makes the form's name with the form's text
//	PUT    /api/tasks/{name}        puts the form's text in the place of what has the form's digest
//	DELETE /api/tasks/{name}        removes it, if its files have the digest whole of the query
//	POST   /api/tasks/{name}/copy   copies it into the owner's directory, as the form's as, or under its own name
func Control(h Host, token string) http.Handler {
	mux := http.NewServeMux()
	public := Public(h)
	for _, pattern := range []string{"GET /api/generation", "GET /api/tasks", "GET /api/tasks/{name}"} {
		mux.Handle(pattern, public)
	}
	changeTasks(mux, h, token)
	mux.HandleFunc("GET /api/servers", func(w http.ResponseWriter, _ *http.Request) { answer(w, Servers{h.Servers()}) })
	mux.Handle("POST /api/refresh", guarded(token, func(w http.ResponseWriter, r *http.Request) {
		g, err := h.Refresh(r.Context())
		if err != nil {
			refuse(w, err)
			return
		}
		l := g.Listing()
		answer(w, Refreshed{l.Generation, l.Digest, l.Found, l.Admitted, l.Refused, l.Disabled, l.Pending})
	}))
	mux.Handle("POST /api/servers/restart", guarded(token, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, largestForm)
		if err := h.Restart(r.Context(), r.FormValue("name")); err != nil {
			refuse(w, err)
			return
		}
		answer(w, Servers{h.Servers()})
	}))
	mux.Handle("POST /api/hook", guarded(token, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, largestEvent)
		client, event := r.FormValue("client"), r.FormValue("event")
		e, err := dialect.Read(client, event, []byte(r.FormValue("text")))
		if err != nil {
			refuse(w, ext.AsUsage(err))
			return
		}
		ctx := r.Context()
		if within, err := time.ParseDuration(r.FormValue("within")); err == nil {
			bounded, cancel := context.WithTimeout(ctx, within)
			defer cancel()
			ctx = bounded
		}
		a, err := h.Happen(ctx, &e)
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w, a.Reply(client, event))
	}))
	return mux
}

// largestEvent is the largest form of an event that is read: each of its bytes may
// be three in a form.
const largestEvent = 3*16<<20 + 64<<10

// largestForm is the largest form that is read.
const largestForm = 64 << 10

// Servers are the running servers of a host.
type Servers struct {
	Servers []call.Status `json:"servers"`
}

// Refreshed are the numbers of a new generation.
type Refreshed struct {
	Generation uint64 `json:"generation"`
	Digest     string `json:"digest"`
	Found      int    `json:"found"`
	Admitted   int    `json:"admitted"`
	Refused    int    `json:"refused"`
	Disabled   int    `json:"disabled"`
	Pending    int    `json:"pending"`
}

// Fault is the document of a request that was not fulfilled.
type Fault struct {
	Error string `json:"error"`
}

// guarded asks for the token first.
func guarded(token string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || token == "" || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			write(w, http.StatusUnauthorized, Fault{"this request changes something and needs the token of the host"})
			return
		}
		next(w, r)
	})
}

// local refuses what a page in a browser could ask.
func local(next http.Handler) http.Handler {
	return loopback.Only(next, func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusForbidden, Fault{loopback.Foreign})
	})
}

// refuse answers with an error and the status for its kind.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch ext.KindOf(err) {
	case ext.Usage:
		status = http.StatusNotFound
	case ext.Refused:
		status = http.StatusForbidden
	}
	write(w, status, Fault{err.Error()})
}

func answer(w http.ResponseWriter, v any) { write(w, http.StatusOK, v) }

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // who asked is gone
}

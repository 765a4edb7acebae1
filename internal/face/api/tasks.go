package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
)

// TaskHost is what the API needs of a host for tasks.
type TaskHost interface {
	Tasks(ctx context.Context) (*author.Tasks, error)
	NewTask(ctx context.Context, name string, text []byte) (author.Shown, error)
	EditTask(ctx context.Context, name, was string, text []byte) (author.Shown, error)
	RemoveTask(ctx context.Context, name, whole string) (author.Task, error)
	CopyTask(ctx context.Context, name, as, by string) (author.Shown, error)
}

// largestTask is the largest form with the text of a task that is read: each byte of
// that may be three in a form.
const largestTask = 3*4<<20 + 64<<10

// ChangedFault is the document of a change that was made from something that is not
// there any more.
type ChangedFault struct {
	Fault
	Digest string `json:"digest"` // of what is there now; "" where nothing is
	Kept   string `json:"kept"`   // the file that keeps what was to be written; "" where there was nothing
}

// readTasks are the requests that look at tasks.
func readTasks(mux *http.ServeMux, h TaskHost) {
	mux.HandleFunc("GET /api/tasks", func(w http.ResponseWriter, r *http.Request) {
		t, err := h.Tasks(r.Context())
		if err != nil {
			refuse(w, err)
			return
		}
		answer(w, t.Listed())
	})
	mux.HandleFunc("GET /api/tasks/{name}", func(w http.ResponseWriter, r *http.Request) {
		t, err := h.Tasks(r.Context())
		if err != nil {
			refuse(w, err)
			return
		}
		replied(w)(t.Show(r.PathValue("name")))
	})
}

// changeTasks are the requests that write in the owner's directory.
func changeTasks(mux *http.ServeMux, h TaskHost, token string) {
	change := func(pattern string, do func(http.ResponseWriter, *http.Request)) {
		mux.Handle(pattern, guarded(token, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, largestTask)
			if err := r.ParseForm(); err != nil {
				write(w, http.StatusBadRequest, Fault{"the form cannot be read: " + ext.Escape(err.Error())})
				return
			}
			do(w, r)
		}))
	}
	change("POST /api/tasks", func(w http.ResponseWriter, r *http.Request) {
		replied(w)(h.NewTask(r.Context(), r.PostForm.Get("name"), []byte(r.PostForm.Get("text"))))
	})
	change("PUT /api/tasks/{name}", func(w http.ResponseWriter, r *http.Request) {
		replied(w)(h.EditTask(r.Context(), r.PathValue("name"), r.PostForm.Get("digest"), []byte(r.PostForm.Get("text"))))
	})
	change("DELETE /api/tasks/{name}", func(w http.ResponseWriter, r *http.Request) {
		gone, err := h.RemoveTask(r.Context(), r.PathValue("name"), r.Form.Get("whole"))
		if err != nil {
			refuseTask(w, err)
			return
		}
		answer(w, Removed{gone})
	})
	change("POST /api/tasks/{name}/copy", func(w http.ResponseWriter, r *http.Request) {
		replied(w)(h.CopyTask(r.Context(), r.PathValue("name"), r.PostForm.Get("as"), "the HTTP API"))
	})
}

// Removed is a task that is not there any more.
type Removed struct {
	Removed author.Task `json:"removed"`
}

// replied answers with a task, or says why there is none.
func replied(w http.ResponseWriter) func(author.Shown, error) {
	return func(s author.Shown, err error) {
		if err != nil {
			refuseTask(w, err)
			return
		}
		answer(w, s)
	}
}

// refuseTask answers with an error of a change.
func refuseTask(w http.ResponseWriter, err error) {
	var changed *author.ChangedError
	var fault *author.FaultError
	switch {
	case errors.As(err, &changed):
		f := ChangedFault{Fault: Fault{err.Error()}, Kept: changed.Kept}
		if changed.Digest != (ext.Digest{}) {
			f.Digest = changed.Digest.String()
		}
		write(w, http.StatusConflict, f)
	case errors.As(err, &fault):
		write(w, http.StatusBadRequest, Fault{err.Error()})
	default:
		refuse(w, err)
	}
}

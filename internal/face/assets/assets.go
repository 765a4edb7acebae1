// Package assets is the face over HTTP for pictures and the like of plugins. Each is
// read from the plugin's own directory when it is asked for: nothing is copied, so
// that an update updates and disabling disables. What a browser could run is handed
// over to be saved, and never to be shown.
package assets

import (
	"bytes"
	"context"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/loopback"
	"github.com/mortise-dev/mortise/internal/root"
)

// Prefix is where assets are served: Prefix, the extension's name, "/", the path.
const Prefix = "/assets/"

// dir is where an extension keeps assets, below its root. Nothing else of it is
// served.
const dir = "assets"

// largest is the largest file that is served.
const largest = 32 << 20

// Host is what is needed of a host.
type Host interface {
	Current(context.Context) (*host.Generation, error)
}

// Handler serves the assets of every extension that is in use. What is not there, is
// a directory, is hidden or leads out of the directory of assets is not found, and
// nobody is told which of these it is.
func Handler(h Host) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Prefix+"{name}/{path...}", func(w http.ResponseWriter, r *http.Request) {
		g, err := h.Current(r.Context())
		if err != nil {
			http.Error(w, "it cannot be told now what is in use; mortise list says why", http.StatusInternalServerError)
			return
		}
		of, ok := g.InUse(ext.Name(r.PathValue("name")))
		name := r.PathValue("path")
		if !ok || !plain(name) {
			http.NotFound(w, r)
			return
		}
		data, changed, err := read(of, name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		serve(w, r, name, data, changed)
	})
	return loopback.Only(mux, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, loopback.Foreign, http.StatusForbidden) })
}

// plain reports whether a path leads down, to nothing hidden, on every system.
func plain(name string) bool {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, `\:`) || strings.ContainsFunc(name, ext.Hidden) {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return true
}

// read reads a file of the assets of an extension, whose directory is of.
func read(of, name string) (data []byte, changed time.Time, err error) {
	top, err := root.Open(of, root.Options{})
	if err != nil {
		return nil, changed, err
	}
	defer top.Close()
	r, err := top.Sub(dir, root.Options{})
	if err != nil {
		return nil, changed, err
	}
	defer r.Close()
	info, err := r.Stat(name)
	if err != nil {
		return nil, changed, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return nil, changed, fs.ErrNotExist
	}
	data, err = r.ReadFile(name)
	return data, info.ModTime(), err
}

// shown are the types that a browser may show: it runs nothing of them.
var shown = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".bmp": "image/bmp",
	".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".wav": "audio/wav", ".mp4": "video/mp4", ".webm": "video/webm",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".otf": "font/otf",
	".txt": "text/plain; charset=utf-8", ".md": "text/plain; charset=utf-8", ".csv": "text/plain; charset=utf-8", ".json": "application/json",
}

// saved are types that a browser could run, and that pages may use all the same: a
// picture within a page runs nothing, and one of its own is saved.
var saved = map[string]string{".svg": "image/svg+xml"}

func serve(w http.ResponseWriter, r *http.Request, name string, data []byte, changed time.Time) {
	ending := strings.ToLower(path.Ext(name))
	kind, ok := shown[ending]
	h := w.Header()
	if !ok {
		if kind = saved[ending]; kind == "" {
			kind = "application/octet-stream"
		}
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-site")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // kept, and asked about each time
	h.Set("ETag", `"`+ext.Sum(data).Short()+`"`)
	http.ServeContent(w, r, "", changed, bytes.NewReader(data))
}

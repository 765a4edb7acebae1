package gateway

import (
	"context"
	"net/http"
	"slices"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// modern reports whether a request is of a revision without a handshake.
func modern(f *rpc.Frame) bool { return f.Version.There() }

// stateless answers a request of a revision without a handshake.
func (g *Gateway) stateless(_ context.Context, f *rpc.Frame, _ emit, _ http.Header) []byte {
	return rpc.Refuse(f.Bytes(f.ID), unspoken()).Raw
}

// unspoken is the error of a revision that is not spoken.
func unspoken() []byte {
	fault := []byte(`{"code":-32022,"message":"this revision of the protocol is not spoken here; shake hands","data":{"supported":[`)
	for i, v := range shaking {
		if i > 0 {
			fault = append(fault, ',')
		}
		fault = append(fault, rpc.Quote(v)...)
	}
	return append(fault, "]}}"...)
}

// modernPost answers a request of a revision without a handshake over HTTP. It reports
// whether it was one.
func (g *Gateway) modernPost(w http.ResponseWriter, r *http.Request, f *rpc.Frame) bool {
	v := r.Header.Get(versionHeader)
	if !modern(f) && (v == "" || slices.Contains(shaking, v) || v < shaking[len(shaking)-1]) {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	id := []byte("null")
	if f.ID.There() {
		id = f.Bytes(f.ID)
	}
	_, _ = w.Write(rpc.Refuse(id, unspoken()).Raw)
	return true
}

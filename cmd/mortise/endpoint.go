package main

import (
	"net/http"

	"github.com/mortise-dev/mortise/internal/face/api"
	"github.com/mortise-dev/mortise/internal/face/assets"
	"github.com/mortise-dev/mortise/internal/face/cli"
	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// endpoint is what serves the clients of one host: the gateway, and the API
// beside it.
type endpoint struct {
	host *host.Host
	*gateway.Gateway
}

func newEndpoint(h *host.Host, o session.OfferOptions) cli.Endpoint {
	return &endpoint{h, gateway.New(h, gateway.Options{Version: build().Version, Offer: o})}
}

// Handler is /mcp, the part of /api that only looks, and the assets of plugins.
func (e *endpoint) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", e.Gateway.Handler())
	mux.Handle("/api/", api.Public(e.host))
	mux.Handle(assets.Prefix, assets.Handler(e.host))
	return mux
}

// Control is the API whole.
func (e *endpoint) Control(token string) http.Handler { return api.Control(e.host, token) }

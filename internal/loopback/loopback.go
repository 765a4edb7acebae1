// Package loopback is what it means to be this machine, to those who speak HTTP with it
// and to those who are asked.
package loopback

import (
	"net"
	"net/http"
	"strings"
)

// Is reports whether a host, an address without brackets or a name, is this machine.
// No name is looked up.
func Is(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Only keeps from next what a page in a browser could ask: requests from other origins,
// and those that came to this machine under another name than its own, which are
// answered by foreign.
func Only(next http.Handler, foreign http.HandlerFunc) http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsLoopback() && !Is(hostOf(r.Host)) {
			foreign(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}))
}

// Foreign is what is said to a request that came under another name.
const Foreign = "the Host of the request is not this machine's"

// hostOf is the host of what a request is addressed to, with a port or without.
func hostOf(address string) string {
	if name, _, err := net.SplitHostPort(address); err == nil {
		return name
	}
	return strings.Trim(address, "[]")
}

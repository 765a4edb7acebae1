package gateway

import (
	"net"
	"net/http"
	"strings"
)

// local refuses requests that came to this machine under another name than its own,
// which is how a page in a browser would come here by a name of its own.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsLoopback() && !loopback(r.Host) {
			http.Error(w, "the Host of the request is not this machine's", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func loopback(hostport string) bool {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.Trim(hostport, "[]")
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

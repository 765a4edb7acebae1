package mcp

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/loopback"
)

// origin is scheme, host and port of an address, for people and to compare.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	return originOf(u)
}

func originOf(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return scheme + "://" + host
}

// checkAddress holds an address to what Agent Plugins 7.2 allows. What stands
// before an @ may be a secret and is never shown.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return errors.New("its url is no absolute http(s) address")
	case u.User != nil:
		return errors.New("its url holds user info: put credentials into a header")
	case strings.Contains(address, "#"):
		return errors.New("its url holds a fragment")
	case u.Scheme == "http" && !loopback.Is(u.Hostname()):
		return fmt.Errorf("its url is plain http to %s: only this machine may be spoken to without TLS", ext.Quote(u.Hostname()))
	}
	return nil
}

func checkHeaders(headers []Pair) error {
	seen := map[string]bool{}
	for _, h := range headers {
		name := strings.ToLower(h.Name)
		switch {
		case !httpguts.ValidHeaderFieldName(h.Name) || !httpguts.ValidHeaderFieldValue(h.Value):
			return fmt.Errorf("its header %s is not valid", ext.Quote(h.Name))
		case seen[name]:
			return fmt.Errorf("its header %s is given twice", ext.Quote(h.Name))
		}
		seen[name] = true
	}
	return nil
}

// faithful is a client that follows a redirect within one origin only, and
// never turns a message into a GET.
func faithful(env []string) *http.Client {
	return &http.Client{Transport: transport(env), CheckRedirect: func(req *http.Request, via []*http.Request) error {
		first := via[0]
		switch {
		case originOf(req.URL) != originOf(first.URL):
			return fmt.Errorf("it redirects to another origin, %s, where nothing is sent: declare that address if it is meant", ext.Escape(originOf(req.URL)))
		case req.Method != first.Method:
			return errors.New("it redirects in a way that loses the message")
		case len(via) >= 5:
			return errors.New("it redirects too often")
		}
		return nil
	}}
}

// maxConns is how many connections one server is asked over at a time. Requests
// beyond that wait for one; what is small has as many of its own, see remote.do.
const maxConns = 128

// notices is how many notices of ours wait for a server: all calls may be given up
// at once.
const notices = 4 * maxConns

func transport(env []string) *http.Transport {
	get := func(names ...string) string {
		for _, n := range names {
			if v, ok := lookup(env, n); ok && v != "" {
				return v
			}
		}
		return ""
	}
	proxy := (&httpproxy.Config{
		HTTPProxy: get("HTTP_PROXY", "http_proxy"), HTTPSProxy: get("HTTPS_PROXY", "https_proxy"), NoProxy: get("NO_PROXY", "no_proxy"),
	}).ProxyFunc()
	return &http.Transport{
		Proxy:               func(r *http.Request) (*url.URL, error) { return proxy(r.URL) },
		DialContext:         (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConnsPerHost: 64,
		MaxConnsPerHost:     maxConns,
		ForceAttemptHTTP2:   true,
	}
}

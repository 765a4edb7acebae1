// Command revproxy is what one hop costs in Go at least: an
// httputil.ReverseProxy that parses nothing. It prints its address.
//
//	revproxy -listen 127.0.0.1:0 -to http://127.0.0.1:9100/mcp
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "`address` to serve at")
	to := flag.String("to", "", "`URL` of the endpoint behind")
	duplex := flag.Bool("duplex", true, "let an answer start before the request has been read")
	flag.Parse()
	if err := run(*listen, *to, *duplex); err != nil {
		fmt.Fprintln(os.Stderr, "revproxy:", err)
		os.Exit(1)
	}
}

func run(listen, to string, duplex bool) error {
	target, err := url.Parse(to)
	if err != nil || target.Host == "" {
		return fmt.Errorf("-to is no URL: %q", to)
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s%s\n", l.Addr(), target.Path)
	return http.Serve(l, proxy(&url.URL{Scheme: target.Scheme, Host: target.Host}, duplex))
}

func proxy(target *url.URL, duplex bool) http.Handler {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 256
	t.DisableCompression = true
	p := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     t,
		FlushInterval: -1,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if duplex {
			// Otherwise an answer that is flushed before the transport has seen the end
			// of the request closes that under it, and the upstream connection dies
			// within the answer.
			_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 has it always
		}
		p.ServeHTTP(w, r)
	})
}

package cli

import (
	"crypto/tls"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
)

// checkTLS wants both files of a certificate, or none.
func (o serveOptions) checkTLS(given func(flag string) bool) error {
	cert, key := given("tls-cert"), given("tls-key")
	switch {
	case !cert && !key:
		return nil
	case o.stdio:
		return usage("--stdio and --tls-cert exclude each other: nothing is served over a network")
	case !key:
		return usage("--tls-cert needs --tls-key FILE, the key of the certificate")
	case !cert:
		return usage("--tls-key needs --tls-cert FILE, the certificate of the key")
	case o.tlsCert == "":
		return usage("--tls-cert is empty; name the file of the certificate, or leave both out to serve plain HTTP")
	case o.tlsKey == "":
		return usage("--tls-key is empty; name the file of the key, or leave both out to serve plain HTTP")
	}
	return nil
}

// certificate is how TLS is spoken with the certificate that was named; nil when
// none was. The certificate is read once.
func (c *call) certificate(o serveOptions) (*tls.Config, error) {
	if o.tlsCert == "" {
		return nil, nil
	}
	cert, err := c.from(o.tlsCert)
	if err != nil {
		return nil, err
	}
	key, err := c.from(o.tlsKey)
	if err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read the certificate %s with the key %s: %w; both are PEM, the certificate with those that signed it below it",
			ext.Quote(o.tlsCert), ext.Quote(o.tlsKey), err)
	}
	// Streams of events are bounded by what is bounded of connections, which HTTP/2
	// would share among any number of them.
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, nil
}

package gateway_test

import (
	"io"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/face/gateway"
)

// BenchmarkStateless is a call over pipes to a driver that answers at once: of a client
// without a session, whether it can be asked or not, beside one with a session.
func BenchmarkStateless(b *testing.B) {
	for name, more := range map[string]string{"asked nothing": "," + meta("{}", ""), "can be asked": "," + meta(`{"elicitation":{}}`, ""), "session": ""} {
		b.Run(name, func(b *testing.B) {
			w := workspace(b, said)
			g := w.gateway(gateway.Options{})
			fromClient, toServer := io.Pipe()
			fromServer, toClient := io.Pipe()
			go func() { _ = g.Serve(b.Context(), fromClient, toClient) }()
			lines := scan(fromServer)
			call := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"owner_search__find","arguments":{"q":"x"}` + more + "}}\n")
			b.ReportAllocs()
			for b.Loop() {
				if _, err := toServer.Write(call); err != nil {
					b.Fatal(err)
				}
				if got := <-lines; !strings.Contains(got, `"result":{`) {
					b.Fatal(got)
				}
			}
			_ = toServer.Close()
		})
	}
}

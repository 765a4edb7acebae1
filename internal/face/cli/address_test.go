package cli

import (
	"context"
	"net"
	"testing"
)

// What is served at every address of this machine is reached at its own, in the
// family that is served.
func TestReachable(t *testing.T) {
	listen := func(network, address string) string {
		l, err := new(net.ListenConfig).Listen(t.Context(), network, address)
		if err != nil {
			t.Skipf("this machine has no %s: %v", network, err)
		}
		t.Cleanup(func() { _ = l.Close() })
		_, port, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return port
	}
	both, six := listen("tcp", ":0"), listen("tcp6", "[::]:0")
	for served, want := range map[string]string{
		"127.0.0.1:7777": "127.0.0.1:7777", "[::1]:7777": "[::1]:7777", "192.0.2.1:7777": "192.0.2.1:7777",
		"0.0.0.0:7777": "127.0.0.1:7777", "[::]:" + both: "127.0.0.1:" + both, "[::]:" + six: "[::1]:" + six,
	} {
		if got := reachable(t.Context(), served); got != want {
			t.Errorf("reachable(%s): got %s, want %s", served, got, want)
		}
	}
	if got, want := endpointURL(t.Context(), "0.0.0.0:1", false), "http://127.0.0.1:1/mcp"; got != want {
		t.Errorf("endpointURL: got %s, want %s", got, want)
	}
}

// Who asked for an address is served there or is not; port 0 is any.
func TestCovers(t *testing.T) {
	for _, c := range []struct {
		served, asked string
		want          bool
	}{
		{"127.0.0.1:7777", "127.0.0.1:7777", true},
		{"127.0.0.1:7777", "127.0.0.1:0", true},
		{"127.0.0.1:7777", "127.0.0.1:7778", false},
		{"127.0.0.1:7777", "localhost:7777", true},
		{"127.0.0.1:7777", "localhost:7778", false},
		{"127.0.0.1:7777", "[::1]:7777", false},
		{"127.0.0.1:7777", ":7777", false},
		{"127.0.0.1:7777", "0.0.0.0:0", false},
		{"[::]:7777", ":7777", true},
		{"[::]:7777", "0.0.0.0:7777", true},
		{"[::]:7777", "127.0.0.1:7777", true},
		{"[::]:7777", "127.0.0.1:7778", false},
		{"[::1]:7777", "[0:0:0:0:0:0:0:1]:7777", true},
		{"", "127.0.0.1:0", false},
	} {
		if got := covers(context.Background(), c.served, c.asked); got != c.want {
			t.Errorf("covers(%s, %s): got %v, want %v", c.served, c.asked, got, c.want)
		}
	}
}

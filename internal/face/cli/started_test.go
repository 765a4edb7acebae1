package cli

import (
	"net"
	"testing"
)

// An address that other machines reach is told of: nobody is asked for a secret
// there.
func TestExposed(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1": false, "127.8.8.8": false, "::1": false, "0.0.0.0": true, "::": true, "192.0.2.1": true,
	} {
		if got := exposed(&net.TCPAddr{IP: net.ParseIP(address), Port: 7777}); got != want {
			t.Errorf("exposed(%s): got %v, want %v", address, got, want)
		}
	}
}

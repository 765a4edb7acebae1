package cli

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// addressed reports whether an address has the form HOST:PORT, where no HOST is
// every one that this machine has.
func addressed(address string) bool {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// endpointURL is where a program of this machine reaches what is served at an
// address: of one that is every address of the machine, at the machine's own.
func endpointURL(ctx context.Context, address string, tls bool) string {
	scheme := "http"
	if tls {
		scheme = "https"
	}
	return scheme + "://" + reachable(ctx, address) + "/mcp"
}

func reachable(ctx context.Context, address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsUnspecified() {
		return address
	}
	own := net.JoinHostPort("127.0.0.1", strconv.Itoa(int(at.Port())))
	if at.Addr().Is4() || answered(ctx, own) {
		return own
	}
	return net.JoinHostPort("::1", strconv.Itoa(int(at.Port())))
}

// answered reports whether somebody listens at an address of this machine.
func answered(ctx context.Context, address string) bool {
	c, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = c.Close() // nothing was said
	return true
}

// covers reports whether what is served at an address is served where somebody
// asked for it. The port 0 is any.
func covers(ctx context.Context, served, asked string) bool {
	at, err := netip.ParseAddrPort(served)
	if err != nil {
		return false
	}
	name, number, err := net.SplitHostPort(asked)
	if err != nil {
		return false
	}
	if port, err := strconv.ParseUint(number, 10, 16); err != nil || port != 0 && port != uint64(at.Port()) {
		return false
	}
	if at.Addr().IsUnspecified() {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil {
		return ip.Unmap() == at.Addr().Unmap()
	}
	if name == "" {
		return false // every address, and it has one
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	return err == nil && slices.ContainsFunc(ips, func(ip netip.Addr) bool { return ip.Unmap() == at.Addr().Unmap() })
}

package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// first is a port from which on some are free, and which is not.
func first(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return portOf(l)
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func openAt(t *testing.T, p *Ports, workspace string, first int) net.Listener {
	t.Helper()
	l, err := Open(p, workspace, "", first)
	if err != nil {
		t.Fatalf("Open(%s): got error %v, want none", workspace, err)
	}
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.Equal(net.IPv4(127, 0, 0, 1)) {
		t.Errorf("Open(%s): got %v, want 127.0.0.1", workspace, ip)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestPortsAreStable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	n := first(t)
	a := openAt(t, PortsIn(dir), "/a", n)
	b := openAt(t, PortsIn(dir), "/b", n)
	if portOf(a) <= n || portOf(b) <= portOf(a) {
		t.Errorf("two at once, from %d on, which is taken: got %d and %d, want the next free ones", n, portOf(a), portOf(b))
	}
	a.Close()
	b.Close()
	if again := openAt(t, PortsIn(dir), "/b/", n); portOf(again) != portOf(b) {
		t.Errorf("the second one again: got %d, want %d as before", portOf(again), portOf(b))
	}
	if again := openAt(t, PortsIn(dir), "/a", n); portOf(again) != portOf(a) {
		t.Errorf("the first one again: got %d, want %d as before", portOf(again), portOf(a))
	}
	// While somebody has its port, it takes another one.
	if other := openAt(t, PortsIn(dir), "/a", portOf(a)); portOf(other) == portOf(a) {
		t.Errorf("its port is taken: got %d, want another one", portOf(other))
	}
}

func TestOpenAtFirst(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := portOf(l)
	l.Close()
	if got := openAt(t, PortsIn(filepath.Join(t.TempDir(), "run")), "/a", n); portOf(got) != n {
		t.Errorf("from %d on, which is free: got %d", n, portOf(got))
	}
}

func TestOpenWithNoneFree(t *testing.T) {
	if got := openAt(t, PortsIn(filepath.Join(t.TempDir(), "run")), "/a", 65536); portOf(got) == 0 {
		t.Error("from beyond the last one on: got 0, want any")
	}
}

func TestExplicitAddress(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	n := first(t)
	_, err := Open(PortsIn(dir), "/a", fmt.Sprint("127.0.0.1:", n), n)
	if !errors.Is(err, ErrTaken) || !strings.Contains(err.Error(), fmt.Sprint(n)) {
		t.Errorf("an address that is taken: got %v, want ErrTaken with the address", err)
	}
	for _, odd := range []string{"127.0.0.1", "127.0.0.1:port\x1b", "192.0.2.1:1"} {
		if _, err := Open(PortsIn(dir), "/a", odd, n); err == nil || errors.Is(err, ErrTaken) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%q: got %v, want an error that is not ErrTaken", odd, err)
		}
	}
	l, err := Open(PortsIn(dir), "/a", "127.0.0.1:0", n)
	if err != nil {
		t.Fatalf("an address that is free: got error %v, want none", err)
	}
	defer l.Close()
	if got, ok := PortsIn(dir).Remembered("/a"); ok {
		t.Errorf("after an explicit address: got %d remembered, want none", got)
	}
}

func TestMemoryOfPorts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	p := PortsIn(dir)
	remember := func(workspace string, n int) {
		t.Helper()
		if err := p.Remember(workspace, n); err != nil {
			t.Fatalf("Remember: got error %v, want none", err)
		}
	}
	expect := func(workspace string, want int) {
		t.Helper()
		if got, ok := p.Remembered(workspace); got != want || ok != (want != 0) {
			t.Errorf("Remembered(%s): got %d, %v, want %d", workspace, got, ok, want)
		}
	}
	expect("/a", 0)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { remember(fmt.Sprint("/many/", i), 8000+i) })
	}
	all.Wait()
	for i := range 20 {
		expect(fmt.Sprint("/many/", i), 8000+i)
	}
	remember("/many/0", 9000)
	expect("/many/0", 9000)
	var full []port
	for i := range mostPorts {
		full = append(full, port{fmt.Sprint("/full/", i), 1 + i})
	}
	data, err := json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.place.path(recordEnd), data, 0o600); err != nil {
		t.Fatal(err)
	}
	remember("/new", 9001)
	expect("/new", 9001)
	expect("/full/0", 1)
	expect(fmt.Sprint("/full/", mostPorts-1), 0)
	if err := os.WriteFile(p.place.path(recordEnd), []byte(`[{"workspace": "/a", "port": 70000}, {"workspace": "/b", "port": 7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	expect("/b", 0)
	remember("/b", 7)
	expect("/b", 7)
	if got := find(t, dir, ""); len(got) > 0 {
		t.Errorf("Find beside the ports: got %q, want none", got)
	}
	if got := left(t, dir); len(got) != 1 {
		t.Errorf("got %q left, want the memory alone", got)
	}
}

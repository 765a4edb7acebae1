//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What is printed can be connected to, whatever was to be served.
func TestServePrintsWhereItIsReached(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		":0": `127\.0\.0\.1`, "0.0.0.0:0": `127\.0\.0\.1`, "[::]:0": `127\.0\.0\.1`, "[::1]:0": `\[::1\]`, "localhost:0": `(127\.0\.0\.1|\[::1\])`,
	} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", at)
			if err != nil {
				t.Skipf("this machine has no %s: %v", at, err)
			}
			l.Close()
			p := newPlace(t, map[string]string{"mortise.toml": ""})
			run := p.begin("serve", "--http", at)
			m, err := run.said(run.stdout, `^Serving MCP at (http://`+want+`:[0-9]+/mcp)$[\s\S]*^Ctrl-C`)
			if err != nil {
				t.Fatal(err)
			}
			s := served{run, m[1]}
			by := http.DefaultTransport
			if at != "[::1]:0" && at != "localhost:0" {
				by = withToken(t, run, by)
			}
			if got := connectBy(t, s.url, by, nil).tools(); len(got) != len(ours) {
				t.Errorf("tools at %s: got %q, want %q", s.url, got, ours)
			}
			if out := p.must("serve"); !strings.Contains(out, s.url+"\n") {
				t.Errorf("mortise serve of what is served: got %q, want %s in it", out, s.url)
			}
			s.ends(t, syscall.SIGINT)
		})
	}
}

// Who asks for an address gets that one, or hears where it is served instead.
func TestServeTwiceAtAnotherAddress(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	s := p.serve()
	at := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
	for _, same := range []string{at, "127.0.0.1:0", strings.Replace(at, "127.0.0.1", "localhost", 1)} {
		if out := p.must("serve", "--http", same); !strings.Contains(out, s.url) {
			t.Errorf("serve --http %s: got %q, want that it is served at %s", same, out, s.url)
		}
	}
	for _, other := range []string{"127.0.0.1:1", "0.0.0.0:0", "[::1]:0"} {
		out, errs, code := p.run("serve", "--http", other)
		want := fmt.Sprintf("mortise: process %d serves this workspace at %s and not at %q; end it first, or leave --http out\n", s.pid(), s.url, other)
		if code != 1 || out != "" || errs != want {
			t.Errorf("serve --http %s: got code %d, %q and %q, want 1 and %q", other, code, out, errs, want)
		}
	}
	s.ends(t, syscall.SIGINT)
}

// There are only so many connections at once; the next one waits for its turn.
func TestServeTakesSoManyConnections(t *testing.T) {
	t.Parallel()
	const most = 512
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	s := p.serve()
	at := regexp.MustCompile(`127[^/]*`).FindString(s.url)
	var all []net.Conn
	t.Cleanup(func() {
		for _, c := range all {
			_ = c.Close()
		}
	})
	ask := func() net.Conn {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
		if _, err := io.WriteString(c, "GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		return c
	}
	answered := func(c net.Conn, within time.Duration) error {
		if err := c.SetReadDeadline(time.Now().Add(within)); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return err
		}
		return res.Body.Close()
	}
	for i := range most {
		if err := answered(ask(), patience); err != nil {
			t.Fatalf("connection %d: %v", i+1, err)
		}
	}
	waits := ask()
	if err := answered(waits, 200*time.Millisecond); err == nil {
		t.Errorf("connection %d was answered, want it to wait", most+1)
	}
	if err := all[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := answered(waits, patience); err != nil {
		t.Errorf("when another was closed: got %v, want it answered", err)
	}
	s.ends(t, syscall.SIGINT)
}

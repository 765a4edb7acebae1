// Command gitserve serves the repositories below a directory over HTTP on this machine,
// with git's own http-backend, and prints where. It ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gitserve:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	exe, err := exec.Command("git", "--exec-path").Output() //nolint:noctx // it prints a line
	if err != nil {
		return fmt.Errorf("ask git where its programs are: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of this machine
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until who started this is gone
		os.Exit(0)
	}()
	return http.Serve(l, &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"), Stderr: io.Discard, Logger: log.New(io.Discard, "", 0),
		Env: []string{"PATH=" + os.Getenv("PATH"), "GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "HOME=" + dir},
	})
}

package instance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/file"
)

// Find is the hosts of the workspace that run and answer, newest first; of all
// workspaces for "". None is no error. Records of hosts that are gone are tidied
// away; what is no record that a host of ours can have written is left alone.
func Find(dir, workspace string) ([]Record, error) {
	if err := secluded(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("find hosts: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("find hosts: %w", err)
	}
	live := make([]*Record, len(entries))
	var asked sync.WaitGroup
	for i, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), recordEnd)
		if !ok || workspace != "" && !strings.HasPrefix(stem, hashed(workspace)+".") {
			continue
		}
		asked.Go(func() { live[i] = place{dir, stem}.live() })
	}
	asked.Wait()
	var found []Record
	for _, r := range live {
		if r != nil {
			found = append(found, *r)
		}
	}
	slices.SortStableFunc(found, func(a, b Record) int { return b.Since.Compare(a.Since) })
	return found, nil
}

// live is the record at p if its host runs and answers.
func (p place) live() *Record {
	r, ok := p.read()
	if !ok {
		return nil
	}
	if r.answers() {
		return &r
	}
	p.sweep(r)
	return nil
}

// gone reports whether the host of r is no more. Its lock is ours, so in this
// process there is none either.
func gone(r Record) bool { return !child.Alive(r.Process) || r.Process == child.Self() }

// sweep tidies r away if its host is gone and nobody else can be at its files.
func (p place) sweep(r Record) {
	if child.Alive(r.Process) {
		return
	}
	if r.Kind == HTTP {
		l, err := file.TryLock(p.path(lockEnd))
		if err != nil {
			return
		}
		defer l.Release()
		if now, ok := p.read(); !ok || now.ID != r.ID {
			return
		}
	}
	p.tidy(r)
}

// tidy removes what the host of r left, which is gone. Nobody else is at its
// files.
func (p place) tidy(r Record) {
	_ = clear(r.Socket) // the next one says what is in its way
	removePrivate(r.Socket)
	os.Remove(p.path(recordEnd))
}

// answerTime is for how long an answer of a control socket is waited.
const answerTime = 2 * time.Second

// answers reports whether the host of r runs and its control socket is its own.
func (r Record) answers() bool {
	if !child.Alive(r.Process) {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, BaseURL+IDPath, nil)
	if err != nil {
		return false
	}
	c := Client(r)
	defer c.CloseIdleConnections()
	resp, err := c.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = resp.Body.Close() }()
	var id identification
	err = json.NewDecoder(io.LimitReader(resp.Body, mostRecord)).Decode(&id)
	return err == nil && resp.StatusCode == http.StatusOK && id.ID == r.ID
}

// BaseURL begins every URL that a Client is asked for.
const BaseURL = "http://mortise"

// Client speaks HTTP over r's control socket, whatever host a URL names, and
// follows no redirection. Its idle connections are the caller's to close.
func Client(r Record) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, "unix", r.Socket)
				if err != nil {
					return nil, fmt.Errorf("reach process %d, which serves %s: %w", r.Process.Pid, ext.Quote(r.Workspace), err)
				}
				return c, nil
			},
			MaxIdleConns:    2,
			IdleConnTimeout: time.Minute,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

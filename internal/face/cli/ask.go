package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// answerLimit is how much of an answer of a running host is read.
const answerLimit = 64 << 20

// request asks a running host something over its control socket.
func request(ctx context.Context, r instance.Record, method, path string, form url.Values, into any) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, instance.BaseURL+path, bytes.NewBufferString(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.Token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := instance.Client(r)
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, answerLimit))
	if err != nil {
		return err
	}
	if res.StatusCode == http.StatusOK {
		return json.Unmarshal(data, into)
	}
	var fault struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(data, &fault) != nil || fault.Error == "" {
		return fmt.Errorf("it answered %s", res.Status)
	}
	err = errors.New(fault.Error)
	switch res.StatusCode {
	case http.StatusNotFound:
		return ext.AsUsage(err)
	case http.StatusForbidden, http.StatusUnauthorized:
		return ext.AsRefused(err)
	}
	return err
}

// doing is what running hosts of a workspace say: how their servers are, of
// several hosts the newest, and what the newest host holds.
type doing struct {
	servers map[string]status
	listing *host.Listing // nil: none runs
}

func (c *call) doing(ctx context.Context, p host.Place) (doing, error) {
	d := doing{servers: map[string]status{}}
	records, err := instance.Find(c.running(p), p.Workspace.Dir)
	if err != nil {
		return d, fmt.Errorf("look for running hosts: %w", err)
	}
	for _, r := range records {
		var got struct {
			Servers []status `json:"servers"`
		}
		if err := request(ctx, r, http.MethodGet, "/api/servers", nil, &got); err != nil {
			c.unanswered(r, err)
			continue
		}
		for _, s := range got.Servers {
			if _, newer := d.servers[s.Name]; !newer {
				s.Host = r.Process.Pid
				d.servers[s.Name] = s
			}
		}
		if d.listing != nil {
			continue
		}
		l := new(host.Listing)
		if err := request(ctx, r, http.MethodGet, "/api/generation", nil, l); err != nil {
			c.unanswered(r, err)
			continue
		}
		d.listing = l
	}
	return d, ctx.Err()
}

// unanswered tells of a host that runs and did not answer. One that is gone
// ended meanwhile.
func (c *call) unanswered(r instance.Record, err error) {
	if child.Alive(r.Process) && !errors.Is(err, context.Canceled) {
		c.complain(fmt.Errorf("process %d, which serves this workspace, did not answer: %w", r.Process.Pid, err))
	}
}

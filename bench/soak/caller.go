package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/bench/mcp/rig"
)

const (
	patience = 30 * time.Second       // after which a call without an answer is lost
	given    = 300 * time.Millisecond // after which a call is given up that is never answered
	renewed  = 200                    // calls of one session
)

// texts are different for every call, so that an answer tells whose it is.
var texts atomic.Int64

// call makes calls of random tools until ctx ends, in one session after another.
func (s *soak) call(ctx context.Context) {
	for ctx.Err() == nil {
		c, err := s.connect(ctx)
		if err != nil {
			continue
		}
		for i := 0; i < renewed && ctx.Err() == nil; i++ {
			if !s.one(ctx, c, s.pick()) {
				break
			}
		}
		s.leave(c)
	}
}

// connect begins a session; that this fails is a fault at any time.
func (s *soak) connect(ctx context.Context) (*rig.Client, error) {
	long, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	c, err := rig.Connect(long, s.http, s.serve.URL)
	s.tally.add("initialize", outcomeOf(err), err)
	return c, err
}

// leave ends a session, also when the time is over.
func (s *soak) leave(c *rig.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := c.Close(ctx)
	s.tally.add("delete", outcomeOf(err), err)
}

// pick is a tool: of the servers that are well or killed more often than what
// costs a lot.
func (s *soak) pick() string {
	switch n := rand.N(100); {
	case n < 40:
		return steady + "/echo"
	case n < 65:
		return mortal + []string{"/echo", "/late"}[n%2]
	case n < 67:
		return odd + "/never"
	case n < 68:
		return odd + "/flood"
	case n < 70:
		return odd + "/big"
	}
	return odd + "/" + []string{"echo", "late", "twice", "wrong", "noise"}[rand.N(5)]
}

// one makes a call, which ends in its own time also when ctx ends. It reports
// whether the session can be used on.
func (s *soak) one(ctx context.Context, c *rig.Client, tool string) bool {
	limit := patience
	if strings.HasSuffix(tool, "/never") {
		limit = given
	}
	ctx = context.WithoutCancel(ctx)
	short, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	text := "text " + strconv.FormatInt(texts.Add(1), 10) + "."
	id, body, err := c.Ask(short, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":{"text":%q}}`, s.tools[tool], text))
	if limit == given && errors.Is(err, context.DeadlineExceeded) {
		long, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		err := c.Notify(long, "notifications/cancelled", fmt.Sprintf(`{"requestId":%d,"reason":"given up"}`, id))
		s.tally.add(tool, givenUp, nil)
		return err == nil
	}
	if err != nil {
		s.tally.add(tool, outcomeOf(err), err)
		return false
	}
	what, err := judge(body, id, text)
	s.tally.add(tool, what, err)
	return true
}

// judge looks for the one answer in what came back.
func judge(body []byte, id int64, text string) (outcome, error) {
	messages, err := rig.Messages(body)
	if err != nil {
		return cut, err
	}
	answered := false
	what, said := told, error(nil)
	for _, m := range messages {
		switch {
		case m.Method != "":
		case string(m.ID) != strconv.FormatInt(id, 10):
			return crossed, fmt.Errorf("request %d got the answer to %s", id, m.ID)
		case answered:
			return crossed, fmt.Errorf("request %d got two answers", id)
		default:
			answered = true
			what, said = read(m, text)
		}
	}
	if !answered {
		return lost, fmt.Errorf("the stream of request %d ended without an answer", id)
	}
	return what, said
}

// read is how a call went by its answer.
func read(m rig.Message, text string) (outcome, error) {
	if len(m.Error) > 0 {
		return told, fmt.Errorf("%s", m.Error)
	}
	var r struct {
		IsError bool
		Content []struct{ Text string }
	}
	switch err := json.Unmarshal(m.Result, &r); {
	case err != nil || len(r.Content) == 0:
		return crossed, errors.Join(fmt.Errorf("no result of a tool: %.200s", m.Result), err)
	case r.IsError:
		return told, errors.New(r.Content[0].Text)
	case strings.TrimLeft(r.Content[0].Text, "b") != text:
		return crossed, fmt.Errorf("the call with %q got %.200q", text, r.Content[0].Text)
	}
	return fine, nil
}

// outcomeOf is how a request went that brought no message.
func outcomeOf(err error) outcome {
	var status *rig.StatusError
	switch {
	case err == nil:
		return fine
	case errors.As(err, &status):
		return told
	case errors.Is(err, context.DeadlineExceeded):
		return lost
	}
	return cut
}

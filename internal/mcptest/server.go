package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// Instructions is what the server says of its use.
const Instructions = "Greet people by their name, and add with the tool add."

// server is one session, without its transport.
type server struct {
	modes []Mode
	quit  func(code int)          // ends the process; nil where there is none of its own
	tell  func(frame string) bool // for what belongs to no request; nil or false where a request's own outlet must do

	mu      sync.Mutex
	begun   bool                          // initialize was answered
	grown   int                           // tools that grow added
	running map[string]context.CancelFunc // calls, by the id of their request
	asked   map[string]chan message       // questions to the client, by their id
	asks    int
}

func newServer(set []Mode) *server {
	return &server{modes: set, running: map[string]context.CancelFunc{}, asked: map[string]chan message{}}
}

func (s *server) is(m Mode) bool { return slices.Contains(s.modes, m) }

// handle takes one message and sends what answers it. It blocks as long as
// that takes; what may take long is for a goroutine of the caller.
func (s *server) handle(ctx context.Context, m message, out outlet) {
	switch {
	case m.Method == "":
		s.answered(m)
	case !m.request():
		s.notified(m)
	case m.Method == "initialize":
		s.initialize(ctx, m, out)
	case m.Method == "tools/call":
		s.call(ctx, m, out)
	default:
		result, f := s.look(m)
		out(answer(m.ID, result, f))
	}
}

func (s *server) initialize(ctx context.Context, m message, out outlet) {
	if !s.ready(ctx) {
		return
	}
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		out(answer(m.ID, "", &fault{invalidParams, err.Error()}))
		return
	}
	revision := "2025-11-25"
	if known := []string{"2025-06-18", "2025-03-26", "2024-11-05"}; slices.Contains(known, params.ProtocolVersion) {
		revision = params.ProtocolVersion
	}
	s.mu.Lock()
	s.begun = true
	s.mu.Unlock()
	instructions, more := Instructions, `,"prompts":{},"resources":{}`
	if s.is(Listed) {
		instructions, more = s.list().Instructions, ""
	}
	out(answer(m.ID, fmt.Sprintf(`{"protocolVersion":%s,"capabilities":{"tools":{"listChanged":true}%s},`+
		`"serverInfo":{"name":"mcptest","title":"A server for tests","version":"1.0.0"},"instructions":%s}`,
		encode(revision), more, encode(instructions)), nil))
}

// ready waits as long as the modes say; false is never.
func (s *server) ready(ctx context.Context) bool {
	switch {
	case s.is(Hangs):
		<-ctx.Done()
	case s.is(Slow):
		delay, err := time.ParseDuration(os.Getenv(DelayVar))
		if err != nil {
			s.complain("%s: %v", DelayVar, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(delay):
		}
	case s.is(Gated):
		for tick := time.Tick(2 * time.Millisecond); ctx.Err() == nil; {
			if _, err := os.Stat(os.Getenv(GateVar)); err == nil {
				break
			}
			select {
			case <-ctx.Done():
			case <-tick:
			}
		}
	}
	return ctx.Err() == nil
}

// look answers what needs no waiting.
func (s *server) look(m message) (result string, f *fault) {
	if m.Method == "ping" {
		return "{}", nil
	}
	find, ok := map[string]func(json.RawMessage) (string, *fault){
		"tools/list":               s.listTools,
		"prompts/list":             s.listPrompts,
		"prompts/get":              s.getPrompt,
		"resources/list":           s.listResources,
		"resources/templates/list": s.listTemplates,
		"resources/read":           s.readResource,
	}[m.Method]
	if !ok {
		return "", &fault{unknownMethod, "there is no method " + m.Method}
	}
	if f := s.early(); f != nil {
		return "", f
	}
	return find(m.Params)
}

func (s *server) early() *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		return &fault{invalidRequest, "initialize comes first"}
	}
	return nil
}

func (s *server) notified(m message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	s.mu.Lock()
	cancel := s.running[string(params.RequestID)]
	s.mu.Unlock()
	if cancel != nil {
		s.complain("cancelled %s", params.RequestID)
		cancel()
	}
}

// ask sends a request to the client, and returns its answer.
func (s *server) ask(ctx context.Context, method, params string, out outlet) (message, error) {
	came := make(chan message, 1)
	s.mu.Lock()
	s.asks++
	id := fmt.Sprintf("ask-%d", s.asks)
	s.asked[id] = came
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, id)
	}()
	out(question(id, method, params))
	select {
	case m := <-came:
		return m, nil
	case <-ctx.Done():
		return message{}, ctx.Err()
	}
}

func (s *server) answered(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if came := s.asked[strings.Trim(string(m.ID), `"`)]; came != nil {
		select {
		case came <- m:
		default: // answered twice
		}
	}
}

// complain writes to stderr, where a server's log is.
func (s *server) complain(format string, args ...any) {
	if s.quit != nil {
		fmt.Fprintf(os.Stderr, "mcptest: "+format+"\n", args...)
	}
}

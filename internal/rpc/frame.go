// Package rpc reads and writes messages of JSON-RPC as bytes. A message is
// looked at only where somebody has to know what stands there; all else passes
// as it came.
package rpc

import (
	"errors"
	"fmt"
)

// Kind is what a message is for.
type Kind uint8

// The kinds of messages. The zero Kind is none.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// Span is where something lies in the bytes of a frame. The zero Span is "not
// there": nothing that is looked for can begin a frame.
type Span struct{ From, To int }

// There reports whether there is something.
func (s Span) There() bool { return s.To > 0 }

// Frame is one message as bytes, and where in them lies what those on its way
// have to know. Make one with Read or Compose.
type Frame struct {
	Raw    []byte
	Kind   Kind
	Method string // of a request or a notification

	ID     Span // of a request or a response: a string or a number
	Params Span // whatever they are
	Result Span // of a response
	Fault  Span // of a response: its error, an object as a rule

	// Members of params that are an object, whatever their values are, except for
	// the three that name a request: those are strings or numbers.
	Name      Span
	URI       Span
	Arguments Span
	Level     Span
	Meta      Span // _meta
	Token     Span // progressToken: of which request a notice of progress speaks
	RequestID Span // which request a notice cancels

	// Members of _meta that is an object.
	MetaToken    Span // progressToken: what a request wants to be told of its progress by
	Version      Span // of the protocol; 2026-07-28 and later
	Capabilities Span // of the client; likewise
	Client       Span // what it is; likewise
	LogLevel     Span // likewise
	Subscription Span // which listener a notice is for; likewise
}

// Keys that 2026-07-28 gives to _meta.
const (
	KeyVersion      = "io.modelcontextprotocol/protocolVersion"
	KeyCapabilities = "io.modelcontextprotocol/clientCapabilities"
	KeyClient       = "io.modelcontextprotocol/clientInfo"
	KeyLogLevel     = "io.modelcontextprotocol/logLevel"
	KeySubscription = "io.modelcontextprotocol/subscriptionId"
)

// Bytes is what lies at s, a part of f.Raw that has no room to grow.
func (f *Frame) Bytes(s Span) []byte { return f.Raw[s.From:s.To:s.To] }

var (
	// ErrNoMessage is for bytes that are no message.
	ErrNoMessage = errors.New("not a message of JSON-RPC")
	errRepeated  = errors.New("a key of the message is repeated")
)

// Read finds the parts of one message. It keeps raw, and fails with
// ErrNoMessage when raw is anything but one whole object that is a request, a
// notification or a response, or when a key that it looks at is repeated, be it in
// other letter cases, which many readers take for the same: two readers could then
// take it for two messages. An id that is null counts as not
// there.
func Read(raw []byte) (Frame, error) {
	f := Frame{Raw: raw}
	s := scanner{b: raw}
	s.space()
	err := s.object(f.member(&s))
	for _, at := range []*Span{&f.ID, &f.Token, &f.RequestID, &f.MetaToken, &f.Subscription} {
		if *at == null {
			*at = Span{}
		}
	}
	if err == nil {
		if s.space(); s.at != len(raw) {
			err = errSyntax
		}
	}
	if err == nil {
		err = f.classify()
	}
	if err != nil && !errors.Is(err, ErrNoMessage) {
		err = fmt.Errorf("%w: %w", ErrNoMessage, err)
	}
	return f, err
}

func (f *Frame) member(s *scanner) func(key []byte) error {
	return func(key []byte) error {
		switch string(key) {
		case "id":
			return s.scalar(&f.ID)
		case "method":
			return f.readMethod(s)
		case "params":
			return f.readParams(s)
		case "result":
			return s.note(&f.Result)
		case "error":
			return s.note(&f.Fault)
		}
		return s.other(key, envelopeKeys)
	}
}

// The keys that are looked at, by where they stand.
var (
	envelopeKeys = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramKeys    = []string{"name", "uri", "arguments", "level", "progressToken", "requestId", "_meta"}
	metaKeys     = []string{"progressToken", KeyVersion, KeyCapabilities, KeyClient, KeyLogLevel, KeySubscription}
)

func (f *Frame) readMethod(s *scanner) error {
	var at Span
	if f.Method != "" {
		return errRepeated
	}
	if err := s.note(&at); err != nil {
		return err
	}
	word := f.Bytes(at)
	if len(word) <= 2 || word[0] != '"' {
		return ErrNoMessage
	}
	if known, ok := methods[string(word[1:len(word)-1])]; ok {
		f.Method = known
		return nil
	}
	f.Method, _ = Text(word)
	if f.Method == "" {
		return ErrNoMessage
	}
	return nil
}

// methods are those whose names need no room of their own.
var methods = func() map[string]string {
	out := map[string]string{}
	for _, m := range []string{
		"tools/call", "tools/list", "prompts/get", "prompts/list", "resources/read", "resources/list",
		"resources/templates/list", "resources/subscribe", "resources/unsubscribe", "completion/complete",
		"logging/setLevel", "ping", "initialize", "server/discover", "subscriptions/listen",
		"sampling/createMessage", "elicitation/create", "roots/list",
		"notifications/progress", "notifications/message", "notifications/cancelled", "notifications/initialized",
		"notifications/resources/updated", "notifications/tools/list_changed", "notifications/prompts/list_changed",
		"notifications/resources/list_changed",
	} {
		out[m] = m
	}
	return out
}()

func (f *Frame) readParams(s *scanner) error {
	if f.Params.There() {
		return errRepeated
	}
	from := s.at
	err := s.inside(func(key []byte) error {
		switch string(key) {
		case "name":
			return s.note(&f.Name)
		case "uri":
			return s.note(&f.URI)
		case "arguments":
			return s.note(&f.Arguments)
		case "level":
			return s.note(&f.Level)
		case "progressToken":
			return s.scalar(&f.Token)
		case "requestId":
			return s.scalar(&f.RequestID)
		case "_meta":
			return f.readMeta(s)
		}
		return s.other(key, paramKeys)
	})
	f.Params = Span{from, s.at}
	return err
}

func (f *Frame) readMeta(s *scanner) error {
	if f.Meta.There() {
		return errRepeated
	}
	from := s.at
	err := s.inside(func(key []byte) error {
		switch string(key) {
		case "progressToken":
			return s.scalar(&f.MetaToken)
		case KeyVersion:
			return s.note(&f.Version)
		case KeyCapabilities:
			return s.note(&f.Capabilities)
		case KeyClient:
			return s.note(&f.Client)
		case KeyLogLevel:
			return s.note(&f.LogLevel)
		case KeySubscription:
			return s.scalar(&f.Subscription)
		}
		return s.other(key, metaKeys)
	})
	f.Meta = Span{from, s.at}
	return err
}

func (f *Frame) classify() error {
	switch {
	case f.Method != "" && (f.Result.There() || f.Fault.There()):
		return ErrNoMessage
	case f.Method != "" && f.ID.There():
		f.Kind = Request
	case f.Method != "":
		f.Kind = Notification
	case f.Result.There() != f.Fault.There():
		f.Kind = Response
	default:
		return ErrNoMessage
	}
	return nil
}

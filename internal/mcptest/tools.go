package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Names and definitions that a test compares with. LongCreate and LongDelete
// have 60 characters, and differ in the middle alone.
const (
	LongCreate = "wiki_content_createPageWithAttachmentsAndPermissionsForSpace"
	LongDelete = "wiki_content_deletePageWithAttachmentsAndPermissionsForSpace"

	// HiddenName reads as read_file: it holds a zero-width space, an override
	// of the writing direction, and two tag characters.
	HiddenName = "read\u200b_\u202efile\U000e0041\U000e0042"

	// OddTool is the definition of the tool odd, as it is sent: fields that no
	// revision knows, numbers as few write them, spaces, and escapes that are
	// not needed.
	OddTool = `{"name":"odd", "title":"Odd \u0026 <even>","description":"Sl\u0061shes \/ and more.",` +
		`"inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1E+2,"minimum":-0,"multipleOf":0.50,"x-limit":12345678901234567890}},"x-vendor":{"deep":[1.0,1e2,{}]}},` +
		`"annotations":{"readOnlyHint":true,"costHint":1.50},"_meta":{"example.com/weight":1.0},"future":{"since":"2027-01-01","flags":[null]}}`
	// OddAnswer is the result of calling odd, as it is sent.
	OddAnswer = `{"content":[{"type":"text","text":"\u006fdd","x-style":{"size":1.0}}],"structuredContent":{"big":12345678901234567890,"small":1E-7}, "future":true}`
)

const (
	pagesTools = 250
	pageSize   = 100
)

// tool is a definition as it is sent, and what it does.
type tool struct {
	name, def string
	run       func(ctx context.Context, c call) string
}

// call is one call of a tool.
type call struct {
	*server
	args  arguments
	token json.RawMessage // of progress; nil when nobody asked for it
	out   outlet
}

// arguments are those of all tools. What is not there is zero.
type arguments struct {
	Text   string          `json:"text"`
	A      float64         `json:"a"`
	B      float64         `json:"b"`
	Code   int             `json:"code"`
	MS     int             `json:"ms"`
	N      int             `json:"n"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// define makes a definition. Properties are name and type, in order, and all
// are required.
func define(name, description string, properties ...string) string {
	var props, names []string
	for i := 0; i < len(properties); i += 2 {
		props = append(props, fmt.Sprintf(`%q:{"type":%q}`, properties[i], properties[i+1]))
		names = append(names, strconv.Quote(properties[i]))
	}
	return fmt.Sprintf(`{"name":%s,"description":%s,"inputSchema":{"type":"object","properties":{%s},"required":[%s]}}`,
		encode(name), encode(description), strings.Join(props, ","), strings.Join(names, ","))
}

// Tools are the names of the tools in the mode [Normal], in order: echo(text),
// fail(text), add(a, b) with an answer of the form {"sum":3}, pid,
// environment with the arguments, the directory and the variables of the
// process, exit(code) without an answer, sleep(ms) until it is cancelled,
// progress(n) with n notifications, and ask(method, params), which sends that
// request to the client and answers with the whole answer as text.
func Tools() []string {
	var names []string
	for _, t := range normalTools() {
		names = append(names, t.name)
	}
	return names
}

func normalTools() []tool {
	return []tool{
		{"echo", define("echo", "Says what it is told.", "text", "string"), func(_ context.Context, c call) string { return text(c.args.Text) }},
		{"fail", define("fail", "Goes wrong, and says what it is told.", "text", "string"), func(_ context.Context, c call) string { return mistake(c.args.Text) }},
		{"add", `{"name":"add","title":"Add","description":"Adds two numbers.","inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]},` +
			`"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]},"annotations":{"readOnlyHint":true}}`, add},
		{"pid", define("pid", "Says which process this is."), func(context.Context, call) string { return text(strconv.Itoa(os.Getpid())) }},
		{"environment", define("environment", "Says what this process was started with."), environment},
		{"exit", define("exit", "Ends the process without an answer.", "code", "integer"), exit},
		{"sleep", define("sleep", "Answers after a while.", "ms", "integer"), sleep},
		{"progress", define("progress", "Tells of its progress.", "n", "integer"), progress},
		{"ask", define("ask", "Asks the client.", "method", "string", "params", "object"), ask},
	}
}

// tools are those of the session's modes.
func (s *server) tools() []tool {
	switch {
	case s.is(Pages):
		var list []tool
		for i := range pagesTools {
			list = append(list, namesake(fmt.Sprintf("tool_%03d", i)))
		}
		return list
	case s.is(LongNames):
		return []tool{namesake(LongCreate), namesake(LongDelete)}
	case s.is(Poison):
		return []tool{namesake(HiddenName), namesake("good")}
	case s.is(Listed):
		list := s.list()
		out := make([]tool, len(list.Tools))
		for i, def := range list.Tools {
			var named struct{ Name string }
			if err := json.Unmarshal(def, &named); err != nil {
				s.complain("%s: %v", ListVar, err)
			}
			out[i] = namesake(named.Name)
			out[i].def = string(def)
		}
		return out
	}
	list := normalTools()
	if s.is(Unknown) {
		list = append(list, tool{"odd", OddTool, func(context.Context, call) string { return OddAnswer }})
	}
	if s.is(Changes) {
		list = append(list, tool{"grow", define("grow", "Adds a tool."), grow})
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range s.grown {
			list = append(list, namesake(fmt.Sprintf("grown_%d", i+1)))
		}
	}
	return list
}

// list is what the file of [Listed] holds.
func (s *server) list() (list struct {
	Instructions string
	Tools        []json.RawMessage
}) {
	raw, err := os.ReadFile(os.Getenv(ListVar))
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		s.complain("%s: %v", ListVar, err)
	}
	return list
}

// namesake is a tool that answers with its own name.
func namesake(name string) tool {
	return tool{name, define(name, "Says its own name."), func(context.Context, call) string { return text(name) }}
}

func (s *server) listTools(params json.RawMessage) (string, *fault) {
	var at struct {
		Cursor string `json:"cursor"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &at); err != nil {
			return "", &fault{invalidParams, err.Error()}
		}
	}
	var defs []string
	for _, t := range s.tools() {
		defs = append(defs, t.def)
	}
	next := ""
	switch {
	case s.is(Cursor):
		next = "again"
	case s.is(Pages):
		from, err := strconv.Atoi("0" + at.Cursor)
		if err != nil || from >= len(defs) {
			return "", &fault{invalidParams, "there is no page at this cursor"}
		}
		to := min(from+pageSize, len(defs))
		if to < len(defs) {
			next = strconv.Itoa(to)
		}
		defs = defs[from:to]
	}
	list := `{"tools":[` + strings.Join(defs, ",") + `]`
	if next != "" {
		list += `,"nextCursor":` + encode(next)
	}
	return list + "}", nil
}

// call runs a tool and answers, unless the call was cancelled.
func (s *server) call(ctx context.Context, m message, out outlet) {
	var params struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
		Meta      struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if f := s.early(); f != nil {
		out(answer(m.ID, "", f))
		return
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		out(answer(m.ID, "", &fault{invalidParams, err.Error()}))
		return
	}
	for _, t := range s.tools() {
		if t.name != params.Name {
			continue
		}
		ctx, done := s.started(ctx, string(m.ID))
		defer done()
		if result := t.run(ctx, call{s, params.Arguments, params.Meta.Token, out}); ctx.Err() == nil {
			out(answer(m.ID, result, nil))
		}
		if s.is(Once) {
			s.quit(0)
		}
		return
	}
	out(answer(m.ID, "", &fault{invalidParams, "there is no tool " + params.Name}))
}

// started notes a call, so that it can be cancelled.
func (s *server) started(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[id] = cancel
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, id)
		cancel()
	}
}

func add(_ context.Context, c call) string {
	return structured(`{"sum":` + strconv.FormatFloat(c.args.A+c.args.B, 'f', -1, 64) + `}`)
}

func environment(context.Context, call) string {
	dir, err := os.Getwd()
	if err != nil {
		return mistake(err.Error())
	}
	variables := map[string]string{}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		variables[name] = value
	}
	return structured(encode(map[string]any{"arguments": os.Args[1:], "directory": dir, "variables": variables}))
}

func exit(_ context.Context, c call) string {
	if c.quit == nil {
		return mistake("this server is no process of its own")
	}
	c.quit(c.args.Code)
	return ""
}

func sleep(ctx context.Context, c call) string {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(c.args.MS) * time.Millisecond):
	}
	return text("awake")
}

func progress(_ context.Context, c call) string {
	for i := range c.args.N {
		if c.token != nil {
			c.out(notification("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d,"message":"step %d"}`, c.token, i+1, c.args.N, i+1)))
		}
	}
	return text(fmt.Sprintf("%d steps", c.args.N))
}

func ask(ctx context.Context, c call) string {
	params := string(c.args.Params)
	if params == "" {
		params = "{}"
	}
	m, err := c.ask(ctx, c.args.Method, params, c.out)
	switch {
	case err != nil:
		return mistake(err.Error())
	case m.Error != nil:
		return mistake(string(m.Error))
	}
	return text(string(m.Result))
}

func grow(_ context.Context, c call) string {
	c.mu.Lock()
	c.grown++
	n := c.grown
	c.mu.Unlock()
	frame := notification("notifications/tools/list_changed", "{}")
	if c.tell == nil || !c.tell(frame) {
		c.out(frame)
	}
	return text(fmt.Sprintf("grown_%d", n))
}

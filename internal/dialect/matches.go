package dialect

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Matches reports whether a matcher of a client's hooks means a subject. An error
// says that it cannot be told here: the pattern is one that only the client's
// language has, or one that means something else there. Then it is reported to
// match: a guard is asked rather than not.
func Matches(client, matcher, subject string) (bool, error) {
	return matching(client, matcher)(subject)
}

// matching is Matches of one matcher, for many subjects.
func matching(client, matcher string) func(subject string) (bool, error) {
	if client == Gemini {
		matcher = strings.TrimSpace(matcher)
	}
	separators := ""
	switch {
	case matcher == "", matcher == "*", client == Copilot: // Visual Studio Code reads the same files and does not look at matchers
		return func(string) (bool, error) { return true, nil }
	case client == ClaudeCode && listed.MatchString(matcher):
		separators = "|,"
	case client == Codex && named.MatchString(matcher):
		separators = "|"
	default:
		return anywhere(matcher)
	}
	return func(subject string) (bool, error) { return among(matcher, separators, subject), nil }
}

var (
	listed = pattern.New(`^[A-Za-z0-9_|, -]+$`) // a list, to Claude Code
	named  = pattern.New(`^[A-Za-z0-9_|]+$`)    // a list, to Codex
)

// among reports whether a list of names has a name.
func among(list, separators, name string) bool {
	for item := range strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if strings.TrimSpace(item) == name {
			return true
		}
	}
	return false
}

// anywhere compares with a regular expression that may match anywhere.
func anywhere(matcher string) func(subject string) (bool, error) {
	re, err := compiled(matcher)
	return func(subject string) (bool, error) {
		switch {
		case err != nil:
			return true, err
		case re.MatchString(subject):
			return true, nil
		case strings.ContainsFunc(subject, strange):
			return true, errors.New("the text that the matcher is compared with holds characters that patterns take differently")
		}
		return false, nil
	}
}

// compiled is a matcher that is a pattern, if it means here what it means there.
func compiled(matcher string) (*regexp.Regexp, error) {
	const longest = 4 << 10
	if len(matcher) > longest {
		return nil, fmt.Errorf("the matcher has more than %d characters", longest)
	}
	if what := foreign(matcher); what != "" {
		return nil, fmt.Errorf("the matcher %s holds %s, which is not read here", ext.Quote(ext.Shorten(matcher, 80)), what)
	}
	re, err := regexp.Compile(matcher)
	if err != nil {
		return nil, fmt.Errorf("the matcher %s is no pattern that is read here", ext.Quote(ext.Shorten(matcher, 80)))
	}
	return re, nil
}

// strange reports characters that "." and "\s" take differently in JavaScript.
func strange(r rune) bool { return r != '\t' && r != '\n' && (r < ' ' || r > '~') }

// foreign names what of a pattern JavaScript takes otherwise than Go, or not at all.
func foreign(p string) string {
	inClass := false
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '\\' && i+1 < len(p):
			i++
			if letter := p[i]; letter >= '1' && letter <= '9' {
				return "a reference back"
			} else if isLetter(letter) && !strings.ContainsRune("bBdDwWsStnrfv", rune(letter)) || letter == '0' || inClass && letter == 'b' {
				return `"\` + string(letter) + `"`
			}
		case inClass:
			inClass = c != ']'
			if c == '[' {
				return "a bracket in brackets"
			}
		case c == '[':
			inClass = true
			if rest := strings.TrimPrefix(p[i+1:], "^"); strings.HasPrefix(rest, "]") {
				return "empty brackets"
			}
		case c == '(' && strings.HasPrefix(p[i:], "(?") && !strings.HasPrefix(p[i:], "(?:"):
			return `"(?"`
		}
	}
	return ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Asks reports whether a hook of a client's dialect, for one of its events and
// with a matcher, is asked about an event. Where that is not sure it is, and the
// error says why.
func (e *Event) Asks(client, name, matcher string) (bool, error) {
	subjects, sure := e.subjects(client, name)
	if matcher == "" || matcher == "*" || len(subjects) == 0 {
		return true, nil
	}
	var unsure error
	for _, s := range subjects {
		switch ok, err := Matches(client, matcher, s); {
		case err != nil:
			unsure = err
		case ok:
			return true, nil
		}
	}
	if unsure == nil && !sure {
		unsure = fmt.Errorf("how %s would name the tool %s is not known", client, ext.Quote(ext.Shorten(cmp.Or(e.Tool, e.Served.Tool), 80)))
	}
	return unsure != nil, unsure
}

// subjects are what matchers of an event of a dialect are compared with, and
// whether those are all. None: the event is not about anything that a matcher
// could mean, or what it is about was not told.
func (e *Event) subjects(client, name string) ([]string, bool) {
	switch {
	case client == Cursor && (name == "beforeShellExecution" || name == "afterShellExecution"):
		command := e.field("command")
		return []string{command}, command != ""
	case e.Moment.tooled():
		return e.ToolNames(client)
	case e.Client != client || e.Raw == nil:
		return nil, false
	}
	o, err := parse(e.Raw)
	if err != nil {
		return nil, false
	}
	for _, key := range occasions[name] {
		if s := o.text(key); s != "" {
			return []string{s}, true
		}
	}
	return nil, false
}

// occasions are the keys of what matchers mean at events that are not about a tool.
var occasions = map[string][]string{
	"SessionStart": {"source"}, "SessionEnd": {"reason"}, "Setup": {"trigger"}, "PreCompact": {"trigger"}, "PostCompact": {"trigger"}, "PreCompress": {"trigger"},
	"Notification": {"notification_type"}, "notification": {"notification_type"},
	"SubagentStart": {"agent_type"}, "SubagentStop": {"agent_type"}, "subagentStart": {"subagent_type", "agentName"}, "subagentStop": {"subagent_type", "agentName"},
	"ConfigChange": {"source"}, "StopFailure": {"error"}, "preCompact": {"trigger"},
}

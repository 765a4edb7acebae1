package git

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// Kind sorts what keeps git from doing something by what a person can do about it.
type Kind string

// The kinds.
const (
	Unknown     Kind = ""            // git said something that is not known here
	Network     Kind = "network"     // the host was not reached, or the connection broke
	Login       Kind = "login"       // who asks must be told, and was not
	HostKey     Kind = "host key"    // ssh does not know the host
	Certificate Kind = "certificate" // the host does not prove who it is
	Missing     Kind = "missing"     // there is no such repository
	Moved       Kind = "moved"       // the host sends elsewhere, which is not followed
	NoRef       Kind = "no ref"      // there is no such branch, tag or commit
	Late        Kind = "late"        // it took too long
	TooBig      Kind = "too big"     // it holds more than is taken
	Malformed   Kind = "malformed"   // what came is none that git takes
	Disk        Kind = "disk"        // it could not be written
	Foreign     Kind = "foreign"     // the repository of this machine belongs to somebody else
	NoTree      Kind = "no tree"     // there is no working tree of git
	Stale       Kind = "stale"       // a branch is not where it was thought to be
	Held        Kind = "held"        // another git has a lock, or left it
	Unsigned    Kind = "unsigned"    // it could not be signed
)

// Error is why git could not do something.
type Error struct {
	Kind   Kind
	Doing  string // what was being done: "resolve v1 of https://…"
	Detail string // what git said, in one line; "" for nothing
	Advice string // what to do
	err    error
}

// Error says what, where, and what to do.
func (e *Error) Error() string {
	s := e.Doing + ": " + e.Kind.text()
	if e.Detail != "" {
		s += ": " + ext.Quote(ext.Shorten(hide(e.Detail), 300))
	}
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap is what was underneath.
func (e *Error) Unwrap() error { return e.err }

// kindTexts say each kind, and what to do.
var kindTexts = map[Kind][2]string{
	Unknown:     {"git did not do it", ""},
	Network:     {"the host was not reached, or the connection broke", "try again, and look at the host's name and the proxy"},
	Login:       {"the host asks who you are (or there is no such repository), and nothing could answer: nobody is asked here", "log in once with git itself (a credential helper such as gh auth setup-git, or an ssh key in the agent), or correct the address"},
	HostKey:     {"ssh does not know the key of the host", "connect once with ssh and compare the key"},
	Certificate: {"the certificate of the host is not one that is trusted here", "set http.sslCAInfo for this host in your configuration of git, if you trust it"},
	Missing:     {"there is no such repository, or it is not yours to see", "correct the address, or log in with git's credential helper"},
	Moved:       {"the host sends to another address, which is not followed", "open it in a browser and give the address that it leads to"},
	NoRef:       {"there is no such branch, tag or commit", "correct the reference"},
	Late:        {"it took too long and was ended", "try again, or fetch it by a faster way"},
	TooBig:      {"it holds more than is taken", "ask its author for a smaller one, or clone it yourself and give the directory"},
	Malformed:   {"what the host gave is damaged or malformed, and was not taken", "tell the repository's author; git fsck shows it"},
	Disk:        {"it could not be written", "make room or make the directory writable"},
	Foreign:     {"the repository belongs to another user", "clone it as yourself and give that directory"},
	NoTree:      {"it is in no working tree of git", "go into one, or make one with git init"},
	Stale:       {"the branch is not where it was: another writer was first", "look at what is new there, and do it again"},
	Held:        {"another git has locked it", "wait until that has ended; if none is running, remove the file that is named"},
	Unsigned:    {"your git signs commits, and this one could not be signed", "unlock the key, or leave the signature out"},
}

func (k Kind) text() string { return kindTexts[k][0] }

// telling are what git and ssh say, in the order in which they are looked for.
var telling = []struct {
	kind Kind
	re   *pattern.Pattern
}{
	{Held, pattern.New(`Unable to create '.*\.lock': File exists`)},
	{Stale, pattern.New(`is at [0-9a-f]+ but expected|reference already exists|reference is missing but expected|unable to resolve reference`)},
	{Disk, pattern.New(`No space left on device|Disk quota exceeded|Read-only file system|insufficient permission for adding an object|unable to (write|create)|cannot mkdir`)},
	{HostKey, pattern.New(`Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED`)},
	{TooBig, pattern.New(`attempting to allocate|[Oo]ut of memory|exceeds maximum allowed size`)},
	{Login, pattern.New(`terminal prompts disabled|could not read (Username|Password)|Authentication failed|Permission denied|returned error: 40[13]|Access denied|unable to get password`)},
	{Certificate, pattern.New(`SSL certificate|certificate (verification|verify|problem|has expired)|certificate subject name`)},
	{Moved, pattern.New(`returned error: 30\d|unable to update url base from redirection`)},
	{NoRef, pattern.New(`not our ref|couldn't find remote ref|unadvertised object|no such remote ref`)},
	{Foreign, pattern.New(`dubious ownership`)},
	{Missing, pattern.New(`[Rr]epository .*not found|returned error: (404|410)|does not appear to be a git repository|does not exist|not valid: is this a git repository`)},
	{Malformed, pattern.New(`fsck error|index-pack failed|inflate|corrupt|bad (object|tree|pack)|invalid (object|index-pack)|pack has bad|did not receive expected object|unresolved deltas?|missing (blob|tree|necessary)`)},
	{Network, pattern.New(`[Cc]ould not resolve|[Ff]ailed to connect|[Cc]onnection (refused|timed out|reset|closed)|unreachable|Operation too slow|early EOF|returned error: [45]\d\d|the remote end hung up|unexpected disconnect|RPC failed|Could not read from remote|Operation timed out|Couldn't connect`)},
}

// kindOf sorts what git said.
func kindOf(text string) (Kind, string) {
	for _, t := range telling {
		for line := range strings.SplitSeq(text, "\n") {
			if t.re.MatchString(line) {
				return t.kind, bareLine(line)
			}
		}
	}
	return Unknown, firstLine(text, nil)
}

var prefixRE = pattern.New(`^(?:(?:fatal|error|remote|warning): ?)+`)

func bareLine(line string) string {
	return strings.Trim(prefixRE.ReplaceAllString(line, ""), " \t\x00")
}

// firstLine is the first thing that git said which is no warning.
func firstLine(text string, err error) string {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "warning:") && !strings.HasPrefix(line, "hint:") {
			return bareLine(line)
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// failure is err as an *Error. What is one already, and what was refused, stays.
func failure(doing string, err error) error {
	var told *Error
	switch {
	case err == nil || ext.KindOf(err) != ext.Failed:
		return err
	case errors.As(err, &told):
		if told.Doing == "" {
			told.Doing = doing
		}
		return err
	}
	e := &Error{Doing: doing, err: err}
	var s *spoken
	switch {
	case errors.Is(err, errLate), errors.Is(err, context.DeadlineExceeded):
		e.Kind = Late
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", doing, err)
	case errors.Is(err, errTooBig):
		e.Kind = TooBig
	case errors.As(err, &s):
		e.Kind, e.Detail = kindOf(s.said)
		var exit *exec.ExitError
		if e.Detail == "" && errors.As(s.err, &exit) {
			e.Detail = exit.String()
		}
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		e.Kind, e.Detail = Disk, err.Error()
	default:
		e.Detail = err.Error()
	}
	e.Advice = kindTexts[e.Kind][1]
	return e
}

// KindOf is the kind of an error of this package; Unknown of all others.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Unknown
}

var (
	errLate   = errors.New("it took too long")
	errTooBig = errors.New("it is too big")
)

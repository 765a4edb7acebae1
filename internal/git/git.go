// Package git runs the git program so that nothing of what it fetches, and nothing of
// where it is run, makes it run anything else: an address or a reference is never an
// option, no hook, filter, submodule, pager, editor or prompt starts, and what is
// fetched is written by us, file by file, from the objects of one commit. What it takes
// is bounded in time, bytes and files.
//
// Of the person's own configuration of git a few keys count: who may be asked for a
// password (credential.*), proxies and certificates (http.*), and the ssh command. Those
// are the person's, as git's own are, and without them no private repository is
// reached. All else is left out: what rewrites addresses too, since whoever allows
// or forbids a source has judged the address that is then used. How the person signs
// commits counts where one is made.
//
// In a working tree of the person it makes commits, of given files alone: WorkTree.Commit.
package git

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// Options say how git is run. The zero value is right for everything but tests and
// what a person asks for.
type Options struct {
	// Env is the environment of the person: what of it git is given is listed in
	// lend.go.
	Env []string
	// Bounds are of what is fetched. Twice its bytes is what may be transferred.
	Bounds unpack.Bounds
	// Resolving and Fetching are for how long one of them may take; 0 is 30 seconds,
	// and 10 minutes.
	Resolving, Fetching time.Duration
	// Parallel is how many sources are asked at once; 0 is 16.
	Parallel int
}

// Git is the program, found and ready. It may be used by several goroutines at once.
type Git struct {
	path  string
	opt   Options
	lent  func() (lent, error) // of the person, once
	loose bool                 // for tests: git takes what is malformed, and we judge it
	at    func(step string)    // for tests: what is about to be done; nil is not told
}

// New finds git in the PATH of the environment. Nothing is run yet.
func New(o Options) (*Git, error) {
	o.Resolving = cmp.Or(o.Resolving, 30*time.Second)
	o.Fetching = cmp.Or(o.Fetching, 10*time.Minute)
	o.Parallel = cmp.Or(o.Parallel, 16)
	o.Bounds = o.Bounds.Whole()
	path, err := lookPath(o.Env)
	if err != nil {
		return nil, err
	}
	g := &Git{path: path, opt: o}
	g.lent = sync.OnceValues(g.borrow)
	return g, nil
}

// oldest is the first git that knows all that is asked of it here.
var oldest = [2]int{2, 31}

var versionRE = pattern.New(`^git version (\d+)\.(\d+)`)

// Version is what the program says of itself. A git that is too old is an error.
func (g *Git) Version(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, g.path, "version").Output()
	m := versionRE.FindStringSubmatch(string(out))
	if err != nil || m == nil {
		return "", fmt.Errorf("run %s: it does not tell its version; install git %d.%d or newer", g.path, oldest[0], oldest[1])
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	if major < oldest[0] || major == oldest[0] && minor < oldest[1] {
		return "", fmt.Errorf("%s is of version %d.%d; install git %d.%d or newer", g.path, major, minor, oldest[0], oldest[1])
	}
	return m[1] + "." + m[2], nil
}

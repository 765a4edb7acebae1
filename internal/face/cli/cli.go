// Package cli is the command line: commands that are thin shells over the
// host, and how what they found is shown. It opens nothing itself: what a
// command needs of the build comes in with the App.
package cli

import (
	"context"
	"io"
	"iter"
	"net/http"
	"os"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/prepare"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// App is the program as its commands see it: everything ambient, as values,
// and what the build offers, as functions.
type App struct {
	In       io.ReadCloser
	Out, Err io.Writer
	Dir      string           // the current directory, absolute, links resolved; "" where it cannot be told
	NoDir    error            // why it cannot; nil where it can
	Env      []string         // KEY=VALUE
	Terminal bool             // Out is a terminal
	Width    int              // how many columns it has; 0: not known
	Watched  bool             // Err is a terminal
	Asked    bool             // a person can be asked: In and Err are terminals
	Hangup   <-chan os.Signal // asks a serving host to read everything anew; nil: nothing does
	Build    Build
	Person   func() string // who is at work, for the history of changes

	Specs  []*surface.Spec // in catalogue order
	Checks []*ext.Check    // everything that can be found, in the order of the docs
	// Open makes a host for a place. done is called when the host is not needed
	// any more.
	Open func(ctx context.Context, p host.Place, purpose host.Purpose) (h *host.Host, done func() error, err error)
	// Adopted are the directories that were adopted as workspaces, as far as that can be
	// told.
	Adopted func(ctx context.Context, p host.Place) []string
	// Endpoint makes what serves clients of a host.
	Endpoint func(h *host.Host, o session.OfferOptions) Endpoint
	// Check looks at directories, CheckWorkspace at what a configuration names, as
	// if changes had been made to the owner's files.
	Check          func(ctx context.Context, in host.Inspection) (*host.Listing, error)
	CheckWorkspace func(ctx context.Context, p host.Place, as *root.Changes) (*host.Listing, error)
	// Try starts one server of a place, waits until it answered or the time is over,
	// ends it, and is what became of it.
	Try func(ctx context.Context, p host.Place, name string, within time.Duration) (host.Trial, error)
	// Calls reads the log of calls of a place, as audit.Read does. progress, unless
	// it is nil, is told how many bytes of how many were looked through to find
	// things faster.
	Calls func(ctx context.Context, p host.Place, q audit.Query, progress func(done, total int64)) iter.Seq2[audit.Entry, error]
	// Roster is what is installed on this machine, to be looked at from a place or changed;
	// Checkouts is where its content lies. done is called when it is not needed any more.
	Roster    func(ctx context.Context, p host.Place, purpose host.Purpose) (r *roster.Roster, done func() error, err error)
	Checkouts func(p host.Place) string
	// TryInstalled composes what a place would have in use with lines of the roster
	// changed. The listing is there with an error that says why the plugin is refused. What
	// sums know, nil of nothing, is not read back.
	TryInstalled func(ctx context.Context, p host.Place, sums *unpack.Sums, lines ...state.Installed) (*host.Listing, error)
	// SetUp runs one set-up step of a plugin, unless it ran already: then ran is false.
	SetUp func(ctx context.Context, p host.Place, s *host.Setup, o host.SettingUp) (out prepare.Outcome, ran bool, err error)
	// Labelled is what the extension in a directory calls itself; "" when it does not.
	Labelled func(ctx context.Context, dir string) string
	// Needs is what the extension in a directory needs.
	Needs func(ctx context.Context, dir string) []surface.Need
	// State is what is remembered, in the file at StatePath. CheckState looks whether that is
	// whole; RepairState keeps a damaged one aside and is where it then lies, with the lists
	// of which something is lost.
	State       func(ctx context.Context, p host.Place, purpose host.Purpose) (s state.Store, done func() error, err error)
	StatePath   func(p host.Place) string
	CheckState  func(ctx context.Context, p host.Place) error
	RepairState func(ctx context.Context, p host.Place, at time.Time, accept bool) (aside string, lost []string, err error)
	// Exec has a program take this process's place, with an environment that is all of it:
	// a name is looked up in the PATH of that. It returns only where it fails, or on systems
	// where no process can take another's place, when the program has ended.
	Exec func(args, environ []string) error
	// Doctor looks whether all is well in a place; Mend runs one of the fixes that it named,
	// and tells each line that it writes, which may be foreign. Verify tries what is claimed
	// of isolation. begun, unless it is nil, is told what is tried next.
	Doctor func(ctx context.Context, p host.Place, o host.Examination) (host.Health, error)
	Mend   func(ctx context.Context, p host.Place, f *host.Fix, by string, line func(string)) error
	Verify func(ctx context.Context, p host.Place, begun func(name string)) ([]host.Verdict, error)
	// Markets looks at marketplaces.
	Markets func(ctx context.Context, look host.MarketLook) (*host.MarketListing, error)
}

// Endpoint serves the clients of a host.
type Endpoint interface {
	// Handler is everything that is served over HTTP.
	Handler() http.Handler
	// Control is what the person's own programs may ask over a socket of theirs;
	// changes need the token.
	Control(token string) http.Handler
	// Serve serves one client over streams until it is gone or ctx ends.
	Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
	// Close ends all sessions and waits for their ends.
	Close()
}

// Build says what this program was built from.
type Build struct {
	Version  string // the module's; "(devel)" for a build from a checkout
	Revision string // the commit; "" when it is not known
	Modified bool   // the checkout had changes that were not committed
	Go       string
	System   string // "linux/amd64"
}

// Run runs the command that args name and returns the exit code. Errors are on
// app.Err when it returns. It ends early when ctx does.
func Run(ctx context.Context, app *App, args []string) int {
	c := &call{App: app}
	root := c.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = c.flush()
	}
	c.report(err)
	return exitCode(err)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
)

// firstPort is where the first workspace of a person is served.
const firstPort = 7777

// serveOptions are what serve is asked to do.
type serveOptions struct {
	http     string // address; "" chooses one
	stdio    bool
	trust    string // "once" or ""
	upstream string
	tlsCert  string // files; "" speaks plain HTTP
	tlsKey   string
}

func (c *call) serve() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Serve the workspace to MCP clients",
		Long: `Serve the workspace: one MCP endpoint with the tools, prompts and resources of all
its servers, its skills and agents as resources, its commands as prompts. Prints
what was found, the address, and the line that connects each client; then serves
until it is interrupted, and ends everything it started.

Of a workspace that is not adopted nothing is served but Mortise's own tools. On a
terminal serve shows what adopting it means and asks once; --trust=once adopts it
for this process and records nothing; mortise trust adopts it for good.

The address is 127.0.0.1:7777, or the next free port, which stays the workspace's.
At an address that other machines may reach each request needs a token, as
Authorization: Bearer TOKEN. It is made at the first start there, kept in a file
that only you can read, and the same until that file is removed; serve says where
the file lies. --tls-cert and --tls-key serve https.

A workspace that is served already is not served twice. --stdio serves the one
client that started the program, over standard input and output.`,
		Example: "mortise serve\nmortise serve examples/workshop --trust=once\nclaude mcp add mortise -- mortise serve --stdio --workspace .",
		Args:    upTo(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.takeDir(args); err != nil {
				return err
			}
			if err := o.check(cmd.Flags().Changed, c.json); err != nil {
				return err
			}
			return c.runServe(cmd.Context(), o)
		},
		ValidArgsFunction: directories,
	}
	f := cmd.Flags()
	f.StringVar(&o.http, "http", "", "serve at exactly this `ADDR`: 127.0.0.1:8080, or 127.0.0.1:0 for any free port")
	f.BoolVar(&o.stdio, "stdio", false, "serve one client over standard input and output")
	f.StringVar(&o.trust, "trust", "", "adopt the workspace for this process alone: `once`")
	f.StringVar(&o.upstream, "upstream", "", "serve one server alone, by its `NAME`, with its own names and nothing added")
	f.StringVar(&o.tlsCert, "tls-cert", "", "serve https with the certificate in this `FILE`, PEM; goes with --tls-key")
	f.StringVar(&o.tlsKey, "tls-key", "", "the `FILE` of the certificate's key, PEM")
	_ = cmd.RegisterFlagCompletionFunc("trust", cobra.FixedCompletions([]string{"once"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o serveOptions) check(given func(flag string) bool, json bool) error {
	switch {
	case o.stdio && given("http"):
		return usage("--stdio and --http exclude each other")
	case o.stdio && json:
		return usage("--stdio and --json exclude each other: standard output is the client's")
	case given("http") && !addressed(o.http):
		return usage("--http takes HOST:PORT, such as 127.0.0.1:8080, not %s", quote(o.http))
	case given("upstream") && o.upstream == "":
		return usage("--upstream is empty; name a server, or leave it out to serve all of them")
	case given("trust") && o.trust != "once":
		return unknown("way of --trust", o.trust, []string{"once"}, "the only one is once; mortise trust adopts for good")
	}
	return o.checkTLS(given)
}

// directories offers directories for the arguments of a command.
func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// takeDir takes the one argument of a command as the workspace.
func (c *call) takeDir(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.workspace != "" {
		return usage("--workspace and DIR both say where; leave one out")
	}
	if c.workspace = args[0]; c.workspace == "" {
		return usage("DIR is empty; name a directory, or leave it out")
	}
	return nil
}

// runServe opens the host, asks for consent, and serves.
func (c *call) runServe(ctx context.Context, o serveOptions) (err error) {
	p, err := c.place()
	if err != nil {
		return err
	}
	secure, err := c.certificate(o)
	if err != nil {
		return err
	}
	kind := instance.HTTP
	if o.stdio {
		kind = instance.Stdio
	}
	claim, err := instance.Take(c.running(p), p.Workspace.Dir, kind)
	if taken := (*instance.TakenError)(nil); errors.As(err, &taken) {
		return c.servedAlready(ctx, p, taken.Record, o)
	} else if err != nil {
		return serveError(err)
	}
	defer func() { err = errors.Join(err, claim.Close()) }()
	var public *door
	if !o.stdio {
		if public, err = c.open(p, o, secure); err != nil {
			return serveError(err)
		}
		defer func() { _ = public.Close() }() // it is closed already where it was served
	}
	return c.with(ctx, p, host.Serving, func(h *host.Host) error {
		s := serving{call: c, host: h, place: p, options: o, claim: claim, public: public}
		return s.run(ctx)
	})
}

// serveError says what to do about an address that cannot be had, and about a
// place for what running hosts tell of themselves.
func serveError(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, instance.ErrTaken):
		return fmt.Errorf("serve: %w; give another address with --http, or leave it out to have a free one chosen", err)
	case errors.As(err, &path):
		return fmt.Errorf("serve: %w: let this user write there, or set %s to another directory", err, config.HomeVariable)
	}
	return fmt.Errorf("serve: %w", err)
}

// running is the folder in which running hosts tell of themselves.
func (c *call) running(p host.Place) string { return filepath.Join(p.Paths.State, "run") }

// servedAlready says where the workspace is served. One that is not served as
// it was asked for is not served twice either: that is said, and refused.
func (c *call) servedAlready(ctx context.Context, p host.Place, r instance.Record, o serveOptions) error {
	var l host.Listing
	if err := request(ctx, r, http.MethodGet, "/api/generation", nil, &l); err != nil {
		return fmt.Errorf("ask process %d, which serves this workspace: %w", r.Process.Pid, err)
	}
	url, flag := endpointURL(ctx, r.Address, r.TLS), c.nextFlag(r.Workspace)
	adopted := adoptionFinding(&l) != host.NotAdopted.Code
	switch {
	case o.upstream != "":
		return refuse("process %d serves this workspace whole at %s; end it first, or serve %s alone over --stdio", r.Process.Pid, url, quote(o.upstream))
	case o.http != "" && !covers(ctx, r.Address, o.http):
		return refuse("process %d serves this workspace at %s and not at %s; end it first, or leave --http out", r.Process.Pid, url, quote(o.http))
	case o.tlsCert != "" && !r.TLS:
		return refuse("process %d serves this workspace at %s, without TLS; end it first, or leave --tls-cert and --tls-key out", r.Process.Pid, url)
	case o.trust != "" && !adopted:
		return refuse("process %d serves this workspace at %s and has not adopted it; end it first, or adopt it for good: mortise %strust", r.Process.Pid, url, flag)
	}
	file := tokenFile(p, r)
	if c.json {
		return c.document(started{Workspace: r.Workspace, Address: r.Address, URL: url, TokenFile: file, Already: true, Adopted: adopted, Listing: &l})
	}
	v := c.page(nil)
	v.line("This workspace is served already, by process %d: %s", r.Process.Pid, v.bold(url))
	if file != "" {
		v.line("Each request needs the token in %s, as Authorization: Bearer TOKEN.", c.shown(file))
	}
	v.line("mortise %sserver list shows how its servers are doing; mortise %srefresh has it read everything anew.", flag, flag)
	return nil
}

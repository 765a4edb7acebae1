package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/instance"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/substrate/doctor"
)

const claimLimit = 90 * time.Second

func skillText(name, about string) string {
	return "---\nname: " + name + "\ndescription: " + about + "\n---\n" + about + "\n"
}

// linkOut: a link of a plugin that leads outside is not followed.
func (l *lab) linkOut() doctor.Claim {
	const inside, outside = "what-lies-inside", "what-lies-outside"
	has := func(ctx context.Context, text string) (bool, error) {
		listing, err := Check(ctx, host.Inspection{Dirs: []string{l.file("linked")}, Limits: ext.DefaultLimits})
		if err != nil {
			return false, err
		}
		for _, e := range listing.Entries {
			if strings.Contains(e.Description, text) {
				return true, nil
			}
		}
		return false, nil
	}
	return doctor.Claim{
		Name: "a link that leads out of a plugin is not followed", Limit: claimLimit,
		Control: func(ctx context.Context) error {
			err := l.write(map[string]string{
				"linked/.claude-plugin/plugin.json": `{"name": "linked", "description": "Links."}`,
				"linked/skills/plain/SKILL.md":      skillText("plain", inside),
				"secret/out/SKILL.md":               skillText("out", outside),
			})
			if err != nil {
				return err
			}
			if err := os.Symlink(l.file("secret/out"), l.file("linked/skills/out")); err != nil {
				return fmt.Errorf("%w: no link can be made: %w", doctor.ErrMoot, err)
			}
			return must(has(ctx, inside))("a plain file of the plugin was not read")
		},
		Attempt: func(ctx context.Context) (string, error) {
			return breach(has(ctx, outside))("a file outside the plugin was read through a link")
		},
	}
}

// must is an error where something is not so.
func must(so bool, err error) func(otherwise string) error {
	return func(otherwise string) error {
		if err == nil && !so {
			err = errors.New(otherwise)
		}
		return err
	}
}

// breach is what an attempt broke, if it did.
func breach(so bool, err error) func(what string) (string, error) {
	return func(what string) (string, error) {
		if err != nil || !so {
			return "", err
		}
		return what, nil
	}
}

// notAdopted: an extension of a workspace that is not adopted contributes nothing.
func (l *lab) notAdopted() doctor.Claim {
	contributes := func(ctx context.Context, name string, adopted bool) (bool, error) {
		err := l.write(map[string]string{
			name + "/mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n",
			name + "/acme/.claude-plugin/plugin.json": `{"name": "acme", "description": "A skill."}`,
			name + "/acme/skills/plain/SKILL.md":      skillText("plain", "a skill"),
		})
		if err != nil {
			return false, err
		}
		_, h, err := l.open(ctx, name, adopted)
		if err != nil {
			return false, err
		}
		for _, e := range h.Now().Listing().Entries {
			if e.Extension == "acme" && e.Status == "active" {
				return true, nil
			}
		}
		return false, nil
	}
	return doctor.Claim{
		Name: "a workspace that is not adopted contributes nothing", Limit: claimLimit,
		Control: func(ctx context.Context) error {
			return must(contributes(ctx, "adopted", true))("an adopted workspace contributed nothing")
		},
		Attempt: func(ctx context.Context) (string, error) {
			return breach(contributes(ctx, "stranger", false))("a workspace that nobody adopted contributed a skill")
		},
	}
}

// serverScript is a server of one tool in a few lines, which first writes down its
// environment.
const serverScript = `#!/bin/sh
env > %s
while IFS= read -r message; do
  id=$(printf '%%s' "$message" | sed -n 's/.*"id" *: *\([0-9][0-9]*\).*/\1/p')
  [ -n "$id" ] || continue
  case $message in
  *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
  *) result='{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"content":[{"type":"text","text":"x"}]}' ;;
  esac
  printf '{"jsonrpc":"2.0","id":%%s,"result":%%s}\n' "$id" "$result"
done
`

// served writes a workspace whose plugin brings that server.
func (l *lab) served(name string) error {
	if err := shells(); err != nil {
		return err
	}
	return l.write(map[string]string{
		name + "/mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n",
		name + "/acme/.claude-plugin/plugin.json": `{"name": "acme", "description": "A server."}`,
		name + "/acme/.mcp.json":                  `{"mcpServers": {"s": {"command": "${CLAUDE_PLUGIN_ROOT}/run.sh", "env": {"` + declared + `": "given"}}}}`,
		name + "/acme/run.sh":                     fmt.Sprintf(serverScript, quoted(l.file(name+".env"))),
	})
}

// disabled: a tool of an extension that was switched off is refused, also to an agent that
// was given it before.
func (l *lab) disabled() doctor.Claim {
	var h *host.Host
	var agent *host.Agent
	var offer *session.Offer
	return doctor.Claim{
		Name: "a tool of a disabled extension is refused", Limit: claimLimit,
		Control: func(ctx context.Context) (err error) {
			if err := l.served("switched"); err != nil {
				return err
			}
			if _, h, err = l.open(ctx, "switched", true); err != nil {
				return err
			}
			l.serve(h)
			agent = h.Agent(session.OfferOptions{})
			if offer, err = awaited(ctx, h, agent, "acme_s__t"); err != nil {
				return err
			}
			return use(ctx, agent, offer)
		},
		Attempt: func(ctx context.Context) (string, error) {
			if _, err := h.Disable(ctx, host.Change{Subject: "acme", Reason: "verify", By: "verify"}); err != nil {
				return "", err
			}
			if use(ctx, agent, offer) == nil {
				return "a tool of an extension that was switched off was called", nil
			}
			return "", nil
		},
	}
}

// serve has a host of the lab serve until the end.
func (l *lab) serve(h *host.Host) {
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx) }()
	l.atEnd(func() error { stop(); return <-ended })
}

// awaited waits until a tool is offered. What its server says of itself is approved.
func awaited(ctx context.Context, h *host.Host, a *host.Agent, tool string) (*session.Offer, error) {
	moved := make(chan struct{}, 1)
	tell := func() {
		select {
		case moved <- struct{}{}:
		default:
		}
	}
	defer h.Subscribe(func(*host.Generation) { tell() })()
	defer h.SubscribeServers(tell)()
	for {
		v, err := a.List(ctx)
		if err != nil {
			return nil, err
		}
		if o := v.Offers.Tool(tool); o != nil {
			return o, nil
		}
		if waiting := h.Awaiting(h.Now()); len(waiting) > 0 {
			if err := h.Approve(ctx, "verify", waiting); err != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-moved:
		}
	}
}

// use calls a tool.
func use(ctx context.Context, a *host.Agent, o *session.Offer) error {
	link, err := a.Reach(ctx, o, nil)
	if err != nil {
		return err
	}
	defer link.Close() //nolint:errcheck // its end changes nothing
	params, err := json.Marshal(map[string]any{"name": o.Ref.Name, "arguments": map[string]any{}})
	if err != nil {
		return err
	}
	answer, err := link.Call(ctx, rpc.Compose([]byte("1"), "tools/call", params).Raw, nil)
	if err == nil && answer.Fault.There() {
		err = fmt.Errorf("%s", answer.Bytes(answer.Fault))
	}
	return err
}

// guard is a claim about what a guard that does not answer does to the call it guards.
func (l *lab) guard(name, tool, call, what string) doctor.Claim {
	return doctor.Claim{
		Name: name, Limit: claimLimit,
		Control: func(ctx context.Context) error {
			g, err := l.guarding()
			if err != nil {
				return err
			}
			return must(g.calls(ctx, tool, "call-pass"))("a guard that passes let nothing through")
		},
		Attempt: func(ctx context.Context) (string, error) {
			g, err := l.guarding()
			if err != nil {
				return "", err
			}
			return breach(g.calls(ctx, tool, call))(what)
		},
	}
}

func (l *lab) guardCrashes() doctor.Claim {
	return l.guard("a guard that crashes denies", usualTool, "call-crash", "a call was let through whose guard crashed")
}

func (l *lab) guardIsLate() doctor.Claim {
	return l.guard("a guard that is late denies", lateTool, "call-late", "a call was let through whose guard did not answer in time")
}

func (l *lab) guardIsOdd() doctor.Claim {
	return l.guard("a guard that answers oddly denies", usualTool, "call-odd", "a call was let through whose guard gave no answer that means anything")
}

// environment is a claim about what a process that is started sees of our variables.
func (l *lab) environment(name, file, given string, run func(context.Context) error) doctor.Claim {
	holds := func(text string) (bool, error) {
		written, err := os.ReadFile(l.file(file))
		return strings.Contains("\n"+string(written), "\n"+text), err
	}
	return doctor.Claim{
		Name: name, Limit: claimLimit,
		Control: func(ctx context.Context) error {
			if err := run(ctx); err != nil {
				return err
			}
			return must(holds(given + "="))("a variable that it is given did not arrive")
		},
		Attempt: func(context.Context) (string, error) {
			return breach(holds(marker + "="))("it saw a variable of this process that it was not given")
		},
	}
}

func (l *lab) guardEnvironment() doctor.Claim {
	return l.environment("a guard does not see our environment", "guard.env", "CLAUDE_PLUGIN_ROOT", func(ctx context.Context) error {
		g, err := l.guarding()
		if err == nil {
			_, err = g.calls(ctx, usualTool, "call-env")
		}
		return err
	})
}

func (l *lab) serverEnvironment() doctor.Claim {
	return l.environment("a server does not see our environment", "started.env", declared, func(ctx context.Context) error {
		if err := l.served("started"); err != nil {
			return err
		}
		p, _, err := l.open(ctx, "started", true)
		if err != nil {
			return err
		}
		t, err := Try(ctx, p, "acme:s", claimLimit)
		if err == nil && !t.Answered() {
			err = fmt.Errorf("the server did not answer: %s", t.Status.Error)
		}
		return err
	})
}

// leftBehind: what a command that was started leaves running is ended.
func (l *lab) leftBehind() doctor.Claim {
	var pid int
	return doctor.Claim{
		Name: "what a guard leaves running is ended", Limit: claimLimit,
		Control: func(ctx context.Context) error {
			g, err := l.guarding()
			if err != nil {
				return err
			}
			if _, err := g.calls(ctx, usualTool, "call-leave"); err != nil {
				return err
			}
			written, err := os.ReadFile(l.file("left.pid"))
			if err != nil {
				return fmt.Errorf("nothing was left running: %w", err)
			}
			pid, err = strconv.Atoi(strings.TrimSpace(string(written)))
			return err
		},
		Attempt: func(context.Context) (string, error) {
			if child.Alive(child.Identity{Pid: pid}) {
				return fmt.Sprintf("process %d, which a guard started, still runs", pid), nil
			}
			return "", nil
		},
	}
}

// loopback: where the gateway listens if nothing is said, other machines do not reach it.
func (l *lab) loopback() doctor.Claim {
	const first, patience = 7777, 2 * time.Second
	var at net.Listener
	came := make(chan string, 16)
	reaches := func(ctx context.Context, ip string) bool {
		_, port, _ := net.SplitHostPort(at.Addr().String()) // it listens
		d := net.Dialer{Timeout: patience}
		c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(ip, port))
		if err != nil {
			return false
		}
		defer c.Close() //nolint:errcheck // it carries nothing
		late := time.After(patience)
		for {
			select {
			case by := <-came:
				if by == ip {
					return true
				}
			case <-late: // somebody else listens there
				return false
			}
		}
	}
	return doctor.Claim{
		Name: "the gateway listens to this machine alone", Limit: claimLimit,
		Control: func(ctx context.Context) (err error) {
			if at, err = instance.Open(instance.PortsIn(l.file("ports")), l.dir, "", first); err != nil {
				return err
			}
			l.atEnd(at.Close)
			go accept(at, came)
			return must(reaches(ctx, "127.0.0.1"), nil)("it is not reached from this machine either")
		},
		Attempt: func(ctx context.Context) (string, error) {
			others, err := elsewhere()
			if err != nil {
				return "", err
			}
			for _, ip := range others {
				if reaches(ctx, ip) {
					return "it is reached at " + ip, nil
				}
			}
			if len(others) == 0 {
				return "", fmt.Errorf("%w: this machine has no address but its own", doctor.ErrMoot)
			}
			return "", nil
		},
	}
}

// accept tells of each connection by which address it came, until the listener is closed.
func accept(at net.Listener, came chan<- string) {
	for {
		c, err := at.Accept()
		if err != nil {
			return
		}
		by, _, _ := net.SplitHostPort(c.LocalAddr().String()) // it came by one
		c.Close()                                             //nolint:errcheck // it carries nothing
		select {
		case came <- by:
		default: // more come than anybody asked for
		}
	}
}

// elsewhere are the addresses at which other machines would reach this one.
func elsewhere() (out []string, err error) {
	all, err := net.InterfaceAddrs()
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			out = append(out, n.IP.String())
		}
	}
	return out, err
}

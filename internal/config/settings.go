package config

import "github.com/mortise-dev/mortise/ext"

// Settings are the keys of the configuration. A key is one field: from its
// tags come strict decoding, the name of its variable, the JSON Schema, the
// reference, the template and what may set it. A table is a struct, a table of
// named tables a slice of structs with a Name.
//
//	toml     the key
//	doc      what it means, in one sentence
//	default  the value when no layer says anything
//	enum     the values it takes, separated by commas
//	min      the least number it takes
//	form     what a string must look like (forms)
//	widens   which values allow more than the default (widenings)
//	example  the value the template shows, as TOML; the default without one
type Settings struct {
	Owner   Owner    `toml:"owner" doc:"What the owner of the workspace keeps here."`
	Plugins []Plugin `toml:"plugins" doc:"Plugins, each by its name, in load order. Of one whose path your own config.toml or the managed file gives, a workspace says only the settings." example:"acme = { path = \"./plugins/acme\" }"`
	Markets []Market `toml:"markets" doc:"Marketplaces on this machine, each by its name: mortise market lists and searches what they offer. Nothing of them is used before it is a plugin." example:"acme = { path = \"./market\" }"`
	Sources []Source `toml:"sources" doc:"What may be installed from where, each rule by its name. What any file blocks is not installed; where your own config.toml or the managed file allows something, nothing else is. Nothing is fetched before all rules were asked." example:"acme = { from = \"github.com/acme\", policy = \"block\" }"`
	// Arrays of tables: what they hold is in Config.Rows.
	Axis     Rows     `toml:"axis" doc:"Settings of a worktree, each with levels of which the first is the default: mortise mode sets them." example:"[[axis]]\nname = \"data\"\nlevels = [\"fake\", \"real\"]\nblurb = { fake = \"made-up data\", real = \"customers' data\" }"`
	Require  Rows     `toml:"require" doc:"What a level of one axis needs of another axis." example:"[[require]]\naxis = \"data\"\nwhen = \"real\"\nneeds = \"vpn\"\naccepts = \"on\""`
	Conflict Rows     `toml:"conflict" doc:"What a level of one axis does not go with." example:"[[conflict]]\naxis = \"data\"\nwhen = \"real\"\nwith = \"net\"\nat = \"open\""`
	Inject   Rows     `toml:"inject" doc:"Credentials that are put into requests, each while an axis of its own is on. The credential itself is no part of any configuration." example:"[[inject]]\naxis = \"acme\"\nhost = \"api.acme.example\"\nvalue_prefix = \"Bearer \""`
	Overlay  Rows     `toml:"overlay" doc:"Compose files that are stacked onto the stack's own." example:"[[overlay]]\nfile = \"./compose.real.yaml\"\nwhen = { data = \"real\" }"`
	Secret   Rows     `toml:"secret" doc:"Secrets that a mode needs of its person. What a row says of one that an extension wants takes the place of what that says." example:"[[secret]]\nvariable = \"ACME_KEY\"\nhow = \"See the page on keys.\""`
	Monorepo Monorepo `toml:"monorepo" doc:"The design monorepo: a working tree that declares plugins, agents, deployments, tools, profiles and missions below .colony. A workspace that has that directory is one."`
	Stack    Stack    `toml:"stack" doc:"The services of the workspace."`
	Claude   Claude   `toml:"claude" doc:"Claude Code in the box."`
	Trust    Trust    `toml:"trust" doc:"How strictly extensions are admitted. What a file of a workspace says is for what comes with the workspace."`
	Limits   Limits   `toml:"limits" doc:"How much of an extension is read. Only your own config.toml and the managed file may raise a limit above its default; what a file of a workspace says is for what comes with the workspace."`
	Context  Context  `toml:"context" doc:"How much of an agent's context extensions may take before something is said. Nothing is left out for it."`
	Gateway  Gateway  `toml:"gateway" doc:"How things are offered to MCP clients."`
	Audit    Audit    `toml:"audit" doc:"What the log of calls keeps."`
	Output   Output   `toml:"output" doc:"How results are shown."`
}

// Monorepo is about the design monorepo.
type Monorepo struct {
	// Path is as written; "" is the workspace, where it is one. Config.MonorepoDir is where it leads.
	Path            string `toml:"path" form:"inside" widens:"absolute" example:"\"./design\"" doc:"The working tree, below the workspace, where that is not the workspace itself. It must be there then. Only your own config.toml and the managed file may name an absolute path."`
	AgentBases      string `toml:"agent_bases" form:"dotted" example:"\"acme.agents.Base\"" doc:"Further Python classes that are agents, so that what derives from them is one: dotted names, with blanks or commas between them; one that ends in .* stands for all below it."`
	DeploymentBases string `toml:"deployment_bases" form:"dotted" example:"\"acme.serving.Service\"" doc:"Further Python classes that are deployments, likewise."`
	Decorators      string `toml:"decorators" form:"dotted" example:"\"acme.serving.deploy\"" doc:"Further decorators that make a Python class a deployment, likewise."`
	Allow           string `toml:"allow" form:"dotted" widens:"other" doc:"What Python of the monorepo may use besides the list that is shipped, so that mortise check does not warn of it: dotted names of what a module has, with blanks or commas between them; one that ends in .* stands for every name below it that begins with a capital letter, and one without a dot for a name that needs no import. Only your own config.toml and the managed file say this."`
}

// Stack is about the services of a workspace.
type Stack struct {
	// Compose is as written; "" is no stack.
	Compose string `toml:"compose" form:"inside" widens:"absolute" example:"\"./compose.yaml\"" doc:"The compose file of the workspace's services; overlays are stacked onto it. Without it there is no stack."`
}

// Claude is about Claude Code in the box.
type Claude struct {
	Keyless string `toml:"keyless" default:"off" enum:"off,api-key,oauth" example:"\"api-key\"" doc:"Claude Code in the box has a stand-in for its credential, and the proxy puts in the real one while the axis claude is on."`
}

// Owner is about the owner's directory.
type Owner struct {
	// Path is as written; Config.OwnerDir is where it leads.
	Path string `toml:"path" default:"./.mortise" form:"inside" widens:"absolute" doc:"The owner's directory, below the workspace. Only your own config.toml and the managed file may name an absolute path."`
}

// Plugin is one plugin by name.
type Plugin struct {
	Name ext.Name
	// Path is as written, Dir the absolute directory it leads to.
	Path string `toml:"path" form:"place" doc:"Where the plugin lies: ./… from the file that says so, or an absolute path."`
	Dir  string
	// Format is "" when the format is to be recognised.
	Format  string `toml:"format" form:"format" doc:"The format to read the plugin as; recognised from its files when not given."`
	Enabled bool   `toml:"enabled" default:"true" widens:"more" doc:"Whether the plugin is used. What your own config.toml disables, no file of a workspace enables."`
	// Settings is a map; empty when nothing is set. What a workspace's file says in
	// it about a plugin of the person's own is one of the workspace's effects: it
	// counts for nothing before that was adopted.
	Settings ext.Doc `toml:"settings" doc:"Settings handed to the plugin, kept as they are."`
	// Refused is true when there is an error in the plugin's tables. It is
	// listed and must not be loaded, because what it was meant to be is not known.
	Refused bool
	// Own is true when the person's own configuration, or the machine's, says what
	// the plugin is, so that it is in use in every workspace, adopted or not.
	Own    bool
	Origin ext.Origin // of what gives its path, else of its first table
}

// Market is one marketplace by name.
type Market struct {
	Name ext.Name
	// Path is as written, Dir the absolute directory it leads to.
	Path string `toml:"path" form:"place" doc:"Where the marketplace lies: ./… from the file that says so, or an absolute path. Of one whose path your own config.toml or the managed file gives, a workspace says nothing."`
	Dir  string
	// Refused is true when there is an error in the marketplace's tables. It is
	// listed and not looked into.
	Refused bool
	// Own is true when the person's own configuration, or the machine's, says
	// where it is.
	Own    bool
	Origin ext.Origin // of what gives its path, else of its first table
}

// Source is one rule about where plugins may come from, by name.
type Source struct {
	Name ext.Name
	// From is as written: what the rule is about, with all below it.
	From   string `toml:"from" form:"source" doc:"What the rule is about, with all that lies below: HOST, *.HOST, HOST/PATH, an absolute directory, or * for everything. However an address is spelled, it is compared by what it leads to. Of a rule whose from your own config.toml or the managed file gives, a workspace says nothing."`
	Policy string `toml:"policy" enum:"allow,block" widens:"allow" doc:"allow or block. A rule without says nothing but how a commit is to be signed. A file of a workspace may only block."`
	// Signed is "" when nothing need be.
	Signed string `toml:"signed" enum:"commit,note" doc:"What must be signed of what is installed from there: the commit, as git does it, or a note over name, commit and content (mortise plugin sign)."`
	// Signers is as written, SignersFile the absolute path that it leads to.
	Signers     string `toml:"signers" form:"place" doc:"The file that says whose signatures count. Of commits: as ssh-keygen reads allowed signers; without it the keys that gpg trusts count. Of notes: one verifier key a line."`
	SignersFile string
	// Refused is true when there is an error in the rule's tables: what it forbids is
	// not known.
	Refused bool
	// Own is true when the person's own configuration, or the machine's, says what it
	// is about.
	Own    bool
	Origin ext.Origin // of what gives its from, else of its first table
}

// Trust is how strictly extensions are admitted.
type Trust struct {
	Whole bool   `toml:"whole" default:"false" widens:"off" example:"true" doc:"Refuse an extension whole when one piece of its content has a fault. Any file may turn this on; what one turned on only the managed file turns off."`
	Tools string `toml:"tools" default:"first" enum:"first,ask" widens:"unasked" example:"\"ask\"" doc:"What becomes of what a server of the owner's offers. first: what it offers when it first runs counts as approved, and later whatever is new or changed waits for mortise approve; ask: all of it waits. What a plugin's server offers always waits. Any file may say ask; what one said only the managed file takes back."`
}

// Limits bound what is read of one extension.
type Limits struct {
	FileBytes int `toml:"file_bytes" default:"1048576" min:"1" widens:"more" doc:"The largest file that is read, in bytes."`
	Files     int `toml:"files" default:"20000" min:"1" widens:"more" doc:"The most files in one tree."`
	Depth     int `toml:"depth" default:"16" min:"1" widens:"more" doc:"The deepest folder in one tree."`
}

// Bounds are the limits as the stages take them.
func (l Limits) Bounds() ext.Limits {
	return ext.Limits{FileBytes: int64(l.FileBytes), Files: l.Files, Depth: l.Depth}
}

// Context is how much of an agent's context extensions may take, in estimated
// tokens. 0 is no budget.
type Context struct {
	Budget          int `toml:"budget" default:"0" min:"0" widens:"unbounded" example:"8000" doc:"The most that an agent should carry of all extensions before it uses any, in estimated tokens: names and descriptions, definitions of tools, and prompt fragments. More is a warning; 0 is no budget. What your own config.toml sets, the files of a workspace and the variable may lower, and neither raise nor remove."`
	ExtensionBudget int `toml:"extension_budget" default:"0" min:"0" widens:"unbounded" example:"2000" doc:"The same for each single extension."`
}

// Gateway is how things are offered to MCP clients.
type Gateway struct {
	NameLimit int `toml:"name_limit" default:"50" min:"32" widens:"other" doc:"The longest name that a tool or prompt is offered by, in characters; longer ones are cut and end in a hash. Clients put words of their own before it. Only your own config.toml and the managed file say this: what a client allows or forbids, it does by name."`
}

// Audit is what the log of calls keeps.
type Audit struct {
	Full bool `toml:"full" default:"false" widens:"other" doc:"Keep the arguments of calls as they are, and not their keys, sizes and hashes alone. They may hold secrets. Only your own config.toml and the managed file say this."`
}

// Output is how results are shown.
type Output struct {
	Color string `toml:"color" default:"auto" enum:"auto,always,never" doc:"When to use colours; auto is on terminals only."`
}

package colony

import (
	"maps"
	"slices"
)

// Manifest is what a manifest says. What it leaves out has its default.
type Manifest struct {
	Version       int // 1 where the file has none
	Tenant        string
	Colony        string
	Program       string
	TargetSystem  string
	DesignRepoURL string
	Topology      Topology

	CredentialsRef    *string // nil: null
	Imports           []Import
	LFS               LFS
	Webhook           Webhook
	Directories       map[Surface]string // as spelled; of surfaces that the file names; nil: it has no extensions
	DefaultBranch     string
	AgentEmailDomain  string
	ProtectedBranches []string // patterns; none: nothing is protected

	lines map[Surface]int // where directories are named
}

// Topology is where the repositories of a monorepo are.
type Topology string

// The topologies.
const (
	SelfHosted Topology = "self_hosted_gitea"
	External   Topology = "external"
	AirGapped  Topology = "air_gapped"
)

// Import is a repository from which tools are taken.
type Import struct {
	Name, URL string
	Ref       string // tag:NAME is a tag
	Scope     string
	Writable  bool
	Rest      string // the keys that are not known here, as one JSON object; "" for none
}

// LFSMode is where large files are kept.
type LFSMode string

// The modes.
const (
	SameRemote LFSMode = "same_remote"
	Separate   LFSMode = "separate"
	Disabled   LFSMode = "disabled"
)

// LFS says where large files are kept.
type LFS struct {
	Mode           LFSMode
	SeparateURL    *string // there where Mode is Separate
	CredentialsRef *string
	Rest           string // as of Import
}

// Webhook says whom to tell of changes.
type Webhook struct {
	Enabled   bool
	Endpoint  *string
	SecretRef *string
	Rest      string // as of Import
}

// Domain is the domain of agents' addresses where the manifest names none.
const Domain = "agent.colony.local"

// Default is what holds where there is no manifest.
func Default() *Manifest {
	return &Manifest{
		Version: Version, Topology: External, LFS: LFS{Mode: SameRemote},
		DefaultBranch: "main", AgentEmailDomain: Domain, ProtectedBranches: []string{"main"},
	}
}

// WithImports is m with more imports. One of the same address and reference as one before
// is left out.
func (m *Manifest) WithImports(more ...Import) *Manifest {
	out := m.clone()
	for _, i := range more {
		same := func(o Import) bool { return o.URL == i.URL && o.Ref == i.Ref }
		if !slices.ContainsFunc(out.Imports, same) {
			out.Imports = append(out.Imports, i)
		}
	}
	return out
}

func (m *Manifest) clone() *Manifest {
	out := *m
	out.Imports = slices.Clone(m.Imports)
	out.Directories = maps.Clone(m.Directories)
	out.ProtectedBranches = slices.Clone(m.ProtectedBranches)
	return &out
}

// Protected reports whether the manifest protects a branch, which is named without
// refs/heads/. No name is no branch.
func (m *Manifest) Protected(branch string) bool {
	return branch != "" && slices.ContainsFunc(m.ProtectedBranches, func(p string) bool { return match(p, branch) })
}

package pysrc

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// Index is what is known of classes and decorators that are defined elsewhere. All names
// are dotted, as an import statement would spell them; one that ends in ".*" stands for
// everything below, which makes what is found by it a Maybe. The zero Index knows nothing, so that every imported base is
// unresolved. An Index is not changed once it is used, and is not copied.
type Index struct {
	// Agents are classes that are agents: the base itself, its re-exports, and known
	// subclasses.
	Agents []string
	// Deployments are classes that carry the deployment marker, so that whatever derives
	// from them does.
	Deployments []string
	// Decorators put the deployment marker on a class, bare or called.
	Decorators []string
	// Keywords are the arguments that Decorators take. Others are told in a note. None
	// means that they are not known.
	Keywords []string
	// Plain are classes and decorators that are known to be neither. A name that is also
	// in another list is not plain. The standard library and the built-in names need not be
	// listed.
	Plain []string

	once  sync.Once
	kinds map[string]known
	roots *syntax.Words   // the first parts of names that are not plain, and the marker
	ends  map[string]bool // their last parts
}

// With is x with what more knows besides. Neither is changed.
func (x *Index) With(more *Index) *Index {
	return &Index{
		Agents:      slices.Concat(x.Agents, more.Agents),
		Deployments: slices.Concat(x.Deployments, more.Deployments),
		Decorators:  slices.Concat(x.Decorators, more.Decorators),
		Keywords:    slices.Concat(x.Keywords, more.Keywords),
		Plain:       slices.Concat(x.Plain, more.Plain),
	}
}

// known is what an Index says of a name.
type known uint8

const (
	knownPlain known = 1 << iota
	knownAgent
	knownDeployment
	knownDecorator
	knownBelow // by a name that ends in ".*"
)

func (x *Index) build() {
	x.once.Do(func() {
		x.kinds, x.ends = map[string]known{}, map[string]bool{}
		roots := []string{marker}
		add := func(names []string, k known) {
			for _, name := range names {
				x.kinds[name] |= k
				if k != knownPlain {
					first, _, _ := strings.Cut(name, ".")
					roots = append(roots, first)
					x.ends[name[1+lastDot(name):]] = true
				}
			}
		}
		add(x.Plain, knownPlain)
		add(x.Agents, knownAgent)
		add(x.Deployments, knownDeployment)
		add(x.Decorators, knownDecorator)
		x.roots = syntax.NewWords(roots...)
	})
}

// Words are the words of the Index that Read depends on, sorted: the first and the last
// parts of each name that is not plain, and the marker. A file is read whole by itself
// where one of the first parts, or the marker, is written in its code.
func (x *Index) Words() []string {
	x.build()
	words := append(x.roots.List(), slices.Collect(maps.Keys(x.ends))...)
	slices.Sort(words)
	return slices.Compact(words)
}

// knows says what the Index knows of a dotted name; 0 for nothing.
func (x *Index) knows(name string) known {
	x.build()
	if k := x.kinds[name]; k != 0 {
		return k
	}
	for above := name; ; {
		at := lastDot(above)
		if at < 0 {
			break
		}
		above = above[:at]
		if k := x.kinds[above+".*"]; k != 0 {
			return k | knownBelow
		}
	}
	if isStandard(name) {
		return knownPlain
	}
	return 0
}

func isStandard(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	return standard()[first]
}

const colony = "polymathera.colony."

// Reference is the Index of the system that design monorepos are from: its agent base and
// the agents that it ships, its decorator, and its deployments. It is made anew by each
// call.
func Reference() *Index {
	return &Index{
		Agents: below(colony+"agents.", `
			Agent base.Agent
			missions.project_planning.coordinator.ProjectPlanningCoordinator
			patterns.memory.management.MemoryManagementAgent
			patterns.meta_agents.consistency.ConsistencyAgent
			patterns.meta_agents.goal_alignment.ObjectiveGuardAgent
			patterns.meta_agents.grounding.GroundingAgent
			patterns.meta_agents.reputation_agent.ReputationAgent
			roles.data_curation.DataCurationAgent
			roles.knowledge_curator.KnowledgeCuratorAgent`,
			colony, `
			samples.code_analysis.basic.cluster_analyzer.ClusterAnalyzer
			samples.code_analysis.basic.cluster_analyzer_v2.ClusterAnalyzerV2
			samples.code_analysis.basic.page_analyzer.PageAnalyzer
			samples.code_analysis.basic.coordinator.BaseCodeAnalysisCoordinator
			samples.code_analysis.basic.coordinator.CodeAnalysisCoordinator
			samples.code_analysis.basic.coordinator.CodeAnalysisCoordinatorV2
			samples.code_analysis.compliance.agents.*
			samples.code_analysis.contracts.agents.*
			samples.code_analysis.intent.agents.*
			samples.code_analysis.slicing.agents.*
			samples.code_analysis.impact.page_analyzer.ChangeImpactAnalysisAgent
			samples.code_analysis.impact.coordinator.ChangeImpactAnalysisCoordinator
			web_ui.backend.chat.session_agent.SessionAgent`),
		Deployments: below(colony+"cluster.", `
			remote_deployment.RemoteLLMDeployment
			vllm_deployment.VLLMDeployment
			embedding.remote_embedding_deployment.RemoteEmbeddingDeployment`),
		Decorators: below(colony+"distributed.ray_utils.serving.", `deployment decorators.deployment`),
		Keywords: strings.Fields(`name router_class autoscaling_config ray_actor_options
			max_concurrency logging_config health_check_config enable_kafka_logs`),
		Plain: strings.Fields(`pydantic.* pydantic_settings.* typing_extensions.* attr.* attrs.*`),
	}
}

// below are names below prefixes: a prefix, its names, another prefix, and so on.
func below(prefixes ...string) (names []string) {
	for i := 0; i+1 < len(prefixes); i += 2 {
		for name := range strings.FieldsSeq(prefixes[i+1]) {
			names = append(names, prefixes[i]+name)
		}
	}
	return names
}

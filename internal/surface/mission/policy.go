package mission

import "github.com/mortise-dev/mortise/ext"

// Policy is how a mission is to be run. Nothing here runs one.
type Policy struct {
	MaxConcurrent          *int64 // nil: any number
	ConcurrencyScope       string
	OnConcurrencyViolation string
	Preemptible            bool
	PreemptionGraceSeconds float64
	Interruptible          bool
	CancelPropagates       bool // to what it started
	RequiresComplete       []string
	MaxRuntimeSeconds      *float64 // nil: any
	MaxLLMCostUSD          *float64 // nil: any
	MaxIterations          *int64   // nil: any
	Reentrant              bool
	HumanApprovalBefore    []string
	MutatesRemote          bool
	MutatesLocalOnly       bool
	Pure                   bool
	CooldownSeconds        float64
}

// unsaid is a policy that says nothing.
func unsaid() Policy {
	one := int64(1)
	return Policy{
		MaxConcurrent: &one, ConcurrencyScope: "agent", OnConcurrencyViolation: "reject",
		PreemptionGraceSeconds: 10, Interruptible: true, CancelPropagates: true,
	}
}

func (r reader) policy(d *ext.Doc, where string) {
	if d.Kind == ext.Null {
		return
	}
	p := unsaid()
	grace, cooldown := &p.PreemptionGraceSeconds, &p.CooldownSeconds
	r.object(d, where, table{
		"max_concurrent_instances":          {set: r.whole(&p.MaxConcurrent, 0)},
		"concurrency_scope":                 {set: r.word(&p.ConcurrencyScope, "global", "tenant", "colony", "session", "agent")},
		"on_concurrency_violation":          {set: r.word(&p.OnConcurrencyViolation, "reject", "queue", "preempt_oldest", "return_existing")},
		"preemptible":                       {set: r.flag(&p.Preemptible)},
		"preemption_grace_seconds":          {set: r.number(&grace, false)},
		"interruptible":                     {set: r.flag(&p.Interruptible)},
		"cancel_propagates_to_children":     {set: r.flag(&p.CancelPropagates)},
		"requires_mission_complete":         {set: r.texts(&p.RequiresComplete)},
		"max_runtime_seconds":               {set: r.number(&p.MaxRuntimeSeconds, true)},
		"max_llm_cost_usd":                  {set: r.number(&p.MaxLLMCostUSD, true)},
		"max_iterations":                    {set: r.whole(&p.MaxIterations, 1)},
		"reentrant":                         {set: r.flag(&p.Reentrant)},
		"requires_human_approval_before":    {set: r.texts(&p.HumanApprovalBefore)},
		"mutates_remote":                    {set: r.flag(&p.MutatesRemote)},
		"mutates_local_only":                {set: r.flag(&p.MutatesLocalOnly)},
		"pure":                              {set: r.flag(&p.Pure)},
		"cooldown_seconds_after_completion": {set: r.number(&cooldown, false)},
	})
	p.PreemptionGraceSeconds, p.CooldownSeconds = *grace, *cooldown
	if several(p.MutatesRemote, p.MutatesLocalOnly, p.Pure) {
		r.e.ReportField(where, Value, d.Line, "%s says more than one of mutates_remote, mutates_local_only and pure", where)
	}
	r.e.Value.Policy = &p
}

func several(flags ...bool) bool {
	n := 0
	for _, f := range flags {
		if f {
			n++
		}
	}
	return n > 1
}

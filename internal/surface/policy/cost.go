package policy

import (
	"fmt"
	"math"
	"regexp"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"

	"github.com/mortise-dev/mortise/ext"
)

// The cost of judging is counted in CEL's units: one for reading a variable, a
// tenth for a character that is looked at. Decoding refuses an expression that
// could cost more than maxCost, some tenths of a second, for a call of nominal
// size. A call that is larger in any way is judged with a counter that ends at
// maxCost; counting costs four times as much, which such a call can bear.
const (
	maxCost      = 10_000_000
	nominalText  = 1024    // bytes of one text
	nominalItems = 256     // of one list or object
	nominalTotal = 1 << 16 // bytes of all arguments
)

// estimate is the most that an expression costs for a call of nominal size.
func estimate(env *cel.Env, checked *cel.Ast, ranges map[int64]bool) uint64 {
	s := sizes{ranges}
	c, err := env.EstimateCost(checked, s, cost.OverloadCostEstimate("string_split_string", s.split), cost.OverloadCostEstimate("string_split_string_int", s.split))
	if err != nil {
		return math.MaxUint64
	}
	return c.Max
}

// units is a cost in words.
func units(n uint64) string {
	if n == math.MaxUint64 {
		return "unlimited"
	}
	return fmt.Sprint(n)
}

// sizes are those of a call of nominal size.
type sizes struct{ ranges map[int64]bool }

// EstimateSize is the size of what is read from a variable; CEL works out the rest.
func (s sizes) EstimateSize(node cost.AstNode) *cost.SizeEstimate {
	if node.Expr() == nil || len(node.Path()) == 0 {
		return nil
	}
	most := uint64(nominalText)
	if k := node.Type().Kind(); k == types.ListKind || k == types.MapKind || s.ranges[node.Expr().ID()] {
		most = nominalItems
	}
	size := cost.RangedSizeEstimate(0, most)
	return &size
}

// EstimateCallCost is the cost of what CEL's own estimate does not fit: matching
// takes as long as the compiled pattern is large, and what a key leads to is as
// large as anything in a call.
func (s sizes) EstimateCallCost(function, _ string, target *cost.AstNode, args []cost.AstNode) *cost.CallEstimate {
	switch function {
	case operators.Index:
		return &cost.CallEstimate{CostEstimate: cost.FixedCostEstimate(1), ResultSize: s.element(args[0])}
	case "matches":
		subject, pattern := args[0], args[len(args)-1]
		if target != nil {
			subject = *target
		}
		literal, _ := text(pattern.Expr())
		size, _ := types.RegexProgramSize(literal)
		steps := cost.SafeMultiply(s.size(subject).Max, uint64(size))
		return &cost.CallEstimate{CostEstimate: cost.Estimate{Max: cost.SafeAdd(1, steps/stepsPerUnit)}}
	}
	return nil
}

// split is the cost of taking a text apart: no part is larger than the text.
func (s sizes) split(_ cost.Estimator, target *cost.AstNode, _ []cost.AstNode) *cost.CallEstimate {
	if target == nil {
		return nil
	}
	n := s.size(*target).Max
	parts := cost.ListSizeEstimate(cost.RangedSizeEstimate(0, cost.SafeAdd(n, 1)), cost.RangedSizeEstimate(0, n))
	return &cost.CallEstimate{CostEstimate: cost.Estimate{Max: cost.SafeAdd(cost.ListCreateBaseCost, n, n)}, ResultSize: &parts}
}

// size is what is known of a node's size.
func (s sizes) size(node cost.AstNode) cost.SizeEstimate {
	if known := node.ComputedSize(); known != nil {
		return *known
	}
	if read := s.EstimateSize(node); read != nil {
		return *read
	}
	return cost.UnknownSizeEstimate()
}

// element is the size of what a list or object holds; nil where that is not known.
func (s sizes) element(of cost.AstNode) *cost.SizeEstimate {
	if known := of.ComputedSize(); known != nil && known.Elem != nil && !known.Elem.IsUnknown() {
		return known.Elem
	}
	if len(of.Path()) == 0 {
		return nil
	}
	size := cost.RangedSizeEstimate(0, nominalText)
	return &size
}

// stepsPerUnit is how many steps of a regular expression count as one unit.
const stepsPerUnit = 10

// counter counts, in a call that is larger than nominal, what CEL's own count is
// too low for.
type counter struct{ patterns map[string]int } // the size of each, once it is planned

// CallCost is what one evaluated function cost; nil where CEL's count will do.
func (c counter) CallCost(function, _ string, args []ref.Val, _ ref.Val) *uint64 {
	n := uint64(1)
	switch function {
	case "matches":
		s, _ := args[0].(types.String)
		pattern, _ := args[1].(types.String)
		n += uint64(len(s)) * uint64(c.patterns[string(pattern)]) / stepsPerUnit
	case operators.In:
		if l, ok := args[1].(traits.Lister); ok {
			size, _ := l.Size().(types.Int)
			n += uint64(size)
		}
	default:
		return nil
	}
	return &n
}

// matcher is matches with its pattern compiled once. It refuses, before it begins,
// a text that would take too long: nothing can end it once it runs. The size of
// every pattern is put into sizes.
func matcher(sizes map[string]int) cel.ProgramOption {
	plan := func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
		compiled, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		size, err := types.RegexProgramSize(pattern)
		if err != nil {
			return nil, err
		}
		sizes[pattern] = size
		return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val {
			s, ok := values[0].(types.String)
			switch {
			case !ok:
				return types.NoSuchOverloadErr()
			case len(s)*size > maxCost*stepsPerUnit:
				return types.NewErr("a text of %d bytes is too long for the pattern %s", len(s), ext.Shorten(pattern, 80))
			}
			return types.Bool(compiled.MatchString(string(s)))
		}), nil
	}
	return cel.OptimizeRegex(
		&interpreter.RegexOptimization{Function: "matches", OverloadID: overloads.Matches, RegexIndex: 1, Factory: plan},
		&interpreter.RegexOptimization{Function: "matches", OverloadID: overloads.MatchesString, RegexIndex: 1, Factory: plan},
	)
}

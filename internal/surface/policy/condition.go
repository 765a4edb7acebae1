package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"

	"github.com/mortise-dev/mortise/ext"
)

// checkEvery is after how many turns of loops a judgement looks whether it is
// still wanted.
const checkEvery = 64

// condition is an expression to judge by. Its programs are made at first use.
type condition struct {
	expression string
	facts      facts
	fault      error // why there is nothing to judge by

	arguments, annotations, mode bool // which it reads

	plain   func() (cel.Program, error)
	counted func() (cel.Program, error) // for calls that are larger than nominal
}

func newCondition(expression string, v verdict) *condition {
	c := &condition{expression: expression, facts: v.Facts}
	if len(v.Faults) > 0 {
		c.fault = errors.New(v.Faults[0].Message)
	}
	c.arguments = slices.ContainsFunc(v.Facts.Reads, func(s string) bool { return s == "arguments" || strings.HasPrefix(s, "arguments.") })
	c.annotations, c.mode = slices.Contains(v.Facts.Reads, "annotations"), slices.Contains(v.Facts.Reads, "mode")
	c.plain = sync.OnceValues(func() (cel.Program, error) { return c.program(false) })
	c.counted = sync.OnceValues(func() (cel.Program, error) { return c.program(true) })
	return c
}

func (c *condition) program(counted bool) (cel.Program, error) {
	if c.fault != nil {
		return nil, c.fault
	}
	env, err := cels()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(c.expression)
	if err := issues.Err(); err != nil {
		return nil, err
	}
	patterns := map[string]int{}
	options := []cel.ProgramOption{matcher(patterns), cel.EvalOptions(cel.OptOptimize), cel.InterruptCheckFrequency(checkEvery)}
	if counted {
		options = append(options, cel.CostTracking(counter{patterns}), cel.CostLimit(maxCost))
	}
	return env.Program(checked, options...)
}

// holds evaluates the condition. Whatever keeps it from an answer is an error.
func (c *condition) holds(ctx context.Context, q *question) (holds bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	program := c.plain
	if q.large(c) {
		program = c.counted
	}
	p, err := program()
	if err != nil {
		return false, err
	}
	var out any
	if c.facts.Loops { // nothing else looks whether the context has ended
		out, _, err = p.ContextEval(ctx, q)
	} else {
		out, _, err = p.Eval(q)
	}
	if err != nil {
		return false, err
	}
	b, ok := out.(types.Bool)
	if !ok {
		return false, fmt.Errorf("it came to %T", out)
	}
	return bool(b), nil
}

// reason is a failure in words, fit to be printed: it may hold values of the call.
func reason(rule string, err error) string {
	if stopped := (interpreter.EvalCancelledError{}); errors.As(err, &stopped) && stopped.Cause == interpreter.CostLimitExceeded {
		err = fmt.Errorf("it would cost more than %d units for a call as large as this one", maxCost)
	}
	return fmt.Sprintf("policy %s could not judge the call, which denies it: %s", rule, ext.Escape(ext.Shorten(err.Error(), 200)))
}

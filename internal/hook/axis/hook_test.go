package axis_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
)

func TestAxes(t *testing.T)   { hooktest.Run(t, axis.Axes.Spec, "testdata/axes") }
func TestIssues(t *testing.T) { hooktest.Run(t, axis.Issues.Spec, "testdata/mode_issues") }

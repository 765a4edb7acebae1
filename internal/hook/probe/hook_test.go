package probe_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/probe"
)

func TestProbes(t *testing.T) { hooktest.Run(t, probe.Probes.Spec, "testdata") }

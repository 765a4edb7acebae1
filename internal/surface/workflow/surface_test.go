package workflow_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
	"github.com/mortise-dev/mortise/internal/surface/workflow"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, workflow.Surface.Spec) }

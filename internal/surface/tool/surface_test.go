package tool_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, tool.Surface.Spec) }

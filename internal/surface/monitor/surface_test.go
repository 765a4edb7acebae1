package monitor_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/monitor"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, monitor.Surface.Spec) }

package app_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/app"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, app.Surface.Spec) }

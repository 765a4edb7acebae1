package server_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, server.Surface.Spec) }

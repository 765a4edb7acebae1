package daemon_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/daemon"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
)

func TestDaemons(t *testing.T)  { hooktest.Run(t, daemon.Daemons.Spec, "testdata/daemons") }
func TestServices(t *testing.T) { hooktest.Run(t, daemon.Services.Spec, "testdata/mode_services") }

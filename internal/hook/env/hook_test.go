package env_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/env"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
)

func TestDerived(t *testing.T)  { hooktest.Run(t, env.Derived.Spec, "testdata/derive_env") }
func TestDefaults(t *testing.T) { hooktest.Run(t, env.Defaults.Spec, "testdata/env_defaults") }

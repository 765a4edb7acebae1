package asset_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/asset"
	"github.com/mortise-dev/mortise/internal/hook/hooktest"
)

func TestStaged(t *testing.T) { hooktest.Run(t, asset.Staged.Spec, "testdata") }

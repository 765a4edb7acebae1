package memstore_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
	"github.com/mortise-dev/mortise/internal/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) state.Store { return memstore.New() })
}

package catalog

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
)

// Markets looks at marketplaces: what they offer, and in which of the build's
// formats that is laid out which lies in place.
func Markets(ctx context.Context, look host.MarketLook) (*host.MarketListing, error) {
	env := source.Env{Specs: Specs, Limits: look.Limits}
	look.Recognise = func(t *ext.Tree) (formats []string, m source.Manifest) {
		f, m, others := source.Detect(bridge.Formats, t, env)
		if f != nil {
			formats = []string{f.Name}
		}
		return append(formats, others...), m
	}
	return look.Run(ctx)
}

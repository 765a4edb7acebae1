package proxy_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/hooktest"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
)

func TestRules(t *testing.T) { hooktest.Run(t, proxy.Rules.Spec, "testdata/proxy_rules") }
func TestHeldCredentials(t *testing.T) {
	hooktest.Run(t, proxy.HeldCredentials.Spec, "testdata/held_credentials")
}
func TestNoProxy(t *testing.T) { hooktest.Run(t, proxy.NoProxy.Spec, "testdata/no_proxy_hosts") }
func TestRecommended(t *testing.T) {
	hooktest.Run(t, proxy.Recommended.Spec, "testdata/egress_recommend")
}

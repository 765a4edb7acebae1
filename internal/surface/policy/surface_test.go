package policy_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/policy"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, policy.Surface.Spec) }

// FuzzPolicy decodes any policy.
func FuzzPolicy(f *testing.F) {
	f.Add([]byte("outcome: deny\nmessage: No.\ntools: [run_*, 'acme:shell']\nwhen: tool == \"run\" && arguments.command.matches('rm +-rf')\n"))
	f.Add([]byte("outcome: ask\nmessage: Sure?\non: other\nservers: a, b\nwhen: |\n  has(arguments.paths) &&\n    arguments.paths.exists(p, p.startsWith('/etc'))\n"))
	f.Add([]byte("outcome: deny\nmessage: No.\nwhen: '[[arguments]].filter(a, [a, a] == a).size() > 3 || \"a\".replace(\"b\", \"c\") in mode'\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, policy.Surface.Spec, "policies/p.yaml", "", data)
	})
}

package config

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Markets are in the order of the files, apart from plugins, and the person's
// own are the person's.
func TestMarkets(t *testing.T) {
	p := lay(t, map[string]string{
		"ws/mortise.toml":       "[markets.team]\npath = \"./market\"\n[markets.mine]\npath = \"./trap\"\n[markets.nowhere]\n[plugins.team]\npath = \"./p\"\n",
		"ws/mortise.local.toml": "[markets.here]\npath = \"/opt/here\"\n[markets.team]\npath = \"../other\"\n",
		"home/config.toml":      "[markets.mine]\npath = \"./market\"\n",
	})
	c, _ := p.load(t)
	var got []string
	for _, m := range c.Markets {
		got = append(got, fmt.Sprintf("%s %s own=%v refused=%v %s", m.Name, p.plain(m.Dir), m.Own, m.Refused, p.plain(m.Origin.String())))
	}
	want := []string{
		"mine $WORK/home/market own=true refused=false $WORK/home/config.toml:2",
		"team $WORK/other own=false refused=false mortise.local.toml:4",
		"here /opt/here own=false refused=false mortise.local.toml:2",
		"nowhere  own=false refused=true mortise.toml:5",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Markets (-want +got):\n%s", diff)
	}
	if len(c.Plugins) != 1 || c.Plugins[0].Name != "team" || c.Plugins[0].Refused {
		t.Errorf("Plugins: got %v, want team alone, as it is written", c.Plugins)
	}
	for _, e := range c.Effects() {
		if e.Key != "plugins" && e.Key != "plugins.team.path" {
			t.Errorf("Effects: got %s, want none of a marketplace: nothing of it is used", e.Key)
		}
	}
}

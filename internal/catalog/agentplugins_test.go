package catalog_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// agentPlugins runs the cases of one numbered requirement of Agent Plugins
// 1.0.0 (docs/agent-plugins.md): each archive is a few plugins, then what is
// decided about each when it is in use and everything is granted.
func agentPlugins(t *testing.T, number string) {
	t.Helper()
	golden.Run(t, "testdata/agent-plugins/"+number+"-*.txtar", []string{"decided"}, func(t *testing.T, in []txtar.File) []string {
		return []string{spinetest.Decisions(spinetest.Decide(t, golden.Dir(t, in), spinetest.Used(), spinetest.Options{}))}
	})
}

func TestAgentPlugins_01_Manifest_at_the_root(t *testing.T)               { agentPlugins(t, "01") }
func TestAgentPlugins_02_Nothing_outside_the_root(t *testing.T)           { agentPlugins(t, "02") }
func TestAgentPlugins_03_Relative_paths_begin_with_dot(t *testing.T)      { agentPlugins(t, "03") }
func TestAgentPlugins_04_Failure_stays_narrow(t *testing.T)               { agentPlugins(t, "04") }
func TestAgentPlugins_05_Manifest_before_all_else(t *testing.T)           { agentPlugins(t, "05") }
func TestAgentPlugins_06_Unknown_keys_reported(t *testing.T)              { agentPlugins(t, "06") }
func TestAgentPlugins_07_Other_violations_fatal(t *testing.T)             { agentPlugins(t, "07") }
func TestAgentPlugins_08_Schema(t *testing.T)                             { agentPlugins(t, "08") }
func TestAgentPlugins_09_Name(t *testing.T)                               { agentPlugins(t, "09") }
func TestAgentPlugins_10_Metadata_by_type(t *testing.T)                   { agentPlugins(t, "10") }
func TestAgentPlugins_11_Other_namespaces_ignored(t *testing.T)           { agentPlugins(t, "11") }
func TestAgentPlugins_12_Where_components_lie(t *testing.T)               { agentPlugins(t, "12") }
func TestAgentPlugins_13_Kinds_of_locations(t *testing.T)                 { agentPlugins(t, "13") }
func TestAgentPlugins_14_Skill_that_does_not_conform(t *testing.T)        { agentPlugins(t, "14") }
func TestAgentPlugins_15_Server_file(t *testing.T)                        { agentPlugins(t, "15") }
func TestAgentPlugins_16_Closed_variants(t *testing.T)                    { agentPlugins(t, "16") }
func TestAgentPlugins_17_Command_is_one_token(t *testing.T)               { agentPlugins(t, "17") }
func TestAgentPlugins_18_Working_directory(t *testing.T)                  { agentPlugins(t, "18") }
func TestAgentPlugins_19_Addresses_and_headers(t *testing.T)              { agentPlugins(t, "19") }
func TestAgentPlugins_23_Environment_names_no_host_variable(t *testing.T) { agentPlugins(t, "23") }
func TestAgentPlugins_25_Any_version(t *testing.T)                        { agentPlugins(t, "25") }
func TestAgentPlugins_26_Unknown_components_ignored(t *testing.T)         { agentPlugins(t, "26") }

package config

import "github.com/mortise-dev/mortise/ext"

// Checks lists everything that reading the configuration can find, besides
// what the TOML reader finds.
var Checks = []*ext.Check{
	UnknownKey, WrongType, WrongValue, PluginName, PluginPath, MarketPath, SourceRule, Widens,
	UnknownVariable, Unreadable, ManagedBroken, StrayLocal, Identity,
}

var (
	// UnknownKey is a key that this build does not know.
	UnknownKey = &ext.Check{
		Code: "config-unknown-key", Severity: ext.Error,
		Doc: "A configuration file has a key that is not known.",
		Fix: "Correct the key or remove it; docs/configuration.md lists every key.",
	}
	// WrongType is a value of another type than its key has.
	WrongType = &ext.Check{
		Code: "config-type", Severity: ext.Error,
		Doc: "A value in the configuration has the wrong type.",
		Fix: "Write a value of the expected type.",
	}
	// WrongValue is a value of the right type that its key does not take.
	WrongValue = &ext.Check{
		Code: "config-value", Severity: ext.Error,
		Doc: "A value in the configuration is not one that its key takes.",
		Fix: "Write one of the values that the message names.",
	}
	// PluginName is a table whose name is none that a plugin or a marketplace has.
	PluginName = &ext.Check{
		Code: "config-plugin-name", Severity: ext.Error,
		Doc: "A table is named by something that cannot name a plugin or a marketplace; the table is left out.",
		Fix: "Use 1 to 64 of a-z, 0-9, '-' and '.', beginning and ending with a letter or a digit.",
	}
	// PluginPath is a plugin that no file gives a path.
	PluginPath = &ext.Check{
		Code: "config-plugin-path", Severity: ext.Error,
		Doc: "A plugin is configured and no file says where it lies; it is refused.",
		Fix: "Add a path to the plugin's table, or remove the table.",
	}
	// MarketPath is a marketplace that no file gives a path.
	MarketPath = &ext.Check{
		Code: "config-market-path", Severity: ext.Error,
		Doc: "A marketplace is configured and no file says where it lies; it is not looked into.",
		Fix: "Add a path to the marketplace's table, or remove the table.",
	}
	// SourceRule is a rule about sources that says too little.
	SourceRule = &ext.Check{
		Code: "config-source", Severity: ext.Error,
		Doc: "A rule about sources does not say what it is about, or what holds there. Nothing is installed from anywhere until it is mended.",
		Fix: "Give the rule a from, and a policy or signed; or remove the table.",
	}
	// Widens is a value that allows more than its file may allow.
	Widens = &ext.Check{
		Code: "config-widens", Severity: ext.Warning,
		Doc: "A value would allow more than the place it is written in may allow; it is ignored.",
		Fix: "Set it in your own config.toml or have it set in the machine's managed file.",
	}
	// UnknownVariable is an environment variable that looks like one of ours.
	UnknownVariable = &ext.Check{
		Code: "config-unknown-variable", Severity: ext.Warning,
		Doc: "An environment variable begins with MORTISE_ and is not known; it is ignored.",
		Fix: "Correct the variable's name or unset it.",
	}
	// Unreadable is a file that is there and cannot be read.
	Unreadable = &ext.Check{
		Code: "config-unreadable", Severity: ext.Error,
		Doc: "A configuration file exists and cannot be read; nothing in it counts.",
		Fix: "Make it a regular file that you may read, or remove it.",
	}
	// ManagedBroken is a managed file with any error in it.
	ManagedBroken = &ext.Check{
		Code: "config-managed-broken", Severity: ext.Error,
		Doc: "The machine's managed file has errors, so what it forbids is not known; nothing may widen until it is mended.",
		Fix: "Have the administrator of this machine mend the file.",
	}
	// StrayLocal is a mortise.local.toml in a folder of the workspace.
	StrayLocal = &ext.Check{
		Code: "config-stray-local", Severity: ext.Warning,
		Doc: "A mortise.local.toml lies below the workspace and is not read.",
		Fix: "Move what it says into the mortise.local.toml at the top of the workspace.",
	}
	// Identity is a checkout whose repository cannot be told.
	Identity = &ext.Check{
		Code: "config-identity", Severity: ext.Warning,
		Doc: "The workspace's git repository cannot be told, so its state is kept for this directory alone.",
		Fix: "Run \"git worktree repair\" in the repository, or make the checkout again.",
	}
)

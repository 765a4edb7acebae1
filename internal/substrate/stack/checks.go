package stack

import "github.com/mortise-dev/mortise/ext"

// Checks on compose files.
var (
	FileRefused = &ext.Check{
		Code: "stack-refused", Severity: ext.Error,
		Doc: "A compose file that is named may not be part of the stack, or cannot be read. No stack is made without it: what it would have changed is not known.",
		Fix: "Correct the row or the extension that names it, or disable that.",
	}
	FileMissing = &ext.Check{
		Code: "stack-missing", Severity: ext.Warning,
		Doc: "A compose file that is named is not there. The stack is made without it.",
		Fix: "Write the file, or remove what names it.",
	}
	FileFault = &ext.Check{
		Code: "stack-file", Severity: ext.Error,
		Doc: "A compose file is not what the Compose specification says it is.",
		Fix: "Correct the file.",
	}
	MergeFault = &ext.Check{
		Code: "stack-merge", Severity: ext.Error,
		Doc: "Two compose files give one key values that cannot be merged: a list and a mapping.",
		Fix: "Write both in one form, or replace the value with !override.",
	}
	ServiceFault = &ext.Check{
		Code: "stack-service", Severity: ext.Error,
		Doc: "A service of the merged stack has nothing that it is made from.",
		Fix: "Give the service an image or a build; if another file was to give it, see with mortise stack args whether that is in the list.",
	}
	VariableNeeded = &ext.Check{
		Code: "stack-variable", Severity: ext.Error,
		Doc: "A compose file needs a variable that is not set, or what stands for one cannot be read.",
		Fix: "Export the variable; a $ that is meant as such is written $$.",
	}
	VariableUnset = &ext.Check{
		Code: "stack-variable-unset", Severity: ext.Warning,
		Doc: "A compose file takes in a variable that is not set; nothing stands in its place.",
		Fix: "Export the variable, or give it a default: ${NAME:-default}.",
	}
	OrderLost = &ext.Check{
		Code: "stack-order", Severity: ext.Warning,
		Doc: "A compose file lists files in an order that they do not have once they are merged, since those that a file below names as well stay where they are. Of these files a later one wins.",
		Fix: "Replace the list whole: env_file: !override […].",
	}
	NotFollowed = &ext.Check{
		Code: "stack-not-followed", Severity: ext.Warning,
		Doc: "A compose file takes in another one with include or extends. Here it is shown as it is written; the compose CLI follows it.",
		Fix: "Nothing; mortise stack config --check-cli has the compose CLI look at the whole.",
	}
)

// Checks lists what making a stack can find, for the docs.
var Checks = []*ext.Check{FileRefused, FileMissing, FileFault, MergeFault, ServiceFault, VariableNeeded, VariableUnset, OrderLost, NotFollowed}

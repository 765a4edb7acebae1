package box

import "github.com/mortise-dev/mortise/ext"

// Checks on what a box is made with.
var (
	Refused = &ext.Check{
		Code: "box-refused", Severity: ext.Error,
		Doc: "Something that a box was to be made with may not be in one. No box is made without it: what it was for is not known.",
		Fix: "Correct the extension, or disable it.",
	}
	Unprotected = &ext.Check{
		Code: "box-unprotected", Severity: ext.Warning,
		Doc: "A box may write where programs of this machine look for what they run, and nothing lies there yet that could be kept from it.",
		Fix: "Make the directory, so that it is mounted read-only.",
	}
)

// Checks lists what making a box can find, for the docs.
var Checks = []*ext.Check{Refused, Unprotected}

package tools

import "github.com/mortise-dev/mortise/ext"

// Checks lists what reading a catalogue can find, besides what reading any JSON can. An
// error about an entry refuses that entry.
var Checks = []*ext.Check{File, EntryFault, EntryLimit, Retired, Twice, Clash, Unlisted, SpecUnresolved, SpecMismatch}

var (
	// File is a catalogue of which nothing can be read.
	File = &ext.Check{
		Code: "catalogue-file", Severity: ext.Error,
		Doc: "A tool catalogue cannot be read: it is no JSON object with a list \"tools\", too large, or of a version that is not known.",
		Fix: "Correct the file; no tool of it is listed meanwhile.",
	}
	// EntryFault is an entry that is none.
	EntryFault = &ext.Check{
		Code: "catalogue-entry", Severity: ext.Error,
		Doc: "An entry of a tool catalogue is no object, lacks a key, or holds a value that does not fit.",
		Fix: "Write \"name\", \"purpose\", \"location\" and \"capability\" as texts; \"capability_fqn\" is a text and \"extra\" an object, where they are there.",
	}
	// EntryLimit is an entry with a text that is too long.
	EntryLimit = &ext.Check{
		Code: "catalogue-entry-limit", Severity: ext.Error,
		Doc: "A text of an entry of a tool catalogue is longer than is read.",
		Fix: "Shorten it; what is long belongs beside the tool.",
	}
	// Retired is an entry with fields of version 1.
	Retired = &ext.Check{
		Code: "catalogue-retired", Severity: ext.Info,
		Doc: "A tool catalogue of version 1 has fields that version 2 has no more; they are not read.",
		Fix: "Nothing: they go when the catalogue is next written, and its version becomes 2.",
	}
	// Twice is two entries of one purpose and name.
	Twice = &ext.Check{
		Code: "catalogue-twice", Severity: ext.Error,
		Doc: "Two entries of a tool catalogue have the same purpose and name; the later counts, and the other is refused.",
		Fix: "Remove one of them, or rename it.",
	}
	// Clash is two entries of one name.
	Clash = &ext.Check{
		Code: "catalogue-clash", Severity: ext.Warning,
		Doc: "Two entries of a tool catalogue have the same name and different purposes; who asks for the name alone cannot tell which is meant.",
		Fix: "Rename one of them.",
	}
	// Unlisted is tools that no entry stands for.
	Unlisted = &ext.Check{
		Code: "catalogue-unlisted", Severity: ext.Warning,
		Doc: "The directory of tools holds files, and the tool catalogue has no entries: none of them is a tool of the repository.",
		Fix: "Register them: mortise tool register.",
	}
	// SpecUnresolved is a class of which cannot be read what it can do.
	SpecUnresolved = &ext.Check{
		Code: "spec-unresolved", Severity: ext.Warning,
		Doc: "Whether the class behind a tool of the catalogue has the tool's capability cannot be decided by reading it.",
		Fix: "Write \"spec = ToolSpec(capabilities=[…])\" with literal texts in the class, in a file of this repository.",
	}
	// SpecMismatch is a class that has not the capability of its entry.
	SpecMismatch = &ext.Check{
		Code: "spec-mismatch", Severity: ext.Error,
		Doc: "The class behind a tool of the catalogue is not there, or does not have the tool's capability.",
		Fix: "Correct the entry, or the capabilities of the class.",
	}
)

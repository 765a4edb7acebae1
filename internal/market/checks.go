package market

import "github.com/mortise-dev/mortise/ext"

// Checks lists what reading a marketplace can find, besides what reading any
// file can. An error about an entry refuses that entry.
var Checks = []*ext.Check{
	BadFile, FileLink, Field, FieldType, Ignored, Incomplete, Names, Reserved, NoPlugins, Renamed, RenameCircle,
	Unsafe, NameForm, NameReserved, Twice, Differs, Credentials,
	SourceKindUnknown, SourceField, SourceUnsafe, SourceForeign, SourcePrefix, SourceLocalURL, SourcePlain,
	Outside, Absent, NotDirectory, Empty, ManifestName, Conflict, DeclaredAbsent, PolicyUnknown,
}

// On marketplace files.
var (
	// BadFile is a file of which nothing can be used.
	BadFile = &ext.Check{
		Code: "market-file", Severity: ext.Error,
		Doc: "A marketplace file cannot be used.",
		Fix: "Write an object with \"name\", \"owner\" and \"plugins\".",
	}
	// FileLink is a file that is a link.
	FileLink = &ext.Check{
		Code: "market-file-link", Severity: ext.Info,
		Doc: "A marketplace file is a link to another file of the same directory.",
		Fix: "Nothing. A link that leads outside the marketplace's directory is not followed.",
	}
	// Field is a required key that is missing or of no use.
	Field = &ext.Check{
		Code: "market-field", Severity: ext.Error,
		Doc: "A marketplace, or one of its entries, lacks a required key, or the key holds what it must not.",
		Fix: "Correct the key.",
	}
	// FieldType is a key of the wrong type.
	FieldType = &ext.Check{
		Code: "market-field-type", Severity: ext.Warning,
		Doc: "A key of a marketplace holds a value of another type than it should; it is ignored.",
		Fix: "Write a value of the type that the message names.",
	}
	// Ignored is a key without a meaning.
	Ignored = &ext.Check{
		Code: "market-ignored", Severity: ext.Info,
		Doc: "A marketplace holds a key that has no meaning here.",
		Fix: "Nothing, or remove the key.",
	}
	// Incomplete is a file that its client would refuse for something missing.
	Incomplete = &ext.Check{
		Code: "market-incomplete", Severity: ext.Warning,
		Doc: "A marketplace does not say who it is: its name, or in Claude Code's files its owner, is missing.",
		Fix: "Add \"name\" and \"owner\": {\"name\": …}.",
	}
	// Names is a directory whose files call it differently.
	Names = &ext.Check{
		Code: "market-names", Severity: ext.Info,
		Doc: "The marketplace files of one directory give it different names; it goes by the first.",
		Fix: "Nothing, or give all of them one name.",
	}
	// Reserved is a marketplace with a name of Claude Code's maker.
	Reserved = &ext.Check{
		Code: "market-name-reserved", Severity: ext.Info,
		Doc: "A marketplace has a name that Claude Code accepts from its maker alone.",
		Fix: "Nothing where it is that marketplace; else know that it is not.",
	}
	// NoPlugins is a file without entries.
	NoPlugins = &ext.Check{
		Code: "market-empty", Severity: ext.Warning,
		Doc: "A marketplace offers no plugins.",
		Fix: "Add entries to \"plugins\", or remove the file.",
	}
	// Renamed is a rename that leads nowhere, or that is not needed.
	Renamed = &ext.Check{
		Code: "market-rename", Severity: ext.Warning,
		Doc: "A rename of a marketplace leads to no entry, or is about a name that an entry has or that is renamed already; it is ignored.",
		Fix: "Rename each old name once, to the name of an entry, or to null where it is gone.",
	}
	// RenameCircle is renames that lead to each other.
	RenameCircle = &ext.Check{
		Code: "market-rename-circle", Severity: ext.Warning,
		Doc: "Renames of a marketplace lead in a circle; none of them is followed.",
		Fix: "Have each old name lead to an entry, or to null.",
	}
)

// On names.
var (
	// Unsafe is a name that must not become part of a path or of a command.
	Unsafe = &ext.Check{
		Code: "market-name-unsafe", Severity: ext.Error,
		Doc: "A name begins with a hyphen, or holds a separator of paths, two dots in a row, or characters that do not show.",
		Fix: "Use a-z, 0-9, '-' and '.', beginning and ending with a letter or a digit.",
	}
	// NameForm is a name that no plugin can have here.
	NameForm = &ext.Check{
		Code: "market-name-form", Severity: ext.Info,
		Doc: "An entry's name is none that a plugin can have in mortise.toml; it can be used by another.",
		Fix: "Nothing: mortise market show names one that is free to choose.",
	}
	// NameReserved is a name that belongs to the host.
	NameReserved = &ext.Check{
		Code: "market-entry-reserved", Severity: ext.Warning,
		Doc: "An entry has a name that Mortise keeps for itself.",
		Fix: "Give the plugin another name in mortise.toml.",
	}
	// Twice is a second entry of one name in one file.
	Twice = &ext.Check{
		Code: "market-entry-twice", Severity: ext.Error,
		Doc: "Two entries of one file have the same name, or names that look alike; the first counts.",
		Fix: "Rename or remove one of the two.",
	}
	// Differs is a plugin that two files of one directory declare differently.
	Differs = &ext.Check{
		Code: "market-entry-differs", Severity: ext.Warning,
		Doc: "Two marketplace files of one directory declare a plugin differently; the first counts.",
		Fix: "Make the two say the same.",
	}
	// ManifestName is an entry that is called otherwise by itself.
	ManifestName = &ext.Check{
		Code: "market-manifest-name", Severity: ext.Warning,
		Doc: "A plugin's own manifest calls it otherwise than the marketplace does. Some clients refuse such an entry.",
		Fix: "Make the two names equal.",
	}
)

// On sources.
var (
	// SourceKindUnknown is a source of no known kind.
	SourceKindUnknown = &ext.Check{
		Code: "market-source-kind", Severity: ext.Error,
		Doc: "The source of an entry is missing or of a kind that is not known.",
		Fix: "Write \"./PATH\", or an object whose \"source\" is github, url, git-subdir, npm, archive, command or local.",
	}
	// SourceField is a source that lacks something or says it wrong.
	SourceField = &ext.Check{
		Code: "market-source-field", Severity: ext.Error,
		Doc: "The source of an entry lacks a required key, or a key of it holds what it must not.",
		Fix: "Correct the key.",
	}
	// SourceUnsafe is a source that could be taken for a command.
	SourceUnsafe = &ext.Check{
		Code: "market-source-unsafe", Severity: ext.Error,
		Doc: "The source of an entry holds what a program that fetches it could take for an option or a command.",
		Fix: "Write an https address, a repository or a version and nothing else.",
	}
	// SourceForeign is a source that the file's own client does not take.
	SourceForeign = &ext.Check{
		Code: "market-source-foreign", Severity: ext.Warning,
		Doc: "The source of an entry is of a kind that the client of this file does not know; there the entry is missing. It is understood here.",
		Fix: "Write a source of a kind that the client knows: url or git-subdir for a repository.",
	}
	// SourcePrefix is a path that does not begin as it should.
	SourcePrefix = &ext.Check{
		Code: "market-source-prefix", Severity: ext.Warning,
		Doc: "The source of an entry is a path that does not begin with ./; it is read as if it did.",
		Fix: "Begin the path with ./.",
	}
	// SourceLocalURL is a path where an address should be.
	SourceLocalURL = &ext.Check{
		Code: "market-source-local", Severity: ext.Warning,
		Doc: "The address of a repository is a path inside the marketplace; it is read in place.",
		Fix: "Write the path as the source itself: \"./PATH\".",
	}
	// SourcePlain is an address without encryption.
	SourcePlain = &ext.Check{
		Code: "market-source-plain", Severity: ext.Warning,
		Doc: "The source of an entry is an address without encryption: whoever is on the way can change what it leads to.",
		Fix: "Use https.",
	}
	// Outside is a path that leaves the marketplace.
	Outside = &ext.Check{
		Code: "market-source-outside", Severity: ext.Error,
		Doc: "A path of a marketplace leaves its directory, or is an absolute one. It is not looked at.",
		Fix: "Put the plugin inside the marketplace's directory.",
	}
	// Absent is a path with nothing there.
	Absent = &ext.Check{
		Code: "market-source-missing", Severity: ext.Error,
		Doc: "The source of an entry is a directory that is not there.",
		Fix: "Correct the path, or restore the directory.",
	}
	// NotDirectory is a path to a file.
	NotDirectory = &ext.Check{
		Code: "market-source-file", Severity: ext.Error,
		Doc: "The source of an entry is a file; a plugin is a directory.",
		Fix: "Put the file into a directory as the plugin's format says: agents/NAME.md for an agent.",
	}
	// Empty is a directory with nothing in it.
	Empty = &ext.Check{
		Code: "market-source-empty", Severity: ext.Error,
		Doc: "The source of an entry is an empty directory: often a git submodule that was not checked out.",
		Fix: "Run git submodule update --init, or correct the path.",
	}
)

// On what an entry says of its plugin.
var (
	// Credentials is an address that logs somebody in.
	Credentials = &ext.Check{
		Code: "market-credentials", Severity: ext.Warning,
		Doc: "A marketplace, or the manifest of a plugin that it offers, holds an address with a password or a token in it. It is shown with *** in its place.",
		Fix: "Write the address without it, and declare the password or token invalid: whoever can read the file has it.",
	}
	// Conflict is an entry that wants to be the whole definition and is not.
	Conflict = &ext.Check{
		Code: "market-strict", Severity: ext.Error,
		Doc: "An entry with strict: false is the whole definition of its plugin, and the plugin's manifest declares components as well.",
		Fix: "Remove strict: false, or the components from the plugin's manifest.",
	}
	// DeclaredAbsent is a component that is declared and not there.
	DeclaredAbsent = &ext.Check{
		Code: "market-declared-missing", Severity: ext.Warning,
		Doc: "An entry declares a component by a path at which its plugin has nothing.",
		Fix: "Correct the path.",
	}
	// PolicyUnknown is a word of the policy that is not known.
	PolicyUnknown = &ext.Check{
		Code: "market-policy", Severity: ext.Warning,
		Doc: "The policy of an entry holds a word that is not known.",
		Fix: "Use AVAILABLE, INSTALLED_BY_DEFAULT or NOT_AVAILABLE; and ON_INSTALL or ON_USE.",
	}
)

// quoted is foreign text made fit for a message.
func quoted(s string) string { return ext.Quote(ext.Shorten(s, 120)) }

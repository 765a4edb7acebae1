package source

import (
	"errors"
	"io/fs"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// Checks on where files lie.
var (
	Escape = &ext.Check{
		Code: "link-escape", Severity: ext.Error,
		Doc: "A path leads outside the extension's directory through a link. It is not read.",
		Fix: "Put the file inside the extension, or make the link lead to a place inside.",
	}
	Dangling = &ext.Check{
		Code: "link-dangling", Severity: ext.Warning,
		Doc: "A link leads to nothing.",
		Fix: "Restore what it led to, or remove the link.",
	}
	Loop = &ext.Check{
		Code: "link-loop", Severity: ext.Error,
		Doc: "Links lead in a circle.",
		Fix: "Remove one of the links.",
	}
	LooksLikeLink = &ext.Check{
		Code: "link-as-file", Severity: ext.Warning,
		Doc: "A file holds nothing but a path: a link that was checked out as a plain file.",
		Fix: "Check it out with symbolic links enabled (git config core.symlinks true), or replace it by what it names.",
	}
	LinkForDocument = &ext.Check{
		Code: "link-for-document", Severity: ext.Error,
		Doc: "A file that must be JSON, YAML or TOML holds nothing but a path: a link that was checked out as a plain file. What it declares is not there.",
		Fix: "Check it out with symbolic links enabled (git config core.symlinks true), or replace it by what it names.",
	}
	Followed = &ext.Check{
		Code: "link-followed", Severity: ext.Info,
		Doc: "A link of the owner's own leads outside the owner's directory and is followed.",
		Fix: "Nothing. Only in a directory whose owner adopted it are such links followed.",
	}
	Moved = &ext.Check{
		Code: "link-moved", Severity: ext.Error,
		Doc: "A link changed between finding a document and reading it. What was read is not used.",
		Fix: "Look again. If it happens again, find out what rewrites the link.",
	}
	TooLarge = &ext.Check{
		Code: "limit-file-bytes", Severity: ext.Error,
		Doc: "A file is larger than a document may be (limits.file_bytes).",
		Fix: "Shorten the file, or raise limits.file_bytes in your own configuration.",
	}
	TooMany = &ext.Check{
		Code: "limit-files", Severity: ext.Error,
		Doc: "An extension holds more documents than it may (limits.files). The rest is not read.",
		Fix: "Split the extension, or raise limits.files in your own configuration.",
	}
	TooDeep = &ext.Check{
		Code: "limit-depth", Severity: ext.Error,
		Doc: "Directories are nested deeper than is read (limits.depth).",
		Fix: "Move the files up, or raise limits.depth in your own configuration.",
	}
	WrongKind = &ext.Check{
		Code: "location-kind", Severity: ext.Error,
		Doc: "A file stands where a directory is expected, or the reverse.",
		Fix: "Rename or remove it.",
	}
	Unreadable = &ext.Check{
		Code: "file-unreadable", Severity: ext.Error,
		Doc: "A file or directory cannot be read.",
		Fix: "Correct its permissions, or remove it.",
	}
	Busy = &ext.Check{
		Code: "system-busy", Severity: ext.Error,
		Doc: "The system could not answer what is there: too many files are open, or memory is short. Nothing of the extension is used, and a host that serves goes on with what it read before.",
		Fix: "End what takes up the system's files or memory, and look again.",
	}
	Device = &ext.Check{
		Code: "device-error", Severity: ext.Error,
		Doc: "A disk or a network file system did not answer what is there. Nothing of the extension is used; a host that serves goes on for half a minute with what it read before.",
		Fix: "Bring the disk or the network back, or mend or remove what the message names, and look again.",
	}
)

// Unanswered reports whether a finding says that the system did not answer, and
// not what is there.
func Unanswered(f ext.Finding) bool { return f.Check == Busy || f.Check == Device }

// FaultOf is the finding for an error of looking at or reading a file or an
// extension's directory.
func FaultOf(err error, o ext.Origin) ext.Finding {
	var large *root.TooLargeError
	var dangling *root.DanglingError
	var escape *root.EscapeError
	var kind *root.KindError
	switch {
	case errors.As(err, &large):
		return TooLarge.At(o, "the file has %d bytes, at most %d are read", large.Size, large.Max)
	case errors.As(err, &escape):
		return Escape.At(o, "it leads to %s, outside the extension's directory", ext.Quote(escape.Target))
	case errors.As(err, &dangling):
		return Dangling.At(o, "the link leads to %s, where there is nothing", ext.Quote(dangling.Target))
	case errors.As(err, &kind):
		return WrongKind.At(o, "it %s", kind)
	case errors.Is(err, root.ErrLoop):
		return Loop.At(o, "links lead in a circle")
	case root.Device(err):
		return Device.At(o, "%s", ext.Escape(err.Error()))
	case root.Transient(err):
		return Busy.At(o, "%s", ext.Escape(err.Error()))
	case errors.Is(err, fs.ErrNotExist):
		return Unreadable.At(o, "there is no such file")
	case errors.Is(err, fs.ErrPermission):
		return Unreadable.At(o, "permission denied")
	default:
		return Unreadable.At(o, "%s", ext.Escape(err.Error()))
	}
}

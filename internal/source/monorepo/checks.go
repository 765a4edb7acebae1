package monorepo

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
)

// Checks lists what this source can find beyond what all sources do.
var Checks = append([]*ext.Check{
	Unavailable, ManifestFault, Directory, NoDirectory, NotRead, Packaged, Later, NotPython, Remark, Unresolved, NoMission, MissionUnresolved, MissionForm, allow.NotAllowed,
}, tools.Checks...)

var (
	// Unavailable is a working tree that is not there.
	Unavailable = &ext.Check{
		Code: "monorepo-unavailable", Severity: ext.Error,
		Doc: "The configuration names a design monorepo, and its working tree is not there, cannot be read, or is not checked out yet. It is not taken for an empty one.",
		Fix: "Clone or check out the repository, or correct the path under [monorepo].",
	}
	// ManifestFault is a manifest that cannot be read.
	ManifestFault = &ext.Check{
		Code: "monorepo-manifest", Severity: ext.Error,
		Doc: "The manifest of a design monorepo cannot be read, or says what none may say. Its surfaces are looked for in their default directories.",
		Fix: "Mend the manifest as the message says.",
	}
	// Directory is a directory of a surface that is refused.
	Directory = &ext.Check{
		Code: "monorepo-directory", Severity: ext.Error,
		Doc: "The directory of a surface leaves the repository, by its name or through a link, or cannot be one. Nothing of the surface is read.",
		Fix: "Name a directory within the repository.",
	}
	// NoDirectory is a file in the place of a directory.
	NoDirectory = &ext.Check{
		Code: "monorepo-directory-file", Severity: ext.Info,
		Doc: "A file lies where the directory of a surface is expected. The surface is empty.",
		Fix: "Make it a directory, or remove it.",
	}
	// NotRead are files of a surface's directory that no rule takes.
	NotRead = &ext.Check{
		Code: "monorepo-not-read", Severity: ext.Info,
		Doc: "Files in the directory of a surface are not read: another ending, or in a directory of their own. Files are taken from the directory itself, by the endings .py and .yaml, and skills from NAME/SKILL.md.",
		Fix: "Nothing, or rename or move them.",
	}
	// Packaged is a packaged plugin among the skills.
	Packaged = &ext.Check{
		Code: "monorepo-packaged", Severity: ext.Info,
		Doc: "A packaged plugin lies among the skills of a design monorepo. Its skills are not read there.",
		Fix: "Name it as a plugin in mortise.toml, or move its skills up.",
	}
	// Later is a name that several things of a surface have.
	Later = &ext.Check{
		Code: "monorepo-name-twice", Severity: ext.Warning,
		Doc: "Two classes of a surface, or two tools of the catalogue, have one name. The later counts: by the bytes of the file's name, and within a file by the line.",
		Fix: "Rename one of them.",
	}
	// NotPython is a file that Python could not read.
	NotPython = &ext.Check{
		Code: "python-unreadable", Severity: ext.Error,
		Doc: "Python could not read a file, so that nothing of it is known.",
		Fix: "Mend the file at the line named: it must be UTF-8 without a byte order mark and without NUL, and Python.",
	}
	// Remark is something in a Python file that is no class.
	Remark = &ext.Check{
		Code: "python-remark", Severity: ext.Info,
		Doc: "Something in a Python file looks as if it declared an agent or a deployment, and does not.",
		Fix: "Nothing, or write it as a class.",
	}
	// Unresolved is a class that may be an agent or a deployment.
	Unresolved = &ext.Check{
		Code: "class-unresolved", Severity: ext.Info,
		Doc: "Whether a class is an agent, or a deployment, cannot be told by reading it. It is not listed.",
		Fix: "Name its base under [monorepo] in the configuration, or write what it derives from where it can be read.",
	}
	// NoMission is a file without a mission.
	NoMission = &ext.Check{
		Code: "mission-missing", Severity: ext.Warning,
		Doc: "A file among the missions has no function mission_entry.",
		Fix: "Write one that returns the mission, or move the file.",
	}
	// MissionUnresolved is a mission whose value is not written down.
	MissionUnresolved = &ext.Check{
		Code: "mission-unresolved", Severity: ext.Warning,
		Doc: "What a mission says cannot be told by reading it, since its factory is more than the return of one literal dictionary. It is not listed.",
		Fix: "Have mission_entry return a dictionary that is written out.",
	}
	// MissionForm is a factory whose value no mission can be.
	MissionForm = &ext.Check{
		Code: "mission-form", Severity: ext.Error,
		Doc: "The factory of a mission returns something that is no dictionary.",
		Fix: "Have mission_entry be an ordinary function that returns a dictionary.",
	}
)

package plan

import "github.com/mortise-dev/mortise/ext"

// Checks on what hooks answer.
var (
	HookFailed = &ext.Check{
		Code: "hook-failed", Severity: ext.Warning,
		Doc: "What answers a hook failed, was late, or answered something else than the hook takes. It costs its own answers and nothing else.",
		Fix: "Mend the extension, or disable it.",
	}
	AnswerConflict = &ext.Check{
		Code: "answer-conflict", Severity: ext.Warning,
		Doc: "Two extensions give one key of a hook different values. Precedence decides which holds: the configuration, the owner, plugins, the project, what is built in.",
		Fix: "Disable one of the entries, or give the key in the configuration.",
	}
	AnswerTaken = &ext.Check{
		Code: "answer-taken", Severity: ext.Error,
		Doc: "Two extensions declare an axis or a probe of one name. Neither is in use.",
		Fix: "Rename one of them, or disable its extension.",
	}
	RowFault = &ext.Check{
		Code: "configuration-row", Severity: ext.Error,
		Doc: "A row of an array of tables of the configuration is not what it must be. It is left out.",
		Fix: "Correct the row.",
	}
	RelationFault = &ext.Check{
		Code: "relation-fault", Severity: ext.Error,
		Doc: "A row [[require]] or [[conflict]] of the configuration is about an axis that there is not, or is not what it must be. What it forbids is not known, so no mode is set until it is mended.",
		Fix: "Correct the row.",
	}
	ConditionUnknown = &ext.Check{
		Code: "condition-unknown", Severity: ext.Info,
		Doc: "A condition is on an axis that there is not, so that it never holds.",
		Fix: "Nothing where the axis comes and goes; else correct its name.",
	}
	AxisUnknown = &ext.Check{
		Code: "axis-unknown", Severity: ext.Error,
		Doc: "An answer is about an axis that there is not. It is left out.",
		Fix: "Correct the axis, or declare it.",
	}
	ModeOdd = &ext.Check{
		Code: "mode-odd", Severity: ext.Warning,
		Doc: "What is remembered of a mode is not what it can be: a level that the axis has not, or an emergency level without an end. The axis is at its default.",
		Fix: "Set the axis anew with mortise mode.",
	}
	ModeLeft = &ext.Check{
		Code: "mode-left", Severity: ext.Info,
		Doc: "A level is remembered of an axis that there is not any more.",
		Fix: "Nothing; the next mortise mode that sets something forgets it.",
	}
)

// Checks lists what resolving a plan can find, for the docs.
var Checks = []*ext.Check{HookFailed, AnswerConflict, AnswerTaken, RowFault, RelationFault, ConditionUnknown, AxisUnknown, ModeOdd, ModeLeft}

package frontmatter

import "github.com/mortise-dev/mortise/ext"

// Checks are all checks of front matter, besides those of package doc. The
// warnings are recoveries: each tells what was at fault and how it was read, or
// that it was not.
var Checks = []*ext.Check{
	Unclosed, NotAMap, TooLarge,
	LineEnds, Late, TOML, Fenced, Unended, Blanks, Duplicate, Tabs, Requoted, Lines, Unread,
}

// Unclosed is front matter without a closing line.
var Unclosed = &ext.Check{
	Code: "frontmatter-unclosed", Severity: ext.Error,
	Doc: "A file begins with a line ---, and no second such line ends the front matter.",
	Fix: "Write a line --- below the front matter; if there is none, remove the first line or write *** for a rule.",
}

// NotAMap is front matter that is a list or a scalar.
var NotAMap = &ext.Check{
	Code: "frontmatter-not-a-map", Severity: ext.Warning,
	Doc: "What stands between two lines --- at the top of a file is not made of keys with values. It is not read as front matter, and stays in the text.",
	Fix: `Write the front matter as lines "key: value", or *** for a rule above text.`,
}

// TooLarge is front matter larger than MaxFront.
var TooLarge = &ext.Check{
	Code: "frontmatter-too-large", Severity: ext.Error,
	Doc: "The front matter of a file is larger than 64 KiB.",
	Fix: "Move text from the front matter into the body.",
}

// LineEnds are lines that end as few programs end them.
var LineEnds = &ext.Check{
	Code: "frontmatter-line-ends", Severity: ext.Warning,
	Doc: "Lines of a file end with a carriage return alone, which few programs take for the end of a line; each was read as one.",
	Fix: "Save the file with LF or CRLF as its line ends.",
}

// Late is front matter that does not begin the file.
var Late = &ext.Check{
	Code: "frontmatter-late", Severity: ext.Warning,
	Doc: "Front matter does not begin its file with a line of three dashes: something stands above or before that line, or it has more dashes. The front matter was read all the same; a comment above it is no part of the text.",
	Fix: "Begin the file with a line --- and the front matter below it.",
}

// TOML is front matter in another language.
var TOML = &ext.Check{
	Code: "frontmatter-toml", Severity: ext.Warning,
	Doc: "A file begins with front matter in TOML, between two lines +++. It is not read as front matter, and stays in the text.",
	Fix: "Write the front matter in YAML, between two lines ---.",
}

// Fenced is a file, or its front matter, that stands in a code fence.
var Fenced = &ext.Check{
	Code: "frontmatter-fenced", Severity: ext.Warning,
	Doc: "A file with front matter, or the front matter alone, stands in a code fence; it was read without the fence.",
	Fix: "Remove the lines that open and close the code fence.",
}

// Unended is front matter without a closing line that ends all the same.
var Unended = &ext.Check{
	Code: "frontmatter-unended", Severity: ext.Warning,
	Doc: "No line --- ends the front matter of a file; it was taken to end where the lines with keys do.",
	Fix: "Write a line --- below the front matter.",
}

// Blanks are blanks behind a line that begins or ends front matter.
var Blanks = &ext.Check{
	Code: "frontmatter-blanks", Severity: ext.Warning,
	Doc: "Blanks follow the dashes of a line --- that begins or ends front matter; the line was read without them.",
	Fix: "Remove the blanks behind the dashes.",
}

// Duplicate is a key that is repeated in one map.
var Duplicate = &ext.Check{
	Code: "frontmatter-duplicate", Severity: ext.Warning,
	Doc: "The front matter of a file has the same key twice; the first counts and the other was dropped.",
	Fix: "Keep one of the two.",
}

// Tabs are tabs where YAML wants blanks.
var Tabs = &ext.Check{
	Code: "frontmatter-tabs", Severity: ext.Warning,
	Doc: "Lines of front matter are indented with tabs, which YAML does not take; each was read as blanks.",
	Fix: "Indent with blanks.",
}

// Requoted is a value that is no YAML without quotes.
var Requoted = &ext.Check{
	Code: "frontmatter-requoted", Severity: ext.Warning,
	Doc: "A value in front matter needs quotes, or has quotes that do not pair; it was taken as the text that stands there.",
	Fix: "Put the value in single quotes, and write each single quote in it twice.",
}

// Lines is text that goes on over several lines.
var Lines = &ext.Check{
	Code: "frontmatter-lines", Severity: ext.Warning,
	Doc: "A value in front matter is no YAML, and runs over several lines; all the text up to the next key was taken.",
	Fix: `Write | after the key, and the text on the lines below it, indented by two spaces.`,
}

// Unread is front matter that no reading takes.
var Unread = &ext.Check{
	Code: "frontmatter-unread", Severity: ext.Warning,
	Doc: "The front matter of a file is no YAML, and cannot be read by its keys either. Nothing of it counts; the text below it does.",
	Fix: "Mend the YAML at the line named; put values with special characters in quotes.",
}

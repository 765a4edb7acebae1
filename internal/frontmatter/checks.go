package frontmatter

import "github.com/mortise-dev/mortise/ext"

// Checks are all checks of front matter, besides those of package doc.
var Checks = []*ext.Check{Unclosed, NotAMap, TooLarge}

// Unclosed is front matter without a closing line.
var Unclosed = &ext.Check{
	Code: "frontmatter-unclosed", Severity: ext.Error,
	Doc: "A file begins with a line ---, and no second such line ends the front matter.",
	Fix: "Write a line --- below the front matter; if there is none, remove the first line or write *** for a rule.",
}

// NotAMap is front matter that is a list or a scalar.
var NotAMap = &ext.Check{
	Code: "frontmatter-not-a-map", Severity: ext.Error,
	Doc: "The front matter of a file is not made of keys with values.",
	Fix: `Write the front matter as lines "key: value".`,
}

// TooLarge is front matter larger than MaxFront.
var TooLarge = &ext.Check{
	Code: "frontmatter-too-large", Severity: ext.Error,
	Doc: "The front matter of a file is larger than 64 KiB.",
	Fix: "Move text from the front matter into the body.",
}

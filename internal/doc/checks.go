package doc

import "github.com/mortise-dev/mortise/ext"

// Checks are all checks of the readers.
var Checks = []*ext.Check{
	BOM, NotUTF8, NULByte, EmptyFile, NestingLimit, NodeLimit,
	JSONSyntax, JSONDuplicateKey,
	YAMLSyntax, YAMLDuplicateKey, YAMLKey, YAMLMultipleDocuments, YAMLAliasLimit, YAMLTag, YAMLTooLarge,
	YAMLLastCounts, YAMLTagUnknown, YAMLDate, YAMLKeyText,
	TOMLSyntax,
}

// BOM is a byte order mark at the beginning of a text.
var BOM = &ext.Check{
	Code: "bom", Severity: ext.Warning,
	Doc: "A file begins with a byte order mark, which was skipped.",
	Fix: "Save the file as UTF-8 without a byte order mark.",
}

// NotUTF8 is a text in another encoding, or with bytes that are no text.
var NotUTF8 = &ext.Check{
	Code: "not-utf8", Severity: ext.Error,
	Doc: "A file holds bytes that are not valid UTF-8.",
	Fix: "Save the file as UTF-8.",
}

// NULByte is a NUL byte in a text.
var NULByte = &ext.Check{
	Code: "nul-byte", Severity: ext.Error,
	Doc: "A file holds a NUL byte, which text does not.",
	Fix: "Remove the NUL byte, or save the file as UTF-8 text.",
}

// EmptyFile is a file with nothing in it where a value is needed.
var EmptyFile = &ext.Check{
	Code: "empty-file", Severity: ext.Error,
	Doc: "A JSON file holds no value.",
	Fix: "Write a JSON value into the file, {} at least, or delete it.",
}

// NestingLimit is a document nested deeper than MaxDepth.
var NestingLimit = &ext.Check{
	Code: "nesting-limit", Severity: ext.Error,
	Doc: "A document nests lists and maps more than 64 levels deep.",
	Fix: "Flatten the document.",
}

// NodeLimit is a document of more than MaxNodes nodes.
var NodeLimit = &ext.Check{
	Code: "node-limit", Severity: ext.Error,
	Doc: "A document holds more than 200,000 values.",
	Fix: "Split the document, or move its data to a file of its own.",
}

// JSONSyntax is text that is not JSON.
var JSONSyntax = &ext.Check{
	Code: "json-syntax", Severity: ext.Error,
	Doc: "A file is not valid JSON.",
	Fix: "Mend the JSON at the line named.",
}

// JSONDuplicateKey is an object with one key twice.
var JSONDuplicateKey = &ext.Check{
	Code: "json-duplicate-key", Severity: ext.Error,
	Doc: "A JSON object has the same key twice, and readers disagree about which one counts.",
	Fix: "Keep one of the two.",
}

// YAMLSyntax is text that is not YAML.
var YAMLSyntax = &ext.Check{
	Code: "yaml-syntax", Severity: ext.Error,
	Doc: "A text is not valid YAML.",
	Fix: "Mend the YAML at the line named; put values with special characters in quotes.",
}

// YAMLDuplicateKey is a mapping with one key twice.
var YAMLDuplicateKey = &ext.Check{
	Code: "yaml-duplicate-key", Severity: ext.Error,
	Doc: "A YAML mapping has the same key twice, and readers disagree about which one counts.",
	Fix: "Keep one of the two.",
}

// YAMLKey is a mapping key that is a list or a mapping.
var YAMLKey = &ext.Check{
	Code: "yaml-key", Severity: ext.Error,
	Doc: "A YAML mapping has a key that is a list or a mapping.",
	Fix: "Use text as the key; put a value that begins with { or [ in quotes.",
}

// YAMLMultipleDocuments is a second document in one text.
var YAMLMultipleDocuments = &ext.Check{
	Code: "yaml-multiple-documents", Severity: ext.Error,
	Doc: "A YAML text holds more than one document.",
	Fix: "Keep one document; remove the line --- that begins the next.",
}

// YAMLAliasLimit is a text whose aliases stand for too much.
var YAMLAliasLimit = &ext.Check{
	Code: "yaml-alias-limit", Severity: ext.Error,
	Doc: "The aliases of a YAML text stand for more than 10,000 values, or for themselves.",
	Fix: "Write the values out instead of referring to them.",
}

// YAMLTag is a tag that was ignored.
var YAMLTag = &ext.Check{
	Code: "yaml-tag", Severity: ext.Info,
	Doc: "A YAML value has a tag that means nothing here; the tag was ignored and the value kept as it is written.",
	Fix: "Remove the tag.",
}

// YAMLTooLarge is a text larger than MaxYAML.
var YAMLTooLarge = &ext.Check{
	Code: "yaml-too-large", Severity: ext.Error,
	Doc: "A YAML text is larger than 256 KiB.",
	Fix: "Split the file.",
}

// TOMLSyntax is text that is not TOML, or that contradicts itself.
var TOMLSyntax = &ext.Check{
	Code: "toml-syntax", Severity: ext.Error,
	Doc: "A file is not valid TOML: its syntax is broken, or a key or table is defined twice.",
	Fix: "Mend the TOML at the line named.",
}

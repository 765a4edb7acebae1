// Package syntax turns Python source into a compact tree, without running any of it.
//
// Scan is a lexical look at a whole file: strings, comments, brackets, logical lines. Parse
// runs the real grammar (internal/pysrc/grammar). Both are pure and deterministic: what they
// say depends on the bytes alone, never on time or memory at hand.
//
// A file is refused with a Fault when Python would not read it (a byte order mark, NUL, bytes
// that are not UTF-8, a syntax error, more nesting than Python takes), or when it is beyond
// the bounds here: MaxSize, MaxDepth, and a number of parser steps for each byte. Nothing
// in a file makes reading panic, stall or use more than a bounded multiple of its size.
//
// A little more is accepted than Python does: what only its compiler refuses (a return
// outside a function, an argument given twice).
package syntax

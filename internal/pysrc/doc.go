// Package pysrc reads Python definitions without running them.
//
// A file is read in three steps, each a function of its arguments alone:
//
//  1. Read looks through the text (syntax.Scan), and stops there when no class can matter.
//     Else it parses (syntax.Parse) and interprets the module-level statements in order,
//     so that each name has the binding that it is left with. The result, a Module,
//     depends on the bytes, the path and the words of the Index, and on nothing else; it is
//     plain data, which a caller may keep under a digest of those three.
//  2. Link follows chains of bases and decorators through a list of modules, and says which
//     classes are agents or deployments, how sure that is, and why. It is cheap next to
//     Read, and depends on the modules and the Index.
//  3. Set.Wanted names modules that Read passed over and that import what Link found; they
//     are read whole and linked again. ReadSet does all of this for a list of files.
//
// ReadMission and Set.Attribute give literal values that stand in the source.
//
// What is never done: executing, importing, expanding or fetching anything; reading any
// file other than those given; guessing. What cannot be decided is Unresolved, with the
// reason and the line.
//
// What is not checked: whether the imports of a file would succeed, whether it would raise,
// and whether arguments are accepted by what is called. A file may be listed that does not
// load.
//
// A file that Python could not read (see syntax.Fault) contributes nothing: its module
// holds the fault and how many class statements the scan had seen before it, and no classes.
package pysrc

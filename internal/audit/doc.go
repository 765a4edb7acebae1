// Package audit keeps the log of what was asked of tools and guards, and of what
// was answered. It is only ever added to.
//
// A log is a directory that is its person's alone. Each process that writes has
// a chain of its own in it: segment files named CHAIN.NNNNNN.jsonl, where CHAIN
// is when the chain began (UTC), the process's id and random text. A segment is
// lines of JSON: a header, then records. Each line holds the SHA-256 of the line
// before it, without the line feed; the header of a further segment that of the
// last line of the segment before. Times do not decrease within a segment: when
// the clock was set back, the next one is begun.
//
// Checkpoints join the chains. A chain writes one when it begins, when a segment
// ends and when it is closed; it names the last lines of the other chains that
// can be seen then (at most headsMax, those written to last), and is signed. So
// a chain or the end of one that is taken away is missed by those that came
// later. What nobody could have seen is missed by nobody: the last lines of a
// chain that was not closed, when no other began, turned a segment or was closed
// after they were written.
//
// Beside the segments lie two secrets, made at first use: "key" (ed25519) signs
// checkpoints, so that who can write the files but not read the key can neither
// forge one nor account for a file that is gone; "salt" goes into every hash of
// a value that the log does not show, so that who has only the log cannot guess
// short values by trying them. Neither protects against who can read both, such
// as any program of the same user. Equal values have equal hashes, on purpose:
// the log tells that the same value came again.
//
// # Failure
//
// A record that could not be written is an error of Append, and its caller
// refuses what it was about to allow. If part of the line is in the file, or if
// the file could not be synced, the segment is given up, and the header of the
// next one says how far it can be trusted, and why. A chain whose process ended
// may have half a line at its end: that record was never acknowledged.
package audit

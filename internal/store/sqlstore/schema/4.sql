-- Which words are where in the log of calls: an index, made again where it is
-- missing. The words of all blocks are looked through, which are a twenty-fifth of
-- the log: a row for each word would be found faster, and takes three times as long
-- to make. Words are long: they stand last, and in a table with rows, so that what
-- is before them is read without them.
CREATE TABLE call_segments (
	id      INTEGER PRIMARY KEY,
	file    TEXT NOT NULL UNIQUE,
	size    INTEGER NOT NULL,
	changed INTEGER NOT NULL,
	ends    INTEGER NOT NULL,
	begun   TEXT NOT NULL,
	last    TEXT NOT NULL,
	sound   INTEGER NOT NULL
) STRICT;

CREATE TABLE call_blocks (
	segment INTEGER NOT NULL,
	number  INTEGER NOT NULL,
	starts  INTEGER NOT NULL,
	ends    INTEGER NOT NULL,
	hash    TEXT NOT NULL,
	words   BLOB NOT NULL,
	PRIMARY KEY (segment, number)
) STRICT;

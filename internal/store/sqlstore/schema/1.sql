-- What a newer program changes here, an older one must still be able to read:
-- a migration adds tables, and columns that have a default, and neither removes
-- nor renames what is there.

CREATE TABLE revision (
	one    INTEGER PRIMARY KEY CHECK (one = 1),
	number INTEGER NOT NULL
) STRICT;

INSERT INTO revision VALUES (1, 0);

CREATE TABLE roster (
	name       TEXT NOT NULL,
	scope      TEXT NOT NULL,
	source     TEXT NOT NULL,
	ref        TEXT NOT NULL,
	git_commit TEXT NOT NULL,
	digest     TEXT NOT NULL,
	enabled    INTEGER NOT NULL,
	position   INTEGER NOT NULL,
	who        TEXT NOT NULL,
	at         TEXT NOT NULL,
	PRIMARY KEY (name, scope)
) STRICT, WITHOUT ROWID;

CREATE TABLE switches (
	workspace TEXT NOT NULL,
	extension TEXT NOT NULL,
	entry     TEXT NOT NULL,
	reason    TEXT NOT NULL,
	who       TEXT NOT NULL,
	at        TEXT NOT NULL,
	PRIMARY KEY (workspace, extension, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE adoptions (
	workspace TEXT NOT NULL,
	digest    TEXT NOT NULL,
	who       TEXT NOT NULL,
	at        TEXT NOT NULL,
	PRIMARY KEY (workspace, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE grants (
	kind    TEXT NOT NULL,
	subject TEXT NOT NULL,
	digest  TEXT NOT NULL,
	who     TEXT NOT NULL,
	at      TEXT NOT NULL,
	until   TEXT NOT NULL,
	PRIMARY KEY (kind, subject, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE pins (
	extension TEXT NOT NULL,
	server    TEXT NOT NULL,
	tool      TEXT NOT NULL,
	digest    TEXT NOT NULL,
	at        TEXT NOT NULL,
	PRIMARY KEY (extension, server, tool)
) STRICT, WITHOUT ROWID;

CREATE TABLE guards (
	extension TEXT NOT NULL,
	content   TEXT NOT NULL,
	name      TEXT NOT NULL,
	event     TEXT NOT NULL,
	matcher   TEXT NOT NULL,
	code      TEXT NOT NULL,
	at        TEXT NOT NULL,
	PRIMARY KEY (extension, content, name, event, matcher)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
	id       INTEGER PRIMARY KEY,
	kind     TEXT NOT NULL,
	subject  TEXT NOT NULL,
	text     TEXT NOT NULL,
	who      TEXT NOT NULL,
	at       TEXT NOT NULL,
	revision INTEGER NOT NULL
) STRICT;

CREATE INDEX events_by_kind ON events (kind, id);

-- Where a workspace was adopted and what was shown of it, so that it can be
-- fallen back to. What an older program adopted has neither.
ALTER TABLE adoptions ADD COLUMN place    TEXT NOT NULL DEFAULT '';
ALTER TABLE adoptions ADD COLUMN snapshot TEXT NOT NULL DEFAULT '';

-- The content may have several MiB: it stands last, and in a table with rows,
-- so that what is before it is read without it.
CREATE TABLE descriptions (
	workspace   TEXT NOT NULL,
	extension   TEXT NOT NULL,
	server      TEXT NOT NULL,
	declaration TEXT NOT NULL,
	at          TEXT NOT NULL,
	content     TEXT NOT NULL,
	PRIMARY KEY (workspace, extension, server)
) STRICT;

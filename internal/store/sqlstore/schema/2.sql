-- Adoptions with where each was made and what was shown of it, so that it can
-- be fallen back to. The place is part of what identifies one, and the key of a
-- table cannot be widened: this table takes the place of adoptions, and begins
-- with what is there. What an older program adopted has neither, and so no
-- place. The snapshot holds files: it stands last, and in a table with rows.
CREATE TABLE placed_adoptions (
	workspace TEXT NOT NULL,
	digest    TEXT NOT NULL,
	place     TEXT NOT NULL,
	who       TEXT NOT NULL,
	at        TEXT NOT NULL,
	snapshot  TEXT NOT NULL,
	PRIMARY KEY (workspace, digest, place)
) STRICT;

INSERT INTO placed_adoptions SELECT workspace, digest, '', who, at, '' FROM adoptions;

-- adoptions is left as it is for older programs, and gets nothing new: they see
-- fewer than there are. None may they see that is gone since, so what is removed
-- or replaced here is removed there.
CREATE TRIGGER adoptions_only_fewer AFTER DELETE ON placed_adoptions BEGIN
	DELETE FROM adoptions WHERE workspace = OLD.workspace AND digest = OLD.digest;
END;

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

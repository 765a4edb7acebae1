-- Pins of tools in the workspace that their server runs in, which is part of what
-- identifies one: this table takes the place of pins, and begins with what is there: those
-- of an older program hold in no workspace.
CREATE TABLE tool_pins (
	workspace TEXT NOT NULL,
	extension TEXT NOT NULL,
	server    TEXT NOT NULL,
	tool      TEXT NOT NULL,
	digest    TEXT NOT NULL,
	who       TEXT NOT NULL,
	at        TEXT NOT NULL,
	PRIMARY KEY (workspace, extension, server, tool)
) STRICT, WITHOUT ROWID;

INSERT INTO tool_pins SELECT '', extension, server, tool, digest, '', at FROM pins;

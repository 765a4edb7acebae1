-- Which events of which clients are delivered here: a client called mortise hook
-- for each.
CREATE TABLE connections (
	workspace TEXT NOT NULL,
	client    TEXT NOT NULL,
	event     TEXT NOT NULL,
	at        TEXT NOT NULL,
	PRIMARY KEY (workspace, client, event)
) STRICT, WITHOUT ROWID;

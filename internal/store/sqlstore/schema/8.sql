-- At which levels worktrees are, but for defaults.
CREATE TABLE levels (
	worktree TEXT NOT NULL,
	axis     TEXT NOT NULL,
	level    TEXT NOT NULL,
	until    TEXT NOT NULL,
	who      TEXT NOT NULL,
	at       TEXT NOT NULL,
	PRIMARY KEY (worktree, axis)
) STRICT, WITHOUT ROWID;

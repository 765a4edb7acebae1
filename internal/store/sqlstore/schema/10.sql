-- In which boot of the machine a level was set, and how long that had lasted, in
-- nanoseconds: so a level ends when its time is over, whatever the clock is set to.
ALTER TABLE levels ADD COLUMN boot TEXT NOT NULL DEFAULT '';
ALTER TABLE levels ADD COLUMN uptime INTEGER NOT NULL DEFAULT 0;

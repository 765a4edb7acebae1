-- Whether an extension is disabled is what switches say, of plugins as of all others.
ALTER TABLE roster DROP COLUMN enabled;
ALTER TABLE roster ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE roster ADD COLUMN within TEXT NOT NULL DEFAULT '';
ALTER TABLE roster ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE roster ADD COLUMN commit_before TEXT NOT NULL DEFAULT '';
ALTER TABLE roster ADD COLUMN digest_before TEXT NOT NULL DEFAULT '';

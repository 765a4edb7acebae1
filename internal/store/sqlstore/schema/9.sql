-- Whether a plugin was fetched with the submodules of its commits.
ALTER TABLE roster ADD COLUMN submodules INTEGER NOT NULL DEFAULT 0;

-- Where a plugin was found: PLUGIN@MARKET.
ALTER TABLE roster ADD COLUMN market TEXT NOT NULL DEFAULT '';

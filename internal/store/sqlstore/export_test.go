package sqlstore

// OpenSteps opens with a schema of the test's own, and Schema is the real one.
var (
	OpenSteps = open
	Schema    = schema
)

package mcp

import "time"

// States of a server.
const (
	Starting = "starting" // being started, greeted and asked what it offers
	Ready    = "ready"    // it can be called
	Waiting  = "waiting"  // it ended or could not be reached, and is tried again
	Failed   = "failed"   // it may not run, or is not tried again until it is named anew or restarted
	Stopped  = "stopped"  // it should not run
)

// Status is how a server is, for people. Foreign text in it is escaped, and it
// holds no value that was declared as a header or a variable.
type Status struct {
	Name      string
	Key       string
	Transport string
	State     string
	Pid       int       // 0 when there is no process
	Since     time.Time // when State began
	Error     string    // the last one, "" none
	Exit      string    // how its process last ended, "" when none has
	Starts    int       // how often it was started
	Noise     int       // lines it sent that were no messages
	Sessions  int       // that run with it; one that is ready has one, and more where peers have their own
	Tools     int       // what it last said that it offers
	Prompts   int
	Resources int      // with templates
	Stderr    []string // the last lines
	Log       string   // the file with all lines, "" when there is none or it cannot be written
}

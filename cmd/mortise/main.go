package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
	"runtime/pprof"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/host"
)

func main() {
	if p := os.Getenv("PROF"); p != "" { f, _ := os.Create(p); pprof.StartCPUProfile(f); defer pprof.StopCPUProfile() }
	t := time.Now()
	n := 1
	if os.Getenv("N") != "" { n = 20 }
	var l *host.Listing
	var err error
	for range n {
	l, err = host.Look{Specs: catalog.Specs, Limits: ext.DefaultLimits, Workers: 2}.Run(context.Background(), []ext.Source{catalog.Below(os.Args[1], ext.DefaultLimits, 2)})
	}
	fmt.Fprintln(os.Stderr, time.Since(t), err, l.Found, l.Admitted, l.Refused, l.UnknownFormat, len(l.Entries), len(l.Findings))
	if len(os.Args) > 2 { b, _ := json.MarshalIndent(l, "", " "); os.Stdout.Write(b) }
}

#!/usr/bin/env bash
# Runs every fuzz target of the module for the time given, one after the other.
set -euo pipefail
time=${1:-30s}
cd "$(dirname "$0")/.."
go list -f '{{.ImportPath}} {{.Dir}}' ./... | while read -r pkg dir; do
	{ grep -hoE '^func (Fuzz[A-Za-z0-9_]+)' "$dir"/*_test.go 2>/dev/null || true; } | awk '{print $2}' | sort -u | while read -r target; do
		echo "== $pkg $target"
		go test "$pkg" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x </dev/null
	done
done

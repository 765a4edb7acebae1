#!/usr/bin/env bash
# Runs the official suite against one server, and prints a line "pass NAME" or
# "fail NAME" for each scenario that the revision requires. With --client it is a
# client's command that is tested; that gets the server's URL as its last
# argument, and the scenario's name in MCP_CONFORMANCE_SCENARIO.
#
#   suite.sh URL REVISION             REVISION: 2025-11-25 or 2026-07-28
#   suite.sh --client CMD REVISION
#
# What the suite says goes to a file in CONFORMANCE_OUT, by default a temporary
# directory. It is installed in CONFORMANCE_CACHE, by default .cache/conformance.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() { sed -n '2,12p' "$0" | sed 's/^# \{0,1\}//' >&2; exit 2; }
mode=server flag=--url
if [ "${1:-}" = --client ]; then mode=client flag=--command; shift; fi
[ $# -eq 2 ] || usage
case $2 in 2025-11-25 | 2026-07-28) ;; *) usage ;; esac

read -r node suite <<<"$("$here/install" "${CONFORMANCE_CACHE:-$here/../../.cache/conformance}")"
out=${CONFORMANCE_OUT:-$(mktemp -d)}
mkdir -p "$out"
log=$out/$mode-$2.log
# It ends with an error when a scenario failed, which is told below.
"$node" "$suite" "$mode" "$flag" "$1" --requirements "$2" --output-dir "$out/$mode-$2" >"$log" 2>&1 || true

# A scenario in which no check was made has shown nothing. Those that a revision
# does not require stand in a list of their own.
awk '
	/^Not scored for/ { unscored = 1; next }
	unscored && ($1 == "✓" || $1 == "✗") { skip[$2] = 1; next }
	/^=== (SUITE )?SUMMARY/ { summary = 1 }
	summary && ($1 == "✓" || $1 == "✗") && $4 ~ /^passed/ {
		name = $2; sub(/:$/, "", name); order[++n] = name
		mark[name] = ($1 == "✓" && $3 > 0) ? "pass" : "fail"
	}
	END { for (i = 1; i <= n; i++) if (!(order[i] in skip)) { print mark[order[i]], order[i]; told++ }; exit !told }
' "$log" || { echo "the suite told of no scenario; the end of $log:" >&2; tail -n 5 "$log" >&2; exit 1; }

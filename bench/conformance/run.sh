#!/usr/bin/env bash
# Runs the official suite through Mortise: starts the server that the Go SDK has
# for it and `mortise serve --upstream` in front, runs the required scenarios
# against both, and fails when one passes directly and not through Mortise.
#
#   run.sh [--expected FILE] [REVISION...]   both revisions by default
#
# FILE names scenarios that are known to fail, one in a line: revision, scenario,
# and why. They do not count, unless they pass: then they do not belong there.
#
# Environment:
#   MORTISE            the program; built from this module by default
#   BASELINE_URL       the server behind, which then must be of the era of the one
#                      REVISION; started here by default
#   CONFORMANCE_CACHE  where the suite is installed (default .cache/conformance)
#   CONFORMANCE_OUT    where results are written    (default results/ in there)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

expected=/dev/null
if [ "${1:-}" = --expected ]; then expected=${2:?--expected needs a file}; shift 2; fi
revisions=("$@")
[ $# -gt 0 ] || revisions=(2025-11-25 2026-07-28)

export CONFORMANCE_CACHE=${CONFORMANCE_CACHE:-$PWD/.cache/conformance}
export CONFORMANCE_OUT=${CONFORMANCE_OUT:-$CONFORMANCE_CACHE/results}
rm -rf "$CONFORMANCE_OUT/direct" "$CONFORMANCE_OUT/mortise"
work=$(mktemp -d)
running=()
end() {
	[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
	wait
	rm -rf "$work"
}
trap end EXIT
# stop ends what was started for one revision.
stop() { kill "${running[@]}" 2>/dev/null || true; wait; running=(); }

"$here/install" "$CONFORMANCE_CACHE" >"$work/suite"
read -r node _ <"$work/suite"
mortise=${MORTISE:-$work/program}
[ -n "${MORTISE:-}" ] || go build -trimpath -o "$mortise" ./cmd/mortise
[ -n "${BASELINE_URL:-}" ] || go build -o "$work/everything" github.com/modelcontextprotocol/go-sdk/conformance/everything-server

# await COMMAND... waits until a command succeeds.
await() {
	local tries=200
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		if [ $tries -eq 0 ]; then echo "waited too long for: $*" >&2; tail -n 5 "$work"/*.log >&2; return 1; fi
		sleep 0.1
	done
}

# upstream REVISION starts the server behind, of the era of the revision, and sets
# its address.
upstream() {
	upstream=${BASELINE_URL:-}
	[ -z "$upstream" ] || return 0
	local stateless=false port
	[ "$1" = 2025-11-25 ] || stateless=true
	port=$("$node" -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
	"$work/everything" -http="127.0.0.1:$port" -stateless=$stateless >"$work/upstream-$1.log" 2>&1 &
	running+=($!)
	await bash -c "exec 3<>/dev/tcp/127.0.0.1/$port"
	upstream=http://127.0.0.1:$port/mcp
}

# gateway REVISION serves a workspace with that server, and sets the address.
gateway() {
	local dir=$work/$1
	mkdir -p "$dir/.mortise"
	: >"$dir/mortise.toml"
	printf '{"mcpServers":{"up":{"type":"streamable-http","url":"%s"}}}\n' "$upstream" >"$dir/.mortise/mcp.json"
	export MORTISE_HOME=$work/home-$1
	"$mortise" --workspace "$dir" trust --yes >"$work/trust-$1.log"
	"$mortise" --workspace "$dir" serve --upstream up --http 127.0.0.1:0 >"$work/serve-$1.out" 2>"$work/serve-$1.log" &
	running+=($!)
	await grep -q '^Serving ' "$work/serve-$1.out"
	gateway=$(grep -om1 'http://[^ ]*/mcp' "$work/serve-$1.out")
	"$node" "$here/ready.mjs" "$gateway"
}

# named MARK FILE lists the scenarios with that mark.
named() { sed -n "s/^$1 //p" "$2" | LC_ALL=C sort; }

passed=0 failed=0
for revision in "${revisions[@]}"; do
	upstream "$revision"
	gateway "$revision"
	CONFORMANCE_OUT=$CONFORMANCE_OUT/direct "$here/suite.sh" "$upstream" "$revision" >"$work/direct"
	CONFORMANCE_OUT=$CONFORMANCE_OUT/mortise "$here/suite.sh" "$gateway" "$revision" >"$work/mortise"
	stop
	sed -n "s/^$revision  *\([^ ]*\).*/\1/p" "$expected" | LC_ALL=C sort >"$work/expected"
	comm -23 <(named pass "$work/direct") <(named pass "$work/mortise") >"$work/lost"
	comm -23 "$work/lost" "$work/expected" >"$work/bad"
	comm -12 "$work/expected" <(named pass "$work/mortise") >"$work/stale"
	echo "$revision: $(named pass "$work/direct" | wc -l) required scenarios pass directly, $(named pass "$work/mortise" | wc -l) through Mortise"
	comm -12 "$work/lost" "$work/expected" | sed 's/^/  known not to pass: /'
	sed 's/^/  PASSES DIRECTLY, NOT THROUGH MORTISE: /' "$work/bad"
	sed "s|^|  PASSES, AND IS NAMED IN $expected: |" "$work/stale"
	passed=$((passed + $(named pass "$work/mortise" | wc -l)))
	failed=$((failed + $(cat "$work/bad" "$work/stale" | wc -l)))
done
echo "what the suite said: $CONFORMANCE_OUT" >&2
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

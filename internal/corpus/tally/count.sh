#!/usr/bin/env bash
# count.sh [-l] DIR counts what lies in the repositories below DIR, by the names
# of files and by their front matter alone: it knows nothing of the program whose
# counts it is compared with. A line holds, between tabs, a repository, a kind of
# file, its marks and how many there are; with -l the path of each instead.
#
# Marks: front (has front matter), plain (has none), mend (front matter that is no
# YAML as it stands), undescribed (front matter without a description), empty
# (JSON that declares nothing); of a manifest, its place in the extension.
set -euo pipefail
export LC_ALL=C
list=0
if [ "${1:-}" = -l ]; then list=1 && shift; fi
cd "${1:?usage: count.sh [-l] DIR}"

find . \( -name .git -o -name node_modules \) -prune -o \( -type f -o -type l \) -print | sort | awk -v list="$list" '
# kind is what a file is by its name and place.
function kind(p) {
	if (p ~ /\/README\.md$/) return ""
	if (p ~ /\/SKILL\.md$/) return "skill"
	if (p ~ /\.agent\.md$|\/agents\/.*\.md$/) return "agent"
	if (p ~ /\.prompt\.md$|\/commands\/.*\.(md|toml)$/) return "command"
	if (p ~ /\.mdc$|\.instructions\.md$|\/copilot-instructions\.md$|\/rules\/.*\.md$/) return "rule"
	if (p ~ /\/\.github\/workflows\//) return "" # of the forge, not of an agent
	if (p ~ /\/workflows\/.*\.md$/) return "workflow"
	if (p ~ /\/\.?mcp\.json$/) return "server"
	if (p ~ /\/hooks\.json$|\/hooks\/.*\.json$/) return "hook"
	if (p ~ /\/\.app\.json$/) return "app"
	if (p ~ /\/\.?lsp\.json$/) return "language-server"
	if (p ~ /\/plugin\.json$|\/gemini-extension\.json$/) return "manifest"
	if (p ~ /\/manifest\.json$/ && text(p) ~ /"manifest_version"/) return "manifest"
	return ""
}

# place is where in its extension a manifest lies.
function place(p) {
	match(p, /\/(\.[a-z-]+\/|\.github\/plugin\/)?[^\/]*$/)
	return substr(p, RSTART + 1)
}

# marks are what can be said of the content of a file.
function marks(k, p) {
	if (k == "manifest") return place(p)
	if (p ~ /\.json$/) return text(p) ~ /^(\{"[a-zA-Z]+":)?\{\}\}?$/ ? "empty" : ""
	if (p ~ /\.mdc?$/) return front(p)
	return ""
}

# text is a file without its white space.
function text(p,   line, all) {
	while ((getline line < p) > 0) { gsub(/[ \t\r]/, "", line); all = all line }
	close(p)
	return all
}

# front are the marks of a file that may begin with front matter. A value goes
# on until a line begins with a key.
function front(p,   line, n, key, value, has, bom, mend, seen, closed, guarded) {
	split("", seen)
	while (!closed && (getline line < p) > 0) {
		sub(/\r$/, "", line)
		if (++n == 1) {
			if (sub(/^\357\273\277/, "", line)) bom = 1
			if (line ~ /^```/) { mend = 1; n = 0; continue }
			if (line !~ /^---[ \t]*$/) break
			has = 1
		} else if (line ~ /^---[ \t]*$/) {
			closed = 1
		} else if (line ~ /^[A-Za-z_][A-Za-z0-9_-]*:([ \t]|$)/) {
			if (faulty(value)) mend = 1
			if (key == "hooks" && guarding(value)) guarded = 1
			key = value = line
			sub(/:.*/, "", key)
			sub(/^[^:]*:/, "", value)
			if (key in seen) mend = 1
			seen[key]
		} else if (line !~ /^#/) {
			value = value "\n" line
		}
	}
	close(p)
	if (key == "hooks" && guarding(value)) guarded = 1
	if (!has) return "plain" (bom ? ",mend" : "")
	if (bom || !closed || faulty(value)) mend = 1
	return "front" (mend ? ",mend" : "") ("description" in seen ? "" : ",undescribed") (guarded ? ",guarded" : "")
}

# guarding tells whether hooks name an event at which something can be denied.
function guarding(v) { return v ~ /\n[ \t]+(PreToolUse|PermissionRequest|UserPromptSubmit|Stop|SubagentStop|PreCompact)[ \t]*:/ }

# faulty tells whether a value is no YAML as it stands.
function faulty(v,   w) {
	sub(/^[ \t]+/, "", v)
	sub(/[ \t\n]+$/, "", v)
	if (v ~ /^"/) return v !~ /^"([^"\\]|\\.)*"([ \t]+#.*)?$/
	if (v ~ /^\047/) return v !~ /^\047([^\047]|\047\047)*\047([ \t]+#.*)?$/
	if (v ~ /^[[{]/) {
		gsub(/"([^"\\]|\\.)*"|\047[^\047]*\047/, "", v)
		while (gsub(/\[[^][{}]*\]|\{[^][{}]*\}/, "", v)) { }
		return v !~ /^([ \t]*#.*)?$/
	}
	if (v ~ /^\n/) return v ~ /\n[^ \t\n-]/
	if (v ~ /\n[^ \t\n]/) return 1
	if (v ~ /^[|>]/) return 0
	return v ~ /:[ \t\n]|:$|^[@`%&*!]/
}

{
	path = substr($0, 3)
	repository = path
	if (!sub(/\/.*/, "", repository)) next
	k = kind(path)
	if (k == "") next
	m = marks(k, path)
	if (list) print repository "\t" k "\t" m "\t" substr(path, length(repository) + 2)
	else n[repository "\t" k "\t" m]++
}

END { for (of in n) print of "\t" n[of] }
' | if [ "$list" = 1 ]; then cat; else sort; fi

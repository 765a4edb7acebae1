#!/usr/bin/env bash
# Makes the parser anew from what others published: the C sources of the
# tree-sitter runtime and of its grammar for Python, at one version each, are
# compiled to WebAssembly, and that is translated to Go. With -check nothing is
# changed: it fails when what is committed is not what the sources make.
#
# The bytes depend on the compiler as well. With another clang than the one
# named below, -check says so, and compares everything that does not depend on
# it: the sources, and the constants that are made from the grammar.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD

clang_version=14.0.6
runtime=github.com/tree-sitter/go-tree-sitter@v0.25.0
runtime_sum=h1:sx6kcg8raRFCvc9BnXglke6axya12krCJF5xJ2sftRU=
grammar=github.com/tree-sitter/tree-sitter-python@v0.25.0
grammar_sum=h1:O6XD9v8U1LOcRc3cNj9nM7XufrtEBezE6VrpRrHZDf0=
translator=github.com/ncruces/wasm2go@v0.4.22
translator_sum=h1:qNt3P+1WxlxeZ37ngigrTe0i5IYjFH1n2evF4J4ZGLc=

check=
[ "${1:-}" != -check ] || check=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# module prints the directory of a module whose content has the sum.
module() {
	local json
	json=$(GOFLAGS=-mod=mod go mod download -json "$1")
	if ! grep -qF "\"Sum\": \"$2\"" <<<"$json"; then
		echo "$1 is not what it was: want $2 in $json" >&2
		return 1
	fi
	sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<<"$json"
}

printf 'module build\n\ngo 1.26.0\n' >go.mod
ts=$(module "$runtime" "$runtime_sum")
py=$(module "$grammar" "$grammar_sum")
w2g=$(module "$translator" "$translator_sum")

awk -f "$here/kinds.awk" "$py/src/parser.c" | gofmt >kinds.go
licences=(LICENSE.tree-sitter LICENSE.tree-sitter-python LICENSE.unicode LICENSE.wasm2go)
cp "$ts/LICENSE" LICENSE.tree-sitter
cp "$py/LICENSE" LICENSE.tree-sitter-python
cp "$ts/src/unicode/LICENSE" LICENSE.unicode # of the runtime's readers of UTF-8
cp "$w2g/LICENSE" LICENSE.wasm2go            # of the helpers in what it writes
chmod u+w "${licences[@]}"

have=$(clang --version 2>/dev/null | sed -n 's/.*clang version \([0-9.]*\).*/\1/p' | head -n 1)
if [ "$have" = "$clang_version" ] && command -v wasm-ld >/dev/null && [ -d /usr/include/wasm32-wasi ]; then
	cat >runtime.c <<-'C'
		#define ENDIAN_H // it knows no WebAssembly; which is little-endian
		#define le16toh(x) (x)
		#define be16toh(x) __builtin_bswap16(x)
		#include "alloc.c"
		#include "get_changed_ranges.c"
		#include "language.c"
		#include "lexer.c"
		#include "node.c"
		#include "parser.c"
		#include "stack.c"
		#include "subtree.c"
		#include "tree_cursor.c"
		#include "tree.c"
		#include "wasm_store.c"
	C
	flags=(--target=wasm32-wasi -std=c11 -O2 -DNDEBUG -D_POSIX_C_SOURCE=200112L -D_DEFAULT_SOURCE
		-DTREE_SITTER_HIDE_SYMBOLS -mbulk-memory -mnontrapping-fptoint -msign-ext
		-ffunction-sections -fdata-sections -I"$ts/include" -I"$ts/src")
	clang "${flags[@]}" -c runtime.c -o runtime.o
	clang "${flags[@]}" -I"$py/src" -c "$py/src/parser.c" -o parser.o
	clang "${flags[@]}" -I"$py/src" -c "$py/src/scanner.c" -o scanner.o
	clang "${flags[@]}" -fno-builtin -c "$here/shim.c" -o shim.o
	# 96 MB of memory at most; the C stack lies below everything else, so that
	# running out of it is a fault and never overwrites data.
	wasm-ld --no-entry --gc-sections --strip-all --stack-first -z stack-size=262144 \
		--max-memory=100663296 shim.o runtime.o parser.o scanner.o -o python.wasm
	GOFLAGS=-mod=mod GOBIN=$work/bin go install "$translator"
	bin/wasm2go -unsafe -embed -pkg grammar -o python.go python.wasm
	sed -i "s/^func New(/func newModule(/" python.go
	gofmt -w python.go
	made=(python.go python.dat "${licences[@]}")
else
	made=("${licences[@]}")
	cat >&2 <<-EOF
		python.go and python.dat cannot be made here, nor compared: they are made with clang
		$clang_version, its lld and the headers of wasi-libc (Debian 12: apt-get install clang
		lld wasi-libc), and here is ${have:-no clang}. Another compiler makes other code of the
		same sources, which says nothing about what is committed. The sources, the licences and
		the constants of the grammar are compared.
	EOF
	[ -n "$check" ] || exit 1
fi

if [ -z "$check" ]; then
	cp "${made[@]}" "$here/.."
	cp kinds.go "$here/../../syntax/kinds.go"
	exit 0
fi
stale=
for file in "${made[@]}"; do cmp "$file" "$here/../$file" || stale=1; done
cmp kinds.go "$here/../../syntax/kinds.go" || stale=1
[ -z "$stale" ] || { echo "the parser is not what its sources make: run make grammar" >&2; exit 1; }

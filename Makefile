# Everything that is done to this project. `make test` prepares what it needs.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
export CGO_ENABLED := 0

# Tools are kept between checkouts: building the linter takes minutes.
TOOLS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/mortise-tools
LINT_VERSION := v2.15.0
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)
FUZZTIME ?= 30s
SOAKTIME ?= 10m
INTEROP_CACHE ?= $(CURDIR)/.cache/interop
INTEROP ?=
PKGS ?= ./...

.PHONY: all build test npm lint gen grammar fresh bench bench-short bench-mcp conformance conformance-short interop soak soak-short fuzz fuzz-short cross corpus clean

all: build

build: ## the program, in bin/
	go build -trimpath -o bin/mortise ./cmd/mortise

test: npm ## all tests
	go test -timeout 20m $(PKGS)

npm: ## the real servers and clients that tests run, each at one version
	@testdata/npm/install .cache/npm

gen: ## the documents that are made from the code
	go run ./internal/gen

grammar: ## the parser of Python, from the sources of its authors
	internal/pysrc/grammar/build/build.sh

fresh: ## fails when a generated document, or the parser of Python, is stale
	go run ./internal/gen -check
	internal/pysrc/grammar/build/build.sh -check

lint: $(LINT) ## formatting, vet and the linters of .golangci.yml
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'not formatted: run gofmt -w'; exit 1; }
	go vet ./...
	$(LINT) run

$(LINT): # pinned, and outside the module's own requirements
	mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) GOFLAGS=-mod=mod go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	mv $(TOOLS)/golangci-lint $(LINT)

cross: ## builds for the other systems
	GOOS=darwin GOARCH=arm64 go vet ./... && GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/mortise
	GOOS=windows GOARCH=amd64 go vet ./... && GOOS=windows GOARCH=amd64 go build -o /dev/null ./cmd/mortise

bench: ## what is promised, as ratios against a floor
	go run ./bench

bench-short:
	go run ./bench -short

bench-mcp: ## the gateway beside a direct connection, yardsticks of one hop and another gateway
	go run ./bench/mcp/run -peer mcp-hub

conformance: ## MCP's official suite through the gateway: what passes directly passes
	bench/conformance/run.sh

conformance-short: ## the same, less what is known
	bench/conformance/run.sh --expected bench/conformance/expected.txt

interop: npm ## real servers and clients, through one endpoint and beside it
	@testdata/npm/install $(INTEROP_CACHE) bench/interop
	INTEROP_CACHE=$(INTEROP_CACHE) go test -count=1 -timeout 10m ./bench/interop $(INTEROP)

soak: ## SOAKTIME of load, faults and clients that leave; nothing is lost, nothing is left
	go run ./bench/soak -for $(SOAKTIME)

soak-short:
	go run ./bench/soak -for 20s

fuzz: ## every fuzz target for FUZZTIME, and what decides about calls against its model: 100,000 sequences, every interleaving
	MORTISE_EXHAUSTIVE=1 go test -count=1 -timeout 60m ./internal/guard -run TestLaw05 -rapid.checks=5000
	go test -count=1 -timeout 60m . -run TestLaw05 -rapid.checks=5000
	bench/fuzz.sh $(FUZZTIME)

fuzz-short:
	bench/fuzz.sh 5s

corpus: ## docs/corpus.md and the tests, over the directory that MORTISE_CORPUS names, or the archives beside the checkout
	@dir=$${MORTISE_CORPUS:-.cache/corpus}; \
	if [ -z "$${MORTISE_CORPUS:-}" ] && [ ! -d $$dir ] && [ -f ../shared/corpus/unpack.sh ]; then \
		bash ../shared/corpus/unpack.sh $$dir.part >/dev/null; mv $$dir.part $$dir; fi; \
	[ -d "$$dir" ] || { echo "no corpus at $$dir: set MORTISE_CORPUS to a directory of plugin repositories, one sub-directory each" >&2; exit 1; }; \
	export MORTISE_CORPUS="$$(cd "$$dir" && pwd)"; \
	go run ./internal/corpus docs/corpus.md; \
	go test -count=1 -run Corpus -v ./internal/catalog ./internal/frontmatter

clean:
	rm -rf bin .cache

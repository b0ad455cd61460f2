# Everything a contributor runs. `make` formats, lints, tests and builds.

GO      ?= go
TOOL     = $(GO) tool -modfile=tools/go.mod
# As goreleaser writes it, 1.2.3 for the tag v1.2.3: the same commit gives the same bytes.
VERSION ?= $(patsubst v%,%,$(shell git describe --tags --always --dirty 2>/dev/null || echo dev))
LDFLAGS  = -s -w -X github.com/clew-run/clew/internal/cli/env.version=$(VERSION)
# Without grpc's pages of traces, which are templates: deploy/link_test.go says why.
TAGS     = grpcnotrace
# One set of flags for the program and its tests, so that nothing compiles twice.
CGO_ENABLED = 0
GOFLAGS := $(filter-out -trimpath -tags=$(TAGS),$(GOFLAGS)) -trimpath -tags=$(TAGS)
export CGO_ENABLED GOFLAGS
PROGRAM ?= bin/clew

# Packages whose tests run under the race detector in every CI run.
RACE ?= . ./wire/... ./client/... ./internal/session/... ./internal/gateway/... ./internal/auth/... ./internal/api/ipc/... ./internal/archive/... ./internal/plan/... ./internal/run/... ./internal/report/... ./internal/agent/... ./internal/control/... ./internal/settings/... ./internal/tool/policy/... ./internal/tool/files/... ./internal/tool/fetch/...
# Packages whose tests need nothing of Linux: they run on macOS and Windows in every CI run.
UNIT ?= . ./wire/... ./client/... ./internal/ask ./internal/budget ./internal/history ./internal/plan/... ./internal/run/... ./internal/sentence ./internal/session/...
# What make cross compiles for: all that is released.
CROSS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# How long each fuzz target runs.
FUZZTIME ?= 10s
# How often `make chaos` kills the server.
KILLS ?= 1000

.PHONY: all
all: fmt lint test build

.PHONY: build
build: ## build bin/clew
	$(GO) build -buildvcs=false -ldflags '$(LDFLAGS)' -o $(PROGRAM) ./cmd/clew

.PHONY: cross
cross: ## compile for all systems that are released, or CROSS="darwin/arm64 windows/amd64"
	@for target in $(CROSS); do \
		echo "$$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -o /dev/null ./cmd/clew || exit 1; \
	done

.PHONY: reproducible
reproducible: ## build the last commit twice from nothing, web UI included, and compare the bytes
	./tools/reproducible

.PHONY: packaging
packaging: build ## make man pages, completions and texts of licences, for packages
	./tools/package files bin/clew dist-packaging

.PHONY: deb
deb: build ## make a Debian package of bin/clew
	./tools/package deb bin/clew $(VERSION) $(shell dpkg --print-architecture 2>/dev/null || $(GO) env GOARCH)

.PHONY: test-deb
test-deb: build ## install the Debian package on a clean Debian, boot it and try the service; as root
	./tools/package deb bin/clew $(VERSION) $(shell dpkg --print-architecture) dist/test.deb
	./tools/clean-machine dist/test.deb

.PHONY: sbom
sbom: build ## list everything that bin/clew is made of, as CycloneDX
	@mkdir -p dist
	$(GO) run ./deploy/sbom bin/clew web/package-lock.json $(VERSION) >dist/clew.cdx.json

.PHONY: release-check
release-check: ## fail if the tag that is checked out is not of the version that the packages have
	./tools/release/publish check

.PHONY: release-snapshot
release-snapshot: ## make all files of a release in dist, and publish nothing
	./tools/release/publish snapshot

.PHONY: release
release: ## publish the tag that is checked out; release.yml does it
	./tools/release/publish

.PHONY: package-npm
package-npm: sdk/typescript/node_modules ## pack the TypeScript client into dist/npm
	rm -rf dist/npm && mkdir -p dist/npm
	cd sdk/typescript && npm pack --pack-destination ../../dist/npm

.PHONY: publish-npm
publish-npm: ## publish what is in dist/npm; a release candidate as next
	case $$(echo dist/npm/*.tgz) in *-*.*.*-*) tag=next ;; *) tag=latest ;; esac; \
		npm publish --access public --tag $$tag ./dist/npm/*.tgz

.PHONY: package-pypi
package-pypi: ## pack the Python client into dist/pypi
	./tools/python-release pack

.PHONY: publish-pypi
publish-pypi: ## publish what is in dist/pypi
	./tools/python-release publish

.PHONY: licenses
licenses: ## collect the licences of everything of others in the program; fail if one may not be
	@mkdir -p dist
	$(GO) run ./deploy/licenses $(shell $(GO) env GOOS) >dist/THIRD_PARTY_LICENSES

.PHONY: web
web: web/node_modules ## build the web UI into web/dist, for the next build
	cd web && npx vite build

.PHONY: test-web
test-web: web/node_modules ## check the types of the web UI and run its unit tests
	cd web && npx tsc --noEmit && npx vitest run

.PHONY: test-web-e2e
test-web-e2e: web/node_modules ## run the web UI in a browser against the real server
	cd web && npx vitest run --config vitest.e2e.config.ts $(WEB_E2E)

.PHONY: tour
tour: web/node_modules ## take the pictures of docs/tour.md again
	cd web && CLEW_TOUR=1 npx vitest run --config vitest.e2e.config.ts e2e/tour

.PHONY: fmt-web
fmt-web: web/node_modules ## format the web UI, the TypeScript client and the examples
	cd web && npm run fmt && npm run fmt # a long chain of calls settles the second time

.PHONY: check-fmt-web
check-fmt-web: web/node_modules ## fail if one of these files is not formatted
	cd web && npm run fmt -- --check

.PHONY: lint-web
lint-web: web/node_modules sdk/typescript/node_modules check-fmt-web ## lint the web UI and the TypeScript client, find what nothing uses, and check the npm package
	cd web && npm run lint && npm run knip
	cd sdk/typescript && npm run check:package

.PHONY: test-sdk
test-sdk: sdk/typescript/node_modules ## check, test and measure the TypeScript client, against the real server too
	cd sdk/typescript && npm run check && npm test && npm run test:e2e && npm run build && npm run size

.PHONY: test-python
test-python: ## check and test the Python client, against the real server and a real kernel; what it needs is fetched on first use
	./tools/python-sdk
	cd sdk/python && ../../tools/python-sdk mypy && ../../tools/python-sdk pytest -q -p no:cacheprovider

.PHONY: fmt-python
fmt-python: ## format all Python
	./tools/python-sdk ruff format

.PHONY: lint-python
lint-python: ## lint all Python and check its format
	./tools/python-sdk ruff check
	./tools/python-sdk ruff format --check

%/node_modules: %/package-lock.json
	cd $* && npm ci --no-audit --no-fund
	@touch $@

.PHONY: fmt
fmt: ## format all Go files
	$(TOOL) golangci-lint fmt

.PHONY: lint
lint: ## vet and lint
	$(GO) vet ./...
	$(TOOL) golangci-lint run

.PHONY: vet-darwin
vet-darwin: ## vet what compiles for macOS, tests included
	GOOS=darwin $(GO) vet ./...

.PHONY: quick
quick: ## format, vet and tests of the packages that changed, and of those that import them
	@$(GO) run ./internal/gen/tests quick

.PHONY: test
test: ## run all tests of Go but campaigns
	@$(GO) run ./internal/gen/tests all

.PHONY: test-unit
test-unit: ## run the tests that need nothing of Linux
	CGO_ENABLED=0 $(GO) test -trimpath -tags $(TAGS) -timeout 10m $(UNIT)

.PHONY: ci
ci: ## run everything that CI runs, on Debian
	./.ci/run

.PHONY: ci-setup
ci-setup: ## install what CI and make nightly need, on Debian
	./.ci/run setup

.PHONY: check-commits
check-commits: ## check the messages of the commits that are new
	@$(GO) run ./internal/gen/commits

.PHONY: release-notes
release-notes: ## print what is new in VERSION, from CHANGELOG.md or the fragments in changelog.d
	@$(GO) run ./internal/gen/changelog notes $(VERSION)

.PHONY: changelog
changelog: ## move the fragments in changelog.d into CHANGELOG.md, as VERSION=1.2.3
	@$(GO) run ./internal/gen/changelog fold $(VERSION)

RACE_TIMEOUT ?= 15m
.PHONY: test-race
test-race: ## run the core's tests under the race detector
	CGO_ENABLED=1 $(GO) test -race -vet=off -timeout $(RACE_TIMEOUT) $(RACE)

.PHONY: race-packages
race-packages:
	@echo $(RACE)

.PHONY: test-notebooks
test-notebooks: ## run the tests of notebooks against the real Jupyter, which is fetched on first use
	CI=true CLEW_TEST_PYTHON=$${CLEW_TEST_PYTHON:-$$(./tools/jupyter/python)} $(GO) test -count=1 -timeout 20m ./internal/notebook/...

.PHONY: test-s3
test-s3: ## run the archive's tests against a real S3-compatible server, built on first use
	$(GO) test -count=1 -tags s3,$(TAGS) -run TestS3 -timeout 20m ./internal/archive

.PHONY: test-sdks
test-sdks: ## have the vendors' own SDKs talk to the scripted model; they are fetched on first use
	./tools/vendor-sdks
	$(GO) test -count=1 -tags sdks,$(TAGS) -timeout 10m -v -run TestVendorsSDKs ./internal/llm/llmtest

.PHONY: test-real-model
test-real-model: ## have a small real model answer and work on a Go project; it is fetched on first use
	$(GO) test -count=1 -tags realmodel,$(TAGS) -timeout 20m -v -run RealModel ./internal/llm/realmodel ./internal/e2e/projects

.PHONY: test-kills
test-kills: ## kill the server at every named point of a turn, of a run, and of a rewind with files
	CLEW_NIGHTLY=1 $(GO) test -count=1 -timeout 3h -v -run Kill ./internal/e2e/story ./internal/e2e/runs ./internal/e2e/travelcrash

.PHONY: test-manual
test-manual: ## do what docs/cluster.md says for three machines, to the letter
	$(GO) test -count=1 -timeout 30m -v -run TestManual ./internal/e2e/failover

# The tree and the engine's release that older programs are made of, to run beside this one.
# The one of the campaign is the first that ends what it had begun when it is stopped.
OLD ?= 38e5c91
OLD_CAMPAIGN ?= 96c5fe1
OLD_ENGINE ?= v2.14.0

# Where make faults writes its table, nowhere if it is empty.
TABLE ?= $(CURDIR)/docs/faults.md

dist/clew-%: # needs the whole history
	rm -rf dist/old && mkdir -p dist/old
	git archive $* | tar -x -C dist/old
	cd dist/old && $(GO) build -buildvcs=false -o ../clew-$* ./cmd/clew
	rm -rf dist/old

dist/nats-server-$(OLD_ENGINE):
	GOBIN=$(CURDIR)/dist/old-engine $(GO) install github.com/nats-io/nats-server/v2@$(OLD_ENGINE)
	mv dist/old-engine/nats-server $@ && rmdir dist/old-engine

# Which tests of the campaign make faults runs.
FAULTS ?= .

.PHONY: faults
faults: dist/clew-$(OLD_CAMPAIGN) dist/nats-server-$(OLD_ENGINE) ## break the program in every way that is known, look for planted bugs, and write docs/faults.md
	CLEW_NIGHTLY=1 CLEW_UPGRADE_OLD=$(CURDIR)/dist/clew-$(OLD_CAMPAIGN) CLEW_ENGINE_OLD=$(CURDIR)/dist/nats-server-$(OLD_ENGINE) \
		CLEW_FAULTS_TABLE=$(TABLE) $(GO) test -count=1 -timeout 3h -v -run "$(FAULTS)" ./internal/e2e/faults

.PHONY: golden
golden: ## have this tree leave a data directory behind, for the trees after it to open
	CLEW_GOLDEN_MAKE=$(shell git rev-parse --short=7 HEAD) $(GO) test -count=1 -timeout 10m -run TestMake ./internal/e2e/golden

.PHONY: test-upgrade
test-upgrade: dist/clew-$(OLD) ## run this program beside that of OLD on two nodes that are killed in turn; needs the whole history
	CLEW_UPGRADE_OLD=$(CURDIR)/dist/clew-$(OLD) $(GO) test -count=1 -timeout 20m -v ./internal/e2e/upgrade

.PHONY: test-runs
test-runs: ## racing answers, waiting runs, and 200 runs of 500 todos each on nodes that are killed
	CLEW_NIGHTLY=1 $(GO) test -count=1 -timeout 30m -v ./internal/e2e/chaos

.PHONY: test-ipc
test-ipc: ## 1,000 clients of the local socket, against a server that is killed ten times
	CLEW_NIGHTLY=1 $(GO) test -count=1 -timeout 30m -v -run TestCrowd ./internal/e2e/ipc

.PHONY: test-agents
test-agents: ## print the figures of many agents in one session, in their long form
	CLEW_NIGHTLY=1 $(GO) test -count=1 -timeout 30m -v ./internal/e2e/agents
	$(GO) test -count=1 -timeout 10m -v -run TestTenAgentsTakenOver ./internal/e2e/failover
	$(GO) test -count=1 -timeout 10m -v -run TestWindowAgentsKilled ./internal/e2e/travelcrash
	CLEW_NIGHTLY=1 $(GO) test -count=1 -timeout 30m -v -run 'TestStateOfManyAgentsIsBounded|TestDecideIsQuick' ./internal/session

.PHONY: steady
N     ?= 5
SUITE ?= go
steady: ## run the gate's tests N times under load and print how often each failed; SUITE=pages those in the browser
	./tools/steady $(N) $(SUITE)

.PHONY: nightly
nightly: ## run the full form of every campaign, of which CI plays a part, and note it in docs/nightly.md; NIGHTLY="kills web" for some shards
	./tools/nightly list
	./tools/nightly $(NIGHTLY)

.PHONY: nightly-names nightly-json
nightly-names nightly-json: nightly-%: ## print the names of the shards, or as JSON for the matrix of nightly.yml
	@./tools/nightly $*

.PHONY: nightly-list
nightly-list: ## say what make nightly runs, and about how long
	@./tools/nightly list

.PHONY: generate
generate: ## make all generated files anew
	$(GO) generate ./...
	$(GO) run ./internal/gen
	$(GO) run ./internal/settings/gen
	$(GO) run ./internal/requirements/gen

.PHONY: check-generated
check-generated: ## fail if a generated file is not what its generator makes
	./tools/check-generated

.PHONY: docs
docs: ## build the docs site into dist/docs/site; its generator is fetched on first use
	GO=$(GO) ./tools/docs

.PHONY: lint-api
lint-api: ## check the OpenAPI and AsyncAPI documents against the strictest rules; needs Node
	$(GO) run ./internal/gen/site -openapi dist/openapi.json
	./tools/api-lint dist/openapi.json docs/asyncapi.json

.PHONY: lint-workflows
lint-workflows: ## check the workflows and the configuration of releases
	./tools/lint-workflows

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME, or those of a part of the packages: FUZZPART=2/3
	FUZZTIME=$(FUZZTIME) FUZZPART=$(FUZZPART) ./tools/fuzz

.PHONY: vuln
vuln: ## look for known vulnerabilities, where the data base can be reached
	./tools/vuln

.PHONY: bench-search
bench-search: ## index a million messages and search them: p50, p95, size, time for each message
	CLEW_NIGHTLY=1 $(GO) test -count=1 -timeout 60m -v -run TestQueriesAreFast ./internal/search -messages 1000000

.PHONY: bench-notebooks
bench-notebooks: ## what a cell, its output and kernels cost with the real Jupyter, and clew beside a Jupyter server; both are fetched on first use
	CLEW_NIGHTLY=1 CLEW_TEST_PYTHON=$${CLEW_TEST_PYTHON:-$$(./tools/jupyter/python)} CLEW_TEST_JUPYTER_SERVER=$${CLEW_TEST_JUPYTER_SERVER:-$$(./tools/jupyter/python server)} \
		$(GO) test -count=1 -timeout 30m -v ./internal/e2e/notebookfigures

.PHONY: bench
bench: ## compare clew with the bare engine and a bare WebSocket server
	$(GO) run ./bench

.PHONY: chaos
chaos: ## kill the server KILLS times under load and compare every client with the journal
	CLEW_CHAOS_KILLS=$(KILLS) $(GO) test -count=1 -timeout 4h -v -run 'Chaos|Resume' ./internal/e2e/...

.PHONY: scale
scale: ## a million sessions, a million records, ten thousand connections
	$(GO) run ./bench -scale

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

# The commands of this repository. `make run` and `make test` need Go and
# Python's pip, nothing else.

GO ?= go
# Builds do without cgo, except where a target sets CGO_ENABLED.
export CGO_ENABLED = 0

PLATFORMS = linux/amd64 linux/arm64 darwin/arm64 darwin/amd64 windows/amd64
PROGRAMS = tools/pjrt/testdata/programs

.PHONY: run
run: bin/pjrt ## run an example model on the CPU plugin, which is installed if missing
	bin/pjrt install cpu
	bin/pjrt run --plugin cpu $(PROGRAMS)/convnet/program.mlir $(PROGRAMS)/convnet/arg*.npy

# What programs import. The commands, the suite, the generator and the documents have their tests in
# make test-all.
LIBRARY = ./capi/... ./extensions/... ./internal/... ./pjrt/...

# It needs only the CPU plugin, and leaves the tests of many programs to make test-all. Most of its
# time it builds: linking takes a third less without what debuggers read, in the programs that tests
# build too, compilers take a fifth less if they collect garbage less often, and make lint vets.
.PHONY: test
test: export GOFLAGS := $(GOFLAGS) -ldflags=-w
test: export GOGC := 400
test: ## run the short tests of the library
	$(GO) test -short -vet=off -p 4 -skip '$(OF_PROGRAMS)' $(LIBRARY)

.PHONY: test-all
test-all: ## run all tests, on several plugins, which are installed if missing
	$(GO) test -p 4 -timeout 20m ./...

# The ages of the CPU plugin besides that of the default, and the packages whose tests depend on
# what it does.
AGES = 0.81 0.106
AGES_PACKAGES = ./capi/ffi ./capi/internal/realplugin ./extensions ./extensions/ffi ./extensions/xlatransform \
	./pjrt ./pjrt/distributed ./pjrt/dlpack ./pjrt/hlo ./pjrt/inspect ./pjrt/isolate ./pjrt/pjrttest ./pjrt/pluginlog ./pjrt/transfer ./tools/pjrt

# Build tags: with `wrapped` the tests of pjrt find the plugin behind hooks.
TAGS =

.PHONY: test-ages
test-ages: ## run the short tests that depend on the CPU plugin with those of other ages: make test-ages AGES=0.106
	@# Go does not see that a test depends on a variable which TestMain reads, and would not run it again.
	@set -e; for a in $(AGES); do echo API $$a; PJRT_TEST_CPU=$$a $(GO) test -count=1 -short -tags '$(TAGS)' $(AGES_PACKAGES); done

# Runs beside busy processes, to show that no test depends on luck:
# make stress RUNS=3 STRESS='-test.run=Watch ./pjrt/kv'.
STRESS = -test.short ./pjrt ./pjrt/lifetime ./pjrt/pjrttest ./pjrt/cache ./pjrt/kv/... ./pjrt/pluginlog ./pjrt/plugins ./pjrt/trace ./pjrt/dlpack \
	./capi ./capi/serve ./capi/shim ./capi/ffi ./capi/internal/realplugin ./conformance/internal/worker ./conformance/internal/check

.PHONY: stress
stress: ## run tests that wait or count 20 times on a busy machine
	tools/stress.sh $(STRESS)

# How long make soak runs.
SOAK = 10m

.PHONY: soak
soak: ## do everything at once, checked, for ten minutes: make soak SOAK=1h
	PJRT_SOAK=$(SOAK) $(GO) test -count=1 -run '^TestSoak$$' -timeout 0 -v ./pjrt

# The nested modules of this repository.
MODULES = $(patsubst %/go.mod,%,$(shell git ls-files '*/go.mod' ':!*/testdata/*'))

.PHONY: test-modules
test-modules: ## vet and test the nested modules
	@set -e; for m in $(MODULES); do echo $$m; (cd $$m && $(GO) vet ./... && $(GO) test ./...); done

# GoMLX's tests with our backend and, for comparison, with GoMLX's two backends:
# make gomlx-tests GOMLX_TESTS='-backends pjrt -run Convolve ./core/graph'.
GOMLX_TESTS =

.PHONY: gomlx-tests
gomlx-tests: ## run GoMLX's own tests with the backend of pjrt/gomlx beside GoMLX's backends (needs a C compiler)
	cd pjrt/gomlx && $(GO) run ./internal/upstreamtests $(GOMLX_TESTS)

.PHONY: api
api: ## list what breaks programs written for the last recorded release, and fail if CHANGELOG.md does not name it
	$(GO) run ./tools/lint api

# make counts COUNTS=-v lists the arrows and folders too, COUNTS=-h says what each of the counts counts.
COUNTS =

.PHONY: counts
counts: ## count what a newcomer has to learn: folders, packages, names, lines, words and arrows between files
	@$(GO) run ./tools/lint counts $(COUNTS)

.PHONY: test-proxy
test-proxy: ## use the modules from outside, as they will be once published (needs git)
	$(GO) test -tags proxy -count=1 -run '^TestProxy' ./tools/docs

# The version that is checked, and that the nested modules require.
VERSION = v0.1.0

.PHONY: release-check
release-check: ## check the last commit as a release: build and vet each module as a proxy serves it: make release-check VERSION=v0.1.0
	$(GO) run ./tools/lint release $(VERSION)
	@$(MAKE) --no-print-directory test-proxy api

# Runs in an empty home directory, on a clone of the last commit: make newcomer NEWCOMER='run program'.
NEWCOMER =

.PHONY: newcomer
newcomer: ## do what README.md tells a newcomer to do, without caches, and report how long it takes (downloads modules and plugins)
	tools/newcomer/run.sh $(NEWCOMER)

# The rows of small work take two minutes: make bench BENCH='-rows ^work/'. -write writes the results
# to commit; tools/bench/main.go describes the rest. JAX takes part after make bin/jax/ready, JAX and ONNX
# Runtime in whole jobs after make bin/jobs/ready: make bin/jobs/ready bench BENCH='-rows ^jobs/' takes ten minutes.
BENCH =

.PHONY: bench
bench: ## compare calls with C, with cgo and with JAX, and with the committed results (needs a C compiler)
	cd tools/bench && $(GO) run . $(BENCH)
	$(if $(BENCH),,@$(MAKE) --no-print-directory bench-gomlx)

.PHONY: bench-gomlx
bench-gomlx: ## compare training with GoMLX's own backend on XLA (needs a C compiler)
	cd pjrt/gomlx && CGO_ENABLED=1 $(GO) test -run '^$$' -bench . ./internal/trainbench

.PHONY: generate
generate: ## regenerate the Go code from third_party/xla
	$(GO) generate ./...

# Skipping minors requires JUMP=1. REPORT=FILE writes the report to a file.
.PHONY: update
update: ## update headers, facts and generated code from newer originals: make update XLA=DIR|WHEEL
	@$(GO) run ./tools/pjrtgen update $(if $(JUMP),--jump) $(if $(REPORT),--report "$(REPORT)") $(if $(SOURCE),--source "$(SOURCE)") "$(XLA)"

.PHONY: headers
headers: ## replace the headers with the originals of a checkout: make headers XLA=DIR
	@sh third_party/xla/headers.sh "$(XLA)"

.PHONY: check
check: ## fail if the generated files are not what the generator makes
	$(GO) run ./tools/pjrtgen check

# The tags only add files to those that are built without them.
.PHONY: lint
lint: ## check formatting, vet, and the rules of this repository (needs a C compiler)
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt -w these files: $$files" >&2; exit 1; }
	$(GO) vet -tags aot,cc,jax,originals,plugins,proxy,skew,wrapped ./...
	$(GO) vet -tags pjrt_noasmcgocall ./capi/internal/ccall
	$(GO) run ./tools/lint rules ./...

# What vets, lints and tests compiles for this machine's platform. Building an example for a platform
# shows that calls into C assemble and link there.
# For systems where no tests run, it is built without optimizations, which saves time.
OTHER_PLATFORMS = $(filter-out $(shell $(GO) env GOHOSTOS)/$(shell $(GO) env GOHOSTARCH),$(PLATFORMS))

.PHONY: platforms
platforms: ## check that everything, tests included, compiles for every supported platform
	$(if $(OTHER_PLATFORMS),$(GO) run ./tools/lint platforms $(OTHER_PLATFORMS))
	@set -e; for p in $(PLATFORMS); do \
		echo $$p; \
		set --; if [ $${p%/*} != $$($(GO) env GOHOSTOS) ]; then set -- -gcflags='all=-N -l -dwarf=false'; fi; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build "$$@" -o /dev/null ./pjrt/examples/add; \
	done

# The files of tests that need a C compiler, except those of make test-attack. Their packages' other
# tests run with make test-all.
CC_FILES = $(shell git grep -l '^//go:build cc' -- '*_test.go' ':!tools/attack')
CC_TESTS = $(shell grep -ho '^func Test[A-Za-z0-9]*' $(CC_FILES) | cut -c6-)

space := $(subst ,, )

.PHONY: test-cc
test-cc: ## compare layouts with C compilers, call C stubs, check faulty plugins in C (needs gcc and g++)
	$(GO) test -tags cc -run '^($(subst $(space),|,$(CC_TESTS)))$$' $(sort $(addprefix ./,$(dir $(CC_FILES))))

# Takes XLA's own headers from ten Python wheels, and keeps only the headers.
# make originals ORIGINALS=tf-nightly reads fewer.
ORIGINALS = .

.PHONY: originals
originals: ## read XLA's own headers of ten ages, and compare them with what compilers measured (fetches 3 GB of wheels)
	PYTHON=$(PYTHON) $(GO) test -tags originals -count=1 -timeout 60m -run 'Original/$(ORIGINALS)' ./tools/pjrtgen

# Tests of package pjrt that compile many programs, or read deep ones. They take two thirds of the
# time of its short tests, and show nothing more with another collector, detector or release of Go.
OF_PROGRAMS = ^(TestDeeplyNestedInputs|TestArtifactsOfNewerJAX|TestEdgesOfFloats|TestMinimaAndMaxima|TestProgramsThatEndTheProcess|TestRewrittenPrograms|TestAProductUses)

# The supported releases besides that of the toolchain in use. Go fetches them.
GO_RELEASES = 1.27.0

.PHONY: test-go
test-go: ## run the short tests of what depends on Go's runtime with the other supported releases of Go
	@set -e; for v in $(GO_RELEASES); do echo go$$v; GOTOOLCHAIN=go$$v $(GO) test -short -skip '$(OF_PROGRAMS)' ./capi ./capi/internal/ccall ./capi/serve ./pjrt/lifetime ./pjrt; done

# Builds as with Go 1.27, whose linker refuses asmcgocall. Where Go 1.27 is at hand, make test-go tests the same.
.PHONY: test-noasmcgocall
test-noasmcgocall: ## test the calls into C without runtime.asmcgocall
	$(GO) test -short -tags pjrt_noasmcgocall ./capi/...

# Tests everything that decides who may use a buffer when, on the plugin for arm64. It has API 0.81,
# for which the example of an event is too new.
ARM64 = qemu-aarch64 -L /usr/aarch64-linux-gnu
ARM64_TESTS = Turn|Bound|Donat|Event|Promise|Reference|NoCallAboutABuffer|EveryDay

.PHONY: test-arm64
test-arm64: ## test the call path, callbacks and turns of buffers on emulated arm64 (needs qemu-user and a cross compiler): make test-arm64 ARM64_TESTS=.
	@mkdir -p bin/arm64
	aarch64-linux-gnu-gcc -O1 -shared -fPIC -o bin/arm64/stub.so capi/internal/ccall/testdata/stub.c -lpthread
	GOARCH=arm64 $(GO) test -c -tags cc -o bin/arm64/ccall.test ./capi/internal/ccall
	GOARCH=arm64 $(GO) test -c -o bin/arm64/capi.test ./capi
	GOARCH=arm64 $(GO) test -c -o bin/arm64/serve.test ./capi/serve
	GOARCH=arm64 $(GO) test -c -o bin/arm64/pjrt.test ./pjrt
	cd capi/internal/ccall && CCALL_STUB=$(CURDIR)/bin/arm64/stub.so $(ARM64) $(CURDIR)/bin/arm64/ccall.test
	cd capi && $(ARM64) $(CURDIR)/bin/arm64/capi.test
	cd capi/serve && $(ARM64) $(CURDIR)/bin/arm64/serve.test -test.skip TestAWrappedPluginRunsPrograms
	cd pjrt && PJRT_TEST_EMULATOR='$(ARM64)' $(ARM64) $(CURDIR)/bin/arm64/pjrt.test -test.short -test.run '$(ARM64_TESTS)' -test.skip '^Example(Plugin_NewEvent|Promise)$$'

# Tests that need no plugin except the one in memory, since XLA publishes none for Windows. The skipped
# tests need the CPU plugin or the go command, or count allocations, of which calls on Windows make one.
WINE = WINEPREFIX=$(CURDIR)/bin/wine WINEDEBUG=-all /usr/lib/wine/wine64
WINE_PACKAGES = capi capi/serve pjrt/lifetime pjrt/pjrttest pjrt/examples/tested
WINE_SKIP = TestAStructWithAnotherLayoutDoesNotCompile|TestAWrappedPluginRunsPrograms|TestServedCallsAllocateNothing|TestThePluginBehavesLikeTheCPUPlugin

.PHONY: test-wine
test-wine: ## test the call path, callbacks, and pjrt on a plugin in memory, as Windows programs (needs wine64 and a cross compiler)
	@mkdir -p bin/wine
	x86_64-w64-mingw32-gcc -shared -o bin/bcryptprimitives.dll tools/wine/bcryptprimitives.c -ladvapi32
	@mkdir -p bin/wine/beside
	x86_64-w64-mingw32-gcc -shared -o bin/wine/beside/needed.dll tools/wine/needed.c
	x86_64-w64-mingw32-gcc -shared -o bin/wine/beside/needing.dll tools/wine/needing.c bin/wine/beside/needed.dll
	$(WINE) reg add 'HKCU\Software\Wine' /v Version /d win10 /f
	cp -n bin/bcryptprimitives.dll bin/wine/drive_c/windows/system32/
	@set -e; for p in $(WINE_PACKAGES); do \
		GOOS=windows GOARCH=amd64 $(GO) test -c -o bin/wine/test.exe ./$$p; \
		echo $$p; (cd $$p && PJRT_TEST_NEEDING='Z:$(CURDIR)/bin/wine/beside/needing.dll' $(WINE) $(CURDIR)/bin/wine/test.exe -test.short -test.skip '^($(WINE_SKIP))$$'); \
	done

# Lists the packages that import sync. Others have no state that goroutines share, but for the calls into C.
RACING = $(GO) list -f '{{.ImportPath}} {{.Imports}}' \
	./capi/... ./extensions/... ./pjrt/... ./conformance/internal/worker ./conformance/internal/driver ./conformance/internal/check | \
	sed -n 's|^\([^ ]*\) .*[[ ]sync[] /].*|\1|p'

# A process with the detector sleeps for a second before it exits, and the tests start many.
.PHONY: test-race
test-race: export GORACE := atexit_sleep_ms=50
test-race: ## run the short tests of packages with goroutines under the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -short -skip '$(OF_PROGRAMS)' ./capi/internal/ccall $$($(RACING))

.PHONY: test-attack
test-attack: ## attack commands with plugins, recordings, pipes and folders, in children with limits (needs a C compiler)
	$(GO) test -tags cc -timeout 5m ./tools/attack

# All but the first also run with make test-all. The tests of hostile that count steps and
# measure heaps run only there.
.PHONY: attack
attack: test-attack ## attack commands, and readers with hostile inputs (needs a C compiler)
	$(GO) test -short -timeout 5m ./pjrt/internal/hostile ./internal/ownership ./internal/python
	$(GO) test -short -run '^(TestDeeplyNestedInputs|TestMethodsOnNilAndZero|TestPluginsThatReport|TestOddPlugins)' ./pjrt
	$(GO) test -short -run '(TestMethodsOfNilAndZero|TestCodeNamedByItsPath)' ./extensions
	$(GO) test -short -run '^Test(Replay|CommandsRunNothing|WhatAPluginSays|APluginThatEnds)' ./tools/pjrt

# The limit makes the collector run all the time. The tests of pjrt have children with this setting.
.PHONY: test-cleanups
test-cleanups: ## run short tests while the garbage collector looks for cleanups that keep their own objects
	$(GO) test -exec 'env GODEBUG=checkfinalizers=1 GOMEMLIMIT=1' -short ./pjrt/lifetime ./pjrt/internal/lifetimes ./pjrt/transfer ./pjrt/sharding ./pjrt/cache

.PHONY: conformance
conformance: bin/pjrt bin/pjrt-conformance ## check the CPU plugin of two ages, which are installed if missing, against the contract
	bin/pjrt install cpu cpu@0.81
	bin/pjrt-conformance run cpu --profile quick --json bin/conformance.json --html bin/conformance.html
	bin/pjrt-conformance run cpu@0.81 --profile quick --json bin/conformance-cpu-0.81.json --html bin/conformance-cpu-0.81.html
	$(GO) run ./conformance/laboratory/author compiles -check conformance/internal/driver/compiles.tsv bin/conformance.json

# PLUGINS_TABLE='-write bin/conformance.json' writes the page, with the counts of reports.
PLUGINS_TABLE =

.PHONY: plugins-table
plugins-table: ## try every installed plugin, and compare with the table of pjrt/docs/plugins.md
	$(GO) test -tags plugins -count=1 -v -run '^TestThePluginsDoWhatThePageSays$$' ./tools/docs $(PLUGINS_TABLE)

# make test-all runs only a third of the checks on each of these plugins.
.PHONY: conformance-varied
conformance-varied: ## check the CPU plugin made as old as API 0.60, 0.70 and 0.75, and without text, where it must fail nothing more
	PJRT_CONFORMANCE_ALL=1 $(GO) test -count=1 -timeout 30m -run '^(TestNoCheckFailsForTheAgeOfThePlugin|TestAPluginThatTakesArtifactsAloneIsJudgedLikeOthers)$$' ./conformance

# CI votes on changed programs and on a sample of the others, and writes nothing. A run prints
# its seed, which selects the same programs again: make votes VOTES='-sample 200 -seed 2026-11-23'.
VOTES =

.PHONY: votes
votes: bin/jax/ready ## compare what checks expect of programs with StableHLO's interpreter and NumPy, and write the table
	$(GO) run ./conformance/laboratory/author votes -python $(CURDIR)/bin/jax/bin/python $(VOTES)

# make artifacts ARTIFACTS='-profile quick' takes minutes, and has JAX write fewer artifacts.
ARTIFACTS =

.PHONY: artifacts
artifacts: bin/pjrt bin/jax/ready ## write the programs of all checks as portable artifacts again, for plugins that take no text (takes an hour)
	bin/pjrt install cpu cpu@0.81
	$(GO) run ./conformance/laboratory/author artifacts -python $(CURDIR)/bin/jax/bin/python $(ARTIFACTS) $$(bin/pjrt install cpu) $$(bin/pjrt install cpu@0.81)

# One patch release of each minor version that the CPU plugin can serve. make callers CALLERS='-check 20' CALLERS_JAX=0.8.1
# measures twenty rows of a profile again and compares; CALLERS='-sets 100' tries predictions on plugins with several faults;
# -off-host does so with a plugin whose buffers are not in the host's memory. CALLERS_JAX= measures GoMLX only.
CALLERS_JAX = 0.4.38 0.5.3 0.6.2 0.7.2 0.8.1 0.9.2 0.10.2
CALLERS =

.PHONY: callers
callers: bin/pjrt shim bin/callers/gomlx $(CALLERS_JAX:%=bin/callers/jax-%/ready) ## measure what JAX and GoMLX do with a plugin that lacks something, and keep what was measured before (needs a C compiler)
	bin/pjrt install cpu@0.81
	$(if $(CALLERS_JAX),$(GO) run ./conformance/laboratory/author measure $(CALLERS) $(CALLERS_JAX:%=bin/callers/jax-%/bin/python))
	$(GO) run ./conformance/laboratory/author measure $(CALLERS) -program bin/callers/gomlx $(PYTHON)

.PHONY: bin/callers/gomlx
bin/callers/gomlx:
	cd pjrt/gomlx && CGO_ENABLED=1 $(GO) build -o ../../bin/callers/gomlx ./internal/drive

bin/callers/jax-%/ready:
	$(PYTHON) -m venv bin/callers/jax-$*
	bin/callers/jax-$*/bin/python -m pip install --quiet --disable-pip-version-check jax==$* jaxlib==$* flatbuffers==25.9.23 absl-py==2.3.1
	touch $@

.PHONY: list
list: ## freeze the binding checks of the suite as a new list for judging plugins: make list LIST=2027.05
	@$(GO) run ./conformance/laboratory/author freeze $(LIST)

.PHONY: conformance-aot
conformance-aot: bin/pjrt bin/pjrt-conformance ## check plugins for TPUs, CUDA and ROCm, which are installed if missing, without their devices (needs gcc)
	bin/pjrt install tpu tpu@0.0.11 tpu@0.0.2 cuda13 rocm10
	bin/pjrt-conformance run tpu --no-device --json bin/conformance-tpu.json --html bin/conformance-tpu.html
	bin/pjrt-conformance run tpu@0.0.11 --no-device --json bin/conformance-tpu-0.0.11.json --html bin/conformance-tpu-0.0.11.html
	bin/pjrt-conformance run tpu@0.0.2 --no-device --json bin/conformance-tpu-0.0.2.json --html bin/conformance-tpu-0.0.2.html
	bin/pjrt-conformance run cuda13 --no-device --json bin/conformance-cuda13.json --html bin/conformance-cuda13.html
	tools/hollow.sh $$(bin/pjrt install rocm10) bin/hollow
	LD_LIBRARY_PATH=bin/hollow bin/pjrt-conformance run rocm10 --no-device --json bin/conformance-rocm10.json --html bin/conformance-rocm10.html

.PHONY: conformance-page
conformance-page: bin/pjrt-conformance ## put the results of make conformance and make conformance-aot on one page
	bin/pjrt-conformance page bin/conformance*.json --html bin/conformance-page.html

.PHONY: mutants
mutants: ## show that the conformance checks find faults: killed / total, and the survivors
	$(GO) run ./conformance/laboratory/author mutants

PYTHON ?= python3

# The machine with a GPU need not build anything: copy the folder bin/gpu there, and call
# its run.sh with the path of a plugin, a folder for its output and perhaps a Python with JAX.
.PHONY: gpu-bundle
gpu-bundle: bin/jobs/ready ## build what make gpu runs, for a machine without Go, in bin/gpu (needs a C compiler)
	rm -rf bin/gpu
	mkdir -p bin/gpu
	$(GO) build -ldflags='-s -w' -o bin/gpu/ ./tools/pjrt ./tools/pjrt-conformance
	$(GO) test -c -ldflags='-s -w' -o bin/gpu/pjrt.test ./pjrt
	cd pjrt/gomlx && CGO_ENABLED=0 $(GO) test -c -ldflags='-s -w' -o $(CURDIR)/bin/gpu/gomlx.test .
	cd tools/bench && $(GO) build -o $(CURDIR)/bin/gpu/bench . && $(GO) run . -bundle $(CURDIR)/bin/gpu/children
	cp -R $(PROGRAMS) bin/gpu/
	cp tools/gpu/run.sh bin/gpu/

# The plugin that `make gpu` tests.
GPU_PLUGIN = $(shell bin/pjrt install cuda13)

# A Python with JAX and safetensors, which then takes part in the jobs of `make gpu`.
GPU_PYTHON =

.PHONY: gpu
gpu: bin/pjrt gpu-bundle ## run programs, tests, conformance and benchmarks on the CUDA plugin, which is installed (needs a GPU)
	bin/gpu/run.sh $(GPU_PLUGIN) bin/gpu/out $(GPU_PYTHON)

.PHONY: shim
shim: ## build the library that watches the calls of any PJRT client (needs a C compiler)
	CGO_ENABLED=1 $(GO) build -buildmode=c-shared -o bin/libpjrt_shim.so ./tools/pjrtshim

.PHONY: jax
jax: bin/pjrt bin/jax/ready ## run JAX through the shim and compare, and run what pjrt/docs/from-jax.md shows (needs Python 3.11 and a C compiler)
	bin/pjrt install cpu
	CGO_ENABLED=1 PJRT_JAX_PYTHON=$(CURDIR)/bin/jax/bin/python $(GO) test -tags jax -count=1 -timeout 20m ./tools/pjrtshim
	PJRT_JAX_PYTHON=$(CURDIR)/bin/jax/bin/python $(GO) test -tags jax -count=1 -run JAX ./tools/docs
	@# With its own path trimmed, the command would not know the checkout to build the shim from.
	GOFLAGS="$(GOFLAGS) -gcflags=github.com/purepjrt/purepjrt/tools/pjrt=-trimpath=" PJRT_JAX_PYTHON=$(CURDIR)/bin/jax/bin/python \
		$(GO) test -tags jax -count=1 -run '^TestTraceOfJAX$$' ./tools/pjrt

# What takes part in the jobs of make bench beside us.
bin/jobs/ready:
	$(PYTHON) -m venv bin/jobs
	bin/jobs/bin/python -m pip install --quiet --disable-pip-version-check jax==0.10.2 jaxlib==0.10.2 safetensors==0.8.0 \
		onnx==1.23.2 onnxruntime==1.32.0
	touch $@

bin/jax/ready:
	$(PYTHON) -m venv bin/jax
	bin/jax/bin/python -m pip install --quiet --disable-pip-version-check jax==0.8.1 jaxlib==0.8.1
	touch $@

.PHONY: aot
aot: bin/pjrt ## compile ahead of time for TPUs and CUDA with their plugins, which are installed if missing
	bin/pjrt install tpu cuda13 cuda12
	$(GO) test -tags aot -run AheadOfTime ./capi/... ./extensions/... ./pjrt ./pjrt/examples ./pjrt/inspect ./pjrt/isolate ./tools/docs ./tools/pjrt
	cd pjrt/gomlx && $(GO) test -tags aot -run AheadOfTime .

.PHONY: skew
skew: ## run the binding on real plugins of other ages, which are installed if missing
	$(GO) test -tags skew -run Skew -v ./capi/internal/realplugin

bin/pjrt bin/pjrt-conformance: bin/%: FORCE
	$(GO) build -o $@ ./tools/$*

.PHONY: FORCE
FORCE:

.PHONY: help
help: ## list the commands
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 14

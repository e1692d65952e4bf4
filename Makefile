# What a newcomer types first: `make demo`, `make test`. `make help` lists the rest.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
.PHONY: help demo accept test events pages spark screenshot sweep sanitize coverage fuzz build install uninstall deb tarball lint format clean

PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 300

BIN_DIR := $(DESTDIR)$(PREFIX)/bin
MAN_DIR := $(DESTDIR)$(PREFIX)/share/man/man1
BASH_DIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_DIR := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH_DIR := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

# With Swift's runtime inside, the program needs no toolchain where it runs, and starts a little faster. macOS has the runtime itself.
# Without symbols it is a third smaller.
RELEASE_FLAGS := -c release --product funnel
ifneq ($(shell uname),Darwin)
RELEASE_FLAGS += --static-swift-stdlib -Xlinker -s
else
# libcsv has no pkg-config file that would lead to it.
export CPATH := $(shell brew --prefix)/include:$(CPATH)
export LIBRARY_PATH := $(shell brew --prefix)/lib:$(LIBRARY_PATH)
endif

FUNNEL := .build/release/funnel
# Made when the program is whole, with its server; the demo needs none and is there a minute sooner.
WHOLE := .build/release/.whole
MANUAL := .build/manual/pages/funnel.1
SWIFT_FILES := Sources Tests Examples Apps/FunnelEvents/Sources Apps/FunnelEvents/Tests Apps/FunnelEvents/Package.swift Package.swift

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  V=1 shows what is otherwise shown only when it fails; PREFIX and DESTDIR say where to install."

demo: $(FUNNEL) ## Build, take SampleLogs/ into a fresh store, print the reports
	@.ci/demo $(FUNNEL)

accept: ## Take what the demo prints now for what it should print
	@.ci/accept-demo

pages: $(WHOLE) ## Look at the pages of the demo in a browser: console, requests, axe-core, widths, dark, paper
	@.ci/check-pages $(FUNNEL)

spark: $(WHOLE) ## Make reports on Spark, and hold them against those of one machine
	@.ci/check-spark $(FUNNEL)

screenshot: $(WHOLE) ## Take the picture of a page that the README begins with
	@.ci/check-pages $(FUNNEL) --accept

# What the tests send millions of events through is optimised (Package.swift). Tests that wait for the program block threads, which tests of
# asynchronous modules need: so they run after these.
test: export FUNNEL_OPTIMISED = 1
ifneq ($(shell uname),Darwin)
test: export SWIFT_EXEC = $(shell .ci/compiler-for-tests)
# Each commit of a store waits for the disk a dozen times. Where there is room in memory, the program's tests make their stores there.
SHARED_MEMORY := $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print $$4 }')" -ge 4000000 ] 2>/dev/null && echo TMPDIR=/dev/shm)
endif
test: ## Build and run all tests
	@.ci/install-packages test
	@.ci/quietly --closing 'Test run with' "Running the tests of the library for apps" swift test --package-path Apps/FunnelEvents
	@.ci/quietly "Building the tests" swift build --build-tests
	@.ci/quietly --closing 'Test run with' "Running the tests of the modules" swift test --skip-build --skip CommandTests
	@.ci/quietly --closing 'Test run with' "Running the tests of the program" env $(SHARED_MEMORY) \
	  swift test --skip-build --filter CommandTests

# Apps take the library by the address of a repository of its own. Push the branch to its `main`, and tag it there.
events: ## Split the library for apps, with its history, into the branch funnel-events
	@git subtree split -q --prefix=Apps/FunnelEvents --branch funnel-events

sweep: ## Run the tests with every sweep in full, one after another: some hours
	@.ci/install-packages test
	@.ci/quietly "Building the tests, optimised" swift build -c release --build-tests -Xswiftc -enable-testing --scratch-path .build-sweep
	@.ci/quietly --closing 'Test run with' "Running the tests in full" \
	  env FUNNEL_SWEEP=full swift test -c release --skip-build --no-parallel --scratch-path .build-sweep

sanitize: ## Run the tests under the address and the thread sanitizer
	@.ci/install-packages test
	@.ci/sanitize address
	@.ci/sanitize thread

coverage: ## Show which lines of the store's modules the tests reach
	@.ci/install-packages test
	@.ci/coverage

fuzz: ## Fuzz the JSON shim and the decoder, each for SECONDS (300)
	@.ci/install-packages build
	@.ci/fuzz shim $(SECONDS)
	@.ci/fuzz lines $(SECONDS)

build: $(WHOLE) $(MANUAL) ## Build the release program and its manual

# Both are built only where they are missing or old, so that `make build && sudo make install` needs no Swift as root.
install: $(WHOLE) $(MANUAL) ## Install program, manual and shell completions under PREFIX (/usr/local)
	@install -d "$(BIN_DIR)" "$(MAN_DIR)" "$(BASH_DIR)" "$(ZSH_DIR)" "$(FISH_DIR)"
	@install -m 755 $(FUNNEL) "$(BIN_DIR)/funnel"
	@install -m 644 $(dir $(MANUAL))*.1 "$(MAN_DIR)"
	@$(FUNNEL) --generate-completion-script bash >"$(BASH_DIR)/funnel"
	@$(FUNNEL) --generate-completion-script zsh >"$(ZSH_DIR)/_funnel"
	@$(FUNNEL) --generate-completion-script fish >"$(FISH_DIR)/funnel.fish"
	@chmod 644 "$(BASH_DIR)/funnel" "$(ZSH_DIR)/_funnel" "$(FISH_DIR)/funnel.fish"
	@echo "Installed $(BIN_DIR)/funnel"

uninstall: ## Remove what `make install` installed
	@rm -f "$(BIN_DIR)/funnel" "$(MAN_DIR)/funnel.1" "$(MAN_DIR)"/funnel.*.1 \
	  "$(BASH_DIR)/funnel" "$(ZSH_DIR)/_funnel" "$(FISH_DIR)/funnel.fish"

deb: $(WHOLE) $(MANUAL) ## Make a Debian package in .build/dist, and check it
	@.ci/install-packages deb
	@rm -rf .build/deb
	@$(MAKE) install DESTDIR=.build/deb/root PREFIX=/usr >/dev/null
	@.ci/quietly "Packing for Debian" .ci/deb .build/deb/root
	@.ci/check-deb .build/dist/funnel_*.deb

tarball: $(WHOLE) $(MANUAL) ## Make a tarball of the release in .build/dist, with SHA256SUMS
	@rm -rf .build/tarball
	@$(MAKE) install DESTDIR=.build/tarball PREFIX=/root >/dev/null
	@.ci/tarball .build/tarball/root

lint: ## Check the format of all Swift files
	@swift format lint --strict --recursive $(SWIFT_FILES)

format: ## Format all Swift files in place
	@swift format --in-place --recursive $(SWIFT_FILES)

clean: ## Remove everything that was built
	@rm -rf .build .build-* Apps/FunnelEvents/.build

SOURCES := $(shell find Sources Schemas -type f) Package.swift

$(FUNNEL): $(SOURCES)
	@.ci/install-packages build
	@rm -f $(WHOLE)
	@.ci/quietly "Building funnel" swift build $(RELEASE_FLAGS) --disable-default-traits --traits ISAL
	@touch $@

$(WHOLE): $(SOURCES)
	@.ci/install-packages build
	@.ci/quietly "Building funnel" swift build $(RELEASE_FLAGS)
	@touch $(FUNNEL) $@

# swift-argument-parser's own tool writes the manual from the program's help; built apart, for its plugin would build all of funnel again.
$(MANUAL): $(WHOLE)
	@.ci/quietly "Building the manual" .ci/manual $(FUNNEL) $(dir $(MANUAL))

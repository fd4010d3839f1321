# A thin front: CMake builds, ctest runs. Every target installs what it needs and is missing.
#
#   make demo       the autotuned reverse all-to-all on 2 ranks; a second time it uses the cache
#   make test       the whole suite, with Open MPI and with MPICH
#   make bench      the figures of the README, measured here
#   make regret     how well each policy chooses, and at what cost (docs/measuring.md)
#   make model      the operator's protocol in every interleaving, for small sizes (docs/protocol.md)
#   make sweep      all 216 shapes of the sweep, every engine, checked element by element (half an hour)
#   make packages   Debian packages, in build/packages (docs/install.md)
#   make abi        the listings of the binary interface, anew (docs/install.md)
#   make check      what CI runs besides: clang, sanitizers, valgrind, the fuzz target, the format,
#                   the packages in a clean root
#
# Variables: DEMO_RANKS, DEMO_ARGS, JOBS.

DEMO_RANKS ?= 2
DEMO_ARGS  ?=
JOBS       ?= $(shell nproc)
BUILD      := build

# As root, as in containers, and with fewer cores than ranks, Open MPI must be told that it may.
OPENMPI_ENV := OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
               OMPI_MCA_rmaps_base_oversubscribe=1

# Looked up when used: the packages may have been installed a moment before.
OPENMPI = -DMPI_C_COMPILER=mpicc.openmpi -DMPIEXEC_EXECUTABLE=$(shell command -v mpirun.openmpi)
MPICH   = -DMPI_C_COMPILER=mpicc.mpich -DMPIEXEC_EXECUTABLE=$(shell command -v mpirun.mpich)
CTEST   := ctest --output-on-failure --no-tests=error

.PHONY: demo test bench check clang sanitize valgrind fuzz format format-check clean \
        test-openmpi test-mpich build-openmpi build-mpich dependencies-%

demo: dependencies-build
	@mkdir -p out
	@cmake -S . -B $(BUILD)/demo $(OPENMPI) -DTUTTI_TESTS=OFF >$(BUILD)/demo.log 2>&1 || \
	    { cat $(BUILD)/demo.log; exit 1; }
	@echo "building (what it says: $(BUILD)/demo.log) ..."
	@cmake --build $(BUILD)/demo -j $(JOBS) --target example_reverse_a2a_autotune >>$(BUILD)/demo.log 2>&1 || \
	    { cat $(BUILD)/demo.log; exit 1; }
	@cd out && $(OPENMPI_ENV) TUTTI_PROGRESS=$$([ -t 2 ] && echo bar || echo lines) mpirun.openmpi -n $(DEMO_RANKS) \
	    ../$(BUILD)/demo/examples/reverse_a2a_autotune $(DEMO_ARGS)

test: test-openmpi test-mpich

test-openmpi: build-openmpi
	$(CTEST) --test-dir $(BUILD)/openmpi -j $(JOBS)

test-mpich: build-mpich
	$(CTEST) --test-dir $(BUILD)/mpich -j $(JOBS)

build-openmpi: dependencies-test
	cmake -S . -B $(BUILD)/openmpi $(OPENMPI) -DTUTTI_WERROR=ON
	cmake --build $(BUILD)/openmpi -j $(JOBS)

build-mpich: dependencies-test
	cmake -S . -B $(BUILD)/mpich $(MPICH) -DTUTTI_WERROR=ON
	cmake --build $(BUILD)/mpich -j $(JOBS)

.PHONY: faults
faults: build-openmpi
	$(BUILD)/openmpi/tests/faults/faults --cases 6000

# ctest runs a sample of it (operator_sweep).
.PHONY: sweep
sweep: build-openmpi
	$(OPENMPI_ENV) mpirun.openmpi -n 2 $(BUILD)/openmpi/tests/operator/operator_sweep 1

bench: dependencies-build
	cmake -S . -B $(BUILD)/bench $(OPENMPI) -DTUTTI_TESTS=OFF -DCMAKE_BUILD_TYPE=Release
	cmake --build $(BUILD)/bench -j $(JOBS)
	$(OPENMPI_ENV) bench/run $(BUILD)/bench

# RANKS ranks, here; out/reverse_a2a.* with Open MPI, and out/mpich/reverse_a2a.* with MPICH.
RANKS ?= 2
.PHONY: bench-operator bench-operator-mpich
bench-operator: dependencies-build
	cmake -S . -B $(BUILD)/bench $(OPENMPI) -DTUTTI_TESTS=OFF -DCMAKE_BUILD_TYPE=Release
	cmake --build $(BUILD)/bench -j $(JOBS) --target reverse_a2a_bench
	@command -v gnuplot >/dev/null || \
	    apt-get install -y -qq --no-install-recommends gnuplot-nox >/dev/null 2>&1 || true
	$(OPENMPI_ENV) bench/reverse_a2a_bench_run $(BUILD)/bench $(RANKS) out

bench-operator-mpich: dependencies-test
	cmake -S . -B $(BUILD)/bench-mpich $(MPICH) -DTUTTI_TESTS=OFF -DCMAKE_BUILD_TYPE=Release
	cmake --build $(BUILD)/bench-mpich -j $(JOBS) --target reverse_a2a_bench
	MPIRUN=mpirun.mpich bench/reverse_a2a_bench_run $(BUILD)/bench-mpich $(RANKS) out/mpich

# Exhaustive and race side by side, replayed, on landscapes and live (docs/measuring.md).
.PHONY: regret
regret: dependencies-regret
	cmake -S . -B $(BUILD)/bench $(OPENMPI) -DTUTTI_TESTS=OFF -DCMAKE_BUILD_TYPE=Release
	cmake --build $(BUILD)/bench -j $(JOBS) --target regret regret_live
	@mkdir -p out
	$(BUILD)/bench/bench/regret/regret --plot out/regret.dat bench/regret/data/*.csv
	gnuplot -e "data='out/regret.dat'; picture='out/regret.svg'" bench/regret/plot.gp
	@for shape in 512,8,64 64,8,128 2048,8,128; do \
	    TUTTI_LOG=error $(OPENMPI_ENV) mpirun.openmpi -n 2 \
	        $(BUILD)/bench/bench/regret/regret_live --shape $$shape --tunings 30 --seconds 30; done

check: format-check clang sanitize sanitize-threads valgrind fuzz model faults cuda check-packages

# Compiled wherever there is an nvcc. Without a GPU the tests report as skipped.
.PHONY: cuda
cuda: dependencies-test
	@if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then $(MAKE) cuda-build; \
	    else echo "cuda: SKIPPED, nothing was compiled: there is no nvcc"; fi

.PHONY: cuda-build
cuda-build:
	cmake -S . -B $(BUILD)/cuda $(OPENMPI) -DTUTTI_WERROR=ON -DTUTTI_CUDA=ON
	cmake --build $(BUILD)/cuda -j $(JOBS) --target cuda_tests reverse_a2a_tuned \
	    reverse_a2a_cuda tutti_completion tutti_doctor_mpi tutti_manuals
	$(CTEST) --test-dir $(BUILD)/cuda -L cuda
	$(CTEST) --test-dir $(BUILD)/cuda -R '^install.(tree|cmake_package)$$'

# Debian packages, in build/packages, and what they do in a clean root (docs/install.md).
.PHONY: packages check-packages
packages: dependencies-packages
	cmake -S . -B $(BUILD)/packages $(OPENMPI) -DTUTTI_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
	    -DCMAKE_SKIP_INSTALL_RPATH=ON
	cmake --build $(BUILD)/packages -j $(JOBS)
	rm -f $(BUILD)/packages/*.deb
	cd $(BUILD)/packages && cpack

# Renews abi/, the listings of the binary interface, after a change that was meant.
.PHONY: abi
abi: dependencies-test
	scripts/check-abi --renew

check-packages: packages
	scripts/check-packages $(BUILD)/packages || [ $$? -eq 77 ]

.PHONY: model sanitize-threads
model: dependencies-model
	tests/operator/model/check $(BUILD)/model

# Where ranks are threads: between processes the sanitizer sees nothing.
sanitize-threads: dependencies-check
	cmake -S . -B $(BUILD)/threads $(OPENMPI) -DTUTTI_WERROR=ON -DTUTTI_SANITIZE=thread
	cmake --build $(BUILD)/threads -j $(JOBS) --target protocol_threads protocol_delays test_threads \
	    test_watchdog faults
	$(CTEST) --test-dir $(BUILD)/threads -R '^(protocol_(threads|delays)|test_threads|test_watchdog|faults)$$'

clang: dependencies-check
	OMPI_CC=clang cmake -S . -B $(BUILD)/clang -DCMAKE_C_COMPILER=clang $(OPENMPI) -DTUTTI_WERROR=ON
	OMPI_CC=clang cmake --build $(BUILD)/clang -j $(JOBS)
	$(CTEST) --test-dir $(BUILD)/clang -j $(JOBS) -L unit

# Open MPI leaves memory behind at its end, so leaks are looked for where no MPI runs.
sanitize: dependencies-check
	cmake -S . -B $(BUILD)/sanitize $(OPENMPI) -DTUTTI_WERROR=ON -DTUTTI_SANITIZE=address,undefined
	cmake --build $(BUILD)/sanitize -j $(JOBS)
	$(CTEST) --test-dir $(BUILD)/sanitize -j $(JOBS) -L unit
	ASAN_OPTIONS=detect_leaks=0 $(CTEST) --test-dir $(BUILD)/sanitize -j $(JOBS) -L mpi

valgrind: build-openmpi dependencies-check
	scripts/valgrind $(BUILD)/openmpi

fuzz: dependencies-check
	cmake -S . -B $(BUILD)/fuzz -DCMAKE_C_COMPILER=clang $(OPENMPI) -DTUTTI_FUZZ=ON \
	    -DTUTTI_SANITIZE=address,undefined
	cmake --build $(BUILD)/fuzz -j $(JOBS) --target fuzz_record
	scripts/fuzz $(BUILD)/fuzz

SOURCES = $(shell git ls-files '*.c' '*.h' '*.cu' '*.cuh' '*.hpp' '*.cpp')

format:
	clang-format -i $(SOURCES)

format-check: dependencies-check
	clang-format --dry-run -Werror $(SOURCES)

clean:
	rm -rf $(BUILD) out

dependencies-%:
	@mkdir -p $(BUILD)
	@scripts/install-dependencies $*

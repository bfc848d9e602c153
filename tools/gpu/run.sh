#!/bin/sh
# Runs what `make gpu-bundle` built on a machine with a GPU, which needs neither Go
# nor Python, and leaves the output in a folder. JAX takes part in the jobs if there is a
# Python with it and with safetensors.
#
#	run.sh PLUGIN OUT [PYTHON]
set -u
plugin=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")" || exit 2
# So that clients of several processes fit into the memory of the GPU.
shared="--option preallocate=false --jobs $(($(nproc) / 2 + 1))"
PJRT_TEST_PLUGIN=$plugin
export PJRT_TEST_PLUGIN

failed=
try() {
	name=$1
	shift
	if "$@" > "$out/$name.log" 2>&1; then
		echo "ok      $name"
	else
		echo "FAILED  $name: status $?, the end of $name.log is"
		tail -n 15 "$out/$name.log" | cut -c 1-300
		failed=1
	fi
}

try info ./pjrt info "$plugin"
try everyday ./pjrt.test -test.run '^TestWhatProgramsDoEveryDay$' -test.v
try gomlx ./gomlx.test -test.run '^(TestTheBackendCompliesWithGoMLXsSuite|TestAttentionInHalfPrecisionIsNearThatOfF32)$' -test.v
try programs ./pjrt-conformance programs "$plugin" programs $shared --html "$out/programs.html"
try conformance ./pjrt-conformance run "$plugin" $shared --profile quick --json "$out/conformance.json" --html "$out/conformance.html"
try benchmarks ./bench -programs children -plugin "$plugin" -gpu -rows '^work/' -json "$out/benchmarks.json"
# Whole jobs, in five minutes; models are there if the bundle was built beside JAX.
try jobs ./bench -programs children -plugin "$plugin" -gpu -jobs-python "${3:-}" -budget 10s -rows '^jobs/(load|start-small|tokens|step|compile|requests)' -json "$out/jobs.json"
grep -h '^|' "$out/benchmarks.log" "$out/jobs.log"
tail -n 5 "$out/conformance.log"
test -z "$failed"

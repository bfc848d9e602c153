#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors

# Shows that tests do not depend on luck: it runs the tests of each package many times beside busy
# processes, in random order, on one, two and eight processors in turn.
#
#	tools/stress.sh [FLAG...] PACKAGE...
#
# FLAGs are those of test binaries, such as -test.short, -test.run=REGEXP and -test.count=2. The
# variables RUNS, BUSY and TOGETHER say how many runs there are (20), how many processes keep busy
# meanwhile (16), and how many runs work at the same time (4). Each run that fails is named, with
# the file that has its output; the exit status is then 1.
set -euo pipefail

flags=()
while [[ ${1-} == -* ]]; do
	flags+=("$1")
	shift
done
dir=$(mktemp -d)
go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' "$@" > "$dir/packages"
while read -r package _; do
	go test -c -o "$dir/${package//\//.}.test" "$package"
done < "$dir/packages"

# A subshell that never rests, until this process is gone.
for _ in $(seq "${BUSY:-16}"); do
	while kill -0 $$ 2> /dev/null; do :; done &
done
trap 'kill $(jobs -p)' EXIT

# Runs the tests of a package once: a number, the package, and its folder.
once() {
	local binary=$dir/${2//\//.}.test processors=(1 2 8)
	cd "$3"
	"$binary" -test.shuffle=on -test.timeout=30m -test.cpu="${processors[$1 % 3]}" "${@:4}" > "$binary.$1" 2>&1 && rm "$binary.$1" ||
		{ echo "$2, run $1 on ${processors[$1 % 3]} processors failed: $binary.$1"; return 1; }
}
export -f once
export dir
while read -r package; do
	for i in $(seq "${RUNS:-20}"); do echo "$i $package"; done
done < "$dir/packages" | xargs -P "${TOGETHER:-4}" -L 1 bash -c 'once "$@" '"${flags[*]@Q}" once
echo "$(wc -l < "$dir/packages") packages passed ${RUNS:-20} times"
rm -r "$dir"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors

# Does what a newcomer to this repository does, on a machine that has Go, Python, git, make and
# the tools of every Linux: the commands of README.md, its program, and each example. It works on
# a clone of the last commit, in an empty home directory without caches. Of the caller's
# variables it keeps only those that say how to reach the network.
#
#	tools/newcomer/run.sh [STEP...]
#
# The steps are run, program, examples and test; without any, it does all. At the end it prints
# the time that each part took.
set -euo pipefail
cd "$(dirname "$0")/../.."
steps=("$@")
[ $# -gt 0 ] || steps=(run program examples test)

home=$(mktemp -d)
clean() {
	chmod -R u+w "$home" # Go makes its module cache read-only
	rm -rf "$home"
}
trap clean EXIT
mkdir "$home/bin"
for tool in go git make; do
	ln -s "$(command -v "$tool")" "$home/bin/$tool"
done
# Tools that every Linux has and some tests use. A C compiler is not among them.
for tool in sh awk basename bash cat chmod cmp cp cut dirname echo env expr false find grep head kill ln ls mkdir mkfifo mktemp mv rm sed sleep sort \
	tail test touch tr true uname wc; do
	ln -s "$(type -P "$tool")" "$home/bin/$tool"
done
ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$home/bin/python3"

network=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY GOPROXY GOSUMDB SSL_CERT_FILE SSL_CERT_DIR \
	PIP_INDEX_URL PIP_CERT REQUESTS_CA_BUNDLE GIT_SSL_CAINFO; do
	[ -z "${!name:-}" ] || network+=("$name=${!name}")
done

environment=(env -i HOME="$home" PATH="$home/bin" "${network[@]}")
# as runs a command as the newcomer does.
as() { "${environment[@]}" "$@"; }

times=()
# try runs a command, notes how long it took, and ends the script if it fails.
try() {
	local name=$1 begin=$SECONDS
	shift
	printf '\n== %s\n' "$name"
	"$@" || { printf 'failed: %s\n' "$name" >&2; exit 1; }
	times+=("$(printf '%5ds  %s' $((SECONDS - begin)) "$name")")
}

[ -z "$(git status --porcelain)" ] || echo "uncommitted changes are not tried" >&2
try clone as git clone -q "$PWD" "$home/purepjrt"
cd "$home/purepjrt"

# A module elsewhere, like a newcomer's own program. Until there is a release, it has to be
# told where the library is.
readme_program() {
	mkdir "$home/hello"
	awk '/^```$/ { inside = 0 } inside; /^```go$/ && !n++ { inside = 1 }' README.md > "$home/hello/main.go"
	(cd "$home/hello" && as go mod init example.com/hello &&
		as go mod edit -require github.com/purepjrt/purepjrt@v0.1.0 -replace "github.com/purepjrt/purepjrt=$home/purepjrt" &&
		as go mod tidy && as go run .)
}

# The server answers one request, and is ended.
server() {
	as go build -o "$home/server" . || return
	"${environment[@]}" "$home/server" -listen localhost:0 > "$home/server.log" & # a function would run in a subshell
	local pid=$! ok=0
	as python3 - "$home/server.log" << 'END' || ok=$?
import sys, time, urllib.request
for _ in range(600):
    words = open(sys.argv[1]).read().split()
    if words:
        break
    time.sleep(0.1)
print(urllib.request.urlopen(words[-1] + "/predict", b"[1, 2]").read().decode())
END
	kill "$pid"
	wait "$pid" || ok=$?
	return "$ok"
}

# Lists the examples that need arguments, or more than go run.
example() {
	case $1 in
	pjrt/examples/aot)
		as bin/pjrt install tpu
		as go run "./$1" "$home/tanh"
		;;
	pjrt/examples/server) (cd "$1" && server) ;;
	pjrt/examples/transformer) as go run "./$1" "$1/model" "A quick" ;;
	pjrt/examples/weights) as go run "./$1" "$1/model.safetensors" ;;
	pjrt/gomlx/examples/*) (cd "$1" && as go run .) ;;
	# This needs an etcd, which its test starts.
	pjrt/kv/etcd/examples/processes) (cd pjrt/kv/etcd && as go test -run Example .) ;;
	*) as go run "./$1" ;;
	esac
}

for step in "${steps[@]}"; do
	case $step in
	run) try 'make run' as make run ;;
	program) try "README.md's program" readme_program ;;
	examples)
		for main in pjrt/examples/*/main.go pjrt/*/examples/*/main.go pjrt/kv/etcd/examples/*/main.go; do
			try "${main%/main.go}" example "${main%/main.go}"
		done
		;;
	test) try 'make test' as make test ;;
	*)
		echo "there is no step $step: the steps are run, program, examples and test" >&2
		exit 2
		;;
	esac
done

printf '\n'
printf '%s\n' "${times[@]}"
printf '%5ds  in all\n' "$SECONDS"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
#
# usage: headers.sh XLA
#
# Replaces every header under xla/ by the original of the same path in XLA, a
# checkout of openxla/xla, and rewrites VERSION. Either all headers change or
# none does. Run `go generate ./...` afterwards. To keep our comments, and for
# originals of another version, use `make update` instead.

set -eu

fail() {
	printf 'headers.sh: %s\n' "$1" >&2
	exit 1
}

[ $# -eq 1 ] && [ -n "$1" ] || fail 'name one checkout of openxla/xla, as in: make headers XLA=../xla'
[ -d "$1" ] || fail "$1 is not a folder; name a checkout of openxla/xla"
from=$(cd "$1" && pwd -P)
here=$(cd "$(dirname "$0")" && pwd -P)
core=xla/pjrt/c/pjrt_c_api.h
[ -f "$from/$core" ] || fail "$1 has no $core; name a checkout of openxla/xla"
[ "$from" != "$here" ] || fail "$1 is the folder to be replaced; name a checkout of openxla/xla"

macro() {
	awk -v name="$1" '$1 == "#define" && $2 == name { print $3; exit }' "$from/$core"
}

major=$(macro PJRT_API_MAJOR)
minor=$(macro PJRT_API_MINOR)
for number in "$major" "$minor"; do
	case $number in
	'' | *[!0-9]*) fail "$1/$core does not define PJRT_API_MAJOR and PJRT_API_MINOR as numbers; this needs a PJRT of version 0.1 or later" ;;
	esac
done

list=$(cd "$here" && find xla -type f -name '*.h' | LC_ALL=C sort)
missing=
for header in $list; do
	[ -f "$from/$header" ] || missing="$missing $header"
done
[ -z "$missing" ] || fail "$1 lacks$missing; it is older or newer than this list of headers: delete here the headers that are gone, then try again"

# A folder that is not itself a checkout, such as an unpacked archive, has no
# commit to name, and the repository around it would name the wrong one.
source=unknown
if top=$(git -C "$from" rev-parse --show-toplevel 2>/dev/null) && [ "$(cd "$top" && pwd -P)" = "$from" ]; then
	source="commit $(git -C "$from" rev-parse HEAD) $(git -C "$from" show -s --format=%cI HEAD)"
fi

new=$here/.headers.$$
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$new"
for header in $list; do
	mkdir -p "$new/$(dirname "$header")"
	cp "$from/$header" "$new/$header"
done
{
	printf 'api_major: %s\napi_minor: %s\n' "$major" "$minor"
	for header in $list; do
		printf '%s: 0.%s %s\n' "$header" "$minor" "$source"
	done
} >"$new/VERSION"

# Nothing has changed so far. The swap is three renames, not to be interrupted;
# when the second fails, the old headers go back.
trap '' HUP INT TERM
mv "$here/xla" "$new/old"
mv "$new/xla" "$here/xla" || {
	mv "$new/old" "$here/xla"
	fail "cannot write $here/xla"
}
mv "$new/VERSION" "$here/VERSION"

printf 'third_party/xla now holds the headers of PJRT %s.%s (%s)\n' "$major" "$minor" "$source"
for header in $(cd "$from" && find xla/pjrt/c xla/pjrt/extensions -type f -name '*_extension.h' 2>/dev/null | LC_ALL=C sort); do
	case $header in
	xla/pjrt/extensions/abi_version/abi_version_extension.h) continue ;;
	esac
	[ -f "$here/$header" ] || printf 'not taken, since it is new: %s (copy it to the same path here to generate from it)\n' "$header"
done
printf 'next: go generate ./...\n'

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors

# Lets a plugin for AMD's GPUs compile on a machine without ROCm: for each library that the plugin
# needs and the dynamic linker does not find, it makes one whose functions do nothing. Needs gcc and
# binutils.
#
#	tools/hollow.sh PLUGIN DIR
#	LD_LIBRARY_PATH=DIR pjrt compile --plugin PLUGIN --topology mi300x ...
#
# The functions return 100, with which HIP says that there is no device. Those of the profiler return
# 0: the plugin ends the process if it cannot begin a profile.
set -euo pipefail

plugin=$1 dir=$2
mkdir -p "$dir"

# Prints the functions that the plugin needs, each with its library and version, or with dashes if it
# has none. A version belongs to one library.
functions() {
	readelf --version-info --wide "$plugin" | awk '
		{ for (i = 1; i < NF; i++) if ($i == "File:") library = $(i + 1) }
		{ for (i = 1; i < NF; i++) if ($i == "Name:" && library) print library, $(i + 1) }
	' > "$dir/versions"
	readelf --dyn-syms --wide "$plugin" | awk '
		NR == FNR { library[$2] = $1; next }
		$7 != "UND" || $8 == "" { next }
		split($8, part, /@+/) == 2 { print part[1], library[part[2]], part[2]; next }
		$5 != "WEAK" { print $8, "-", "-" }' "$dir/versions" -
}

functions > "$dir/functions"
first=yes
for library in $(ldd "$plugin" | awk '/not found/ { print $1 }'); do
	# Functions without a version may be in any library.
	awk -v library="$library" -v any="$first" '
		$2 == library || any && $2 == "-" {
			print "int " $1 "(void) { return " ($1 ~ /^rocprofiler/ ? 0 : 100) "; }"
		}' "$dir/functions" > "$dir/hollow.c"
	awk -v library="$library" '
		$2 == library { names[$3] = names[$3] $1 ";" }
		END { for (v in names) print v " { global: " names[v] " };" }' "$dir/functions" > "$dir/hollow.map"
	script=
	[ ! -s "$dir/hollow.map" ] || script=-Wl,--version-script=$dir/hollow.map
	gcc -shared -fPIC -w -fno-builtin "-Wl,-soname,$library" $script -o "$dir/$library" "$dir/hollow.c"
	first=
done
rm -f "$dir"/{versions,functions,hollow.c,hollow.map}

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
#
# The step of action.yml that checks the plugin. Its inputs are variables; each of the
# lists has one item a line.
set -euo pipefail

args=("$PLUGIN" --profile "$PROFILE")
each() { # FLAG LIST
	local line
	while IFS= read -r line; do
		if [ -n "$line" ]; then args+=("$1" "$line"); fi
	done <<< "$2"
}
each --list "$LIST"
each --waivers "$WAIVERS"
each --option "$OPTIONS"
while IFS= read -r line; do
	if [ -n "$line" ]; then args+=("$line"); fi
done <<< "$ARGUMENTS"

mkdir -p "$REPORTS"
# A library in the workspace needs no download; a name does.
[ -e "$PLUGIN" ] || "$COMMANDS/pjrt" install "$PLUGIN"

status=0
"$COMMANDS/pjrt-conformance" run "${args[@]}" --json "$REPORTS/report.json" --junit "$REPORTS/junit.xml" \
	--html "$REPORTS/report.html" --md "$REPORTS/report.md" --badge "$REPORTS/badge.svg" || status=$?
if [ -e "$REPORTS/report.md" ]; then
	cat "$REPORTS/report.md" >> "$GITHUB_STEP_SUMMARY"
fi
if [ -e "$REPORTS/report.json" ]; then
	verdict=$(sed -n 's/^  "verdict": "\(.*\)",$/\1/p' "$REPORTS/report.json")
	echo "verdict=$verdict" >> "$GITHUB_OUTPUT"
fi
exit "$status"

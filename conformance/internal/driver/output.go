// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"regexp"
	"strings"
)

// lastWords matches lines in which programs say why they end: failed checks of Abseil
// and glog, uncaught C++ exceptions, assertions of C, sanitizers.
var lastWords = regexp.MustCompile(`^F\d{4} |Check failed: |^\s*what\(\): |Assertion .* failed|^==\d+==ERROR: |^LLVM ERROR: |PLEASE submit a bug report`)

// words returns the first of the plugin's own lines that say why it ended.
func words(output string) string {
	for line := range strings.Lines(output) {
		if lastWords.MatchString(line) {
			return lastLines(line, 1)[0]
		}
	}
	return ""
}

// pluginOutput cuts the Go runtime's report of the crash from the end of a worker's
// output: the plugin's own words come before it.
func pluginOutput(output, trace string) string {
	first, _, _ := strings.Cut(trace, "\n")
	if first == "" {
		return output
	}
	if at := strings.LastIndex(output, first+"\n"); at >= 0 {
		return output[:at]
	}
	return output
}

// lastLines returns the last n lines, shortened, without empty ones.
func lastLines(s string, n int) []string {
	var lines []string
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		if len(line) > lineLength {
			line = strings.ToValidUTF8(line[:lineLength], "") + " ..."
		}
		lines = append(lines, line)
	}
	return lines[max(0, len(lines)-n):]
}

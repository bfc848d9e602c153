// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

// digestLength is the length of a digest in characters.
const digestLength = 12

var digestForm = regexp.MustCompile(`^[0-9a-f]{12}$`)

// varying matches what differs in the text of the same failure between runs or machines, in the
// order in which it is replaced.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\b[IWEF]\d{4} [\d:.]+ +\d+ `), ""}, // the head of a line of Abseil's log: day, time, thread
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`(^|[\s"'(=:,])(?:[A-Za-z]:)?[/\\][\w.@~+-]+(?:[/\\][\w.@~+-]+)+`), "${1}PATH"},
	{regexp.MustCompile(`==\d+==`), "=="},
	{regexp.MustCompile(`\b0x[0-9a-fA-F]+`), "ADDRESS"},
	{regexp.MustCompile(`\b\d{13,}\b`), "NUMBER"}, // probably an address, or uninitialized memory
	{regexp.MustCompile(`\b(?:\d+(?:\.\d+)?(?:ns|µs|us|ms|h|m|s))+\b`), "DURATION"},
	{regexp.MustCompile(`\b([Pp]id|[Pp]rocess|[Tt]hread|tid)([ =:]+)\d+`), "${1}${2}NUMBER"},
}

// Digest returns what identifies a failure: a digest of the first line of each of its findings,
// without addresses, times, paths, process numbers and places in source files, which differ from
// run to run or from version to version. It is empty if there are no findings.
func Digest(findings ...string) string {
	var without []string
	for _, f := range findings {
		without = append(without, inSource.ReplaceAllString(f, "SOURCE"))
	}
	return DigestWithLines(without...)
}

// inSource matches a place in a source file, which changes with the version of a plugin.
var inSource = regexp.MustCompile(`[\w./\\@~+-]*\w\.(?:cc|cpp|cxx|c|h|hpp|hh|inc|mm|m|cu|rs|go|py)(?::\d+)+\b`)

// DigestWithLines is like Digest, but places in source files count. So they do in the digests of
// waivers for plugins whose devices are needed to make others.
func DigestWithLines(findings ...string) string {
	if len(findings) == 0 {
		return ""
	}
	h := sha256.New()
	for _, f := range findings {
		h.Write([]byte(stable(f) + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil))[:digestLength]
}

// stable returns the first line of a finding without what varies.
func stable(finding string) string {
	line, _, _ := strings.Cut(strings.ToValidUTF8(finding, "\uFFFD"), "\n")
	for _, v := range varying {
		line = v.what.ReplaceAllString(line, v.with)
	}
	return strings.Join(strings.Fields(line), " ")
}

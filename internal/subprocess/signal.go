// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package subprocess

import "regexp"

// signalLine matches how Go's runtime reports a signal. It does so in different forms for C code
// and for Go code.
var signalLine = regexp.MustCompile(`(?m)^(SIG[A-Z0-9]+): |\[signal (SIG[A-Z0-9]+): |^Exception (0x[0-9a-f]+)`)

// SignalIn returns the name of the signal, or the number of the exception, that the last words of
// Go's runtime report, or "".
func SignalIn(trace string) string {
	m := signalLine.FindStringSubmatch(trace)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

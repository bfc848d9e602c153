// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import "github.com/purepjrt/purepjrt/conformance/internal/check"

// knownFailures are the rules that the CPU plugin 0.81 breaks.
var knownFailures = map[string]knownFailure{
	"EVT-09":         {check.Abort, "PJRT_Event_Error of a pending event ends the process"},
	"H2D-20":         {check.Crash, "an upload with neither device nor memory reads through null"},
	"H2D-21":         {check.Warn, "a device of another client is taken without complaint"},
	"H2D-25/INVALID": {check.Abort, "the type INVALID ends the process"},
	"H2D-25/TOKEN":   {check.Abort, "the type TOKEN ends the process"},
	"H2D-26":         {check.Crash, "an upload from null reads through null"},
}

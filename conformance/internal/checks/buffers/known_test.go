// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import "github.com/purepjrt/purepjrt/conformance/internal/check"

// knownFailures are the rules that the CPU plugin 0.81 breaks.
var knownFailures = map[string]knownFailure{
	"EVT-09":           {check.Abort, "PJRT_Event_Error of a pending event ends the process"},
	"H2D-20":           {check.Crash, "an upload with neither device nor memory reads through null"},
	"H2D-21":           {check.Warn, "a device of another client is taken without complaint"},
	"H2D-25/INVALID":   {check.Abort, "the type INVALID ends the process"},
	"H2D-25/TOKEN":     {check.Abort, "the type TOKEN ends the process"},
	"H2D-26":           {check.Crash, "an upload from null reads through null"},
	"D2H-06":           {check.Fail, "host_layout is ignored: row-major bytes come back whatever is asked for"},
	"D2H-07":           {check.Fail, "a column-major device layout is told and not followed: the bytes are row-major"},
	"D2H-08":           {check.Fail, "host_layout is ignored: a column-major result comes back column-major"},
	"D2H-19":           {check.Abort, "asking for the size of a token on the host ends the process"},
	"STR-06/more":      {check.Abort, "more byte_strides than dimensions end the process"},
	"STR-06/fewer":     {check.Abort, "fewer byte_strides than dimensions end the process"},
	"STR-12":           {check.Fail, "minor_to_major that is no permutation is taken"},
	"AH2D-07/count":    {check.Fail, "the index is not compared with the number of buffers"},
	"AH2D-07/negative": {check.Fail, "the index is not compared with the number of buffers"},
	"AH2D-10":          {check.Fail, "the index is not compared with the number of buffers"},
	"AH2D-11":          {check.Fail, "a buffer that was retrieved is retrieved again, and is empty"},
	"AH2D-23/late":     {check.Abort, "an error for a buffer that has its data ends the process"},
	"AH2D-23/twice":    {check.Abort, "a second error for a buffer ends the process"},
	"AH2D-25":          {check.Abort, "metadata that is no string ends the process"},
	"COPY-02":          {check.Warn, "a copy to the buffer's own device succeeds"},
	"COPY-09":          {check.Warn, "a copy to the buffer's own memory succeeds"},
	"COPY-11":          {check.Warn, "a device of another client is taken without complaint"},
	"COPY-12":          {check.Abort, "the copy of a token ends the process"},
	"UNI-17/memory":    {check.Fail, "an alias is fulfilled with a buffer in the memory of another device"},
	"VIEW-03":          {check.Abort, "a view without a callback ends the process when it is destroyed"},
}

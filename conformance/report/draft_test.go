// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestADraftOfWaiversExcusesWhatFailed(t *testing.T) {
	t.Parallel()
	r := sample(t)
	for i := range r.Results {
		if x := &r.Results[i]; x.Verdict.Failed() {
			x.Digest, x.Varies = report.Digest(x.Failures...), x.Check == "EVT-01"
		}
	}
	var b bytes.Buffer
	require.NoError(t, r.WriteWaivers(&b))
	file, err := report.ReadWaivers("draft.json", &b)
	require.NoError(t, err)
	require.True(t, file.Plugin.Matches(&r.Plugin))
	for _, w := range file.Waivers {
		assert.Contains(t, w.Reason, "found: ")
		switch x := r.Result(w.Check); {
		case w.Check == "RUN-01":
			assert.Equal(t, "its verdict differs from run to run", w.Varies)
		case x.Varies:
			assert.Equal(t, "what is found differs from run to run", w.Varies)
		default:
			assert.Equal(t, []string{x.Digest}, w.Digests, w.Check)
		}
	}
	r.Waive([]*report.WaiverFile{file}, r.Started, nil, nil)
	r.Summarize()
	var left []string
	for i := range r.Results {
		if r.Results[i].Broken() {
			left = append(left, r.Results[i].Check)
		}
	}
	assert.Empty(t, left)
	assert.Equal(t, report.BrokenCheck, r.Result("BUF-01").Verdict, "no waiver excuses a fault of the suite")
	assert.Equal(t, report.Waived, r.Result("RUN-01").Verdict, "sometimes")
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// onceVariable names a folder in which checks note that they ran.
const onceVariable = "PJRT_CONFORMANCE_ONCE"

func init() {
	testSuites["same cause"] = func() []check.Check { return sameCause(false) }
	testSuites["same cause, at times"] = func() []check.Check { return sameCause(true) }
}

// sameCause returns six checks that fail for the same reason. If once is set, they pass when they
// run again.
func sameCause(once bool) []check.Check {
	var list []check.Check
	for i := range 6 {
		name := fmt.Sprintf("BUF-%02d", i+1)
		list = append(list, check.Check{Rule: name, Run: func(t *check.T) {
			if once {
				file := filepath.Join(os.Getenv(onceVariable), name)
				if _, err := os.Stat(file); err == nil {
					return
				}
				_ = os.WriteFile(file, nil, 0o600)
			}
			t.Errorf("PJRT_Buffer_Device: INTERNAL: there is no device")
		}})
	}
	return list
}

func TestChecksThatFailForOneReasonAreNotAllRunAgain(t *testing.T) {
	t.Parallel()
	r := run(t, Options{suite: "same cause", Jobs: 1})
	for i := range r.Results {
		x := &r.Results[i]
		assert.Equal(t, report.Fail, x.Verdict)
		if i < 2 {
			assert.Equal(t, []report.Verdict{report.Fail, report.Fail, report.Fail}, x.Attempts, x.Check)
			continue
		}
		assert.Empty(t, x.Attempts, x.Check)
		assert.Contains(t, x.Notes, "it was not run again, because BUF-01, which failed for the same reason, failed again")
	}
}

func TestIfOneOfThemIsFlakyAllAreRunAgain(t *testing.T) {
	t.Setenv(onceVariable, t.TempDir())
	r := run(t, Options{suite: "same cause, at times", Jobs: 1})
	for i := range r.Results {
		assert.Equal(t, report.Flaky, r.Results[i].Verdict, r.Results[i].Check)
	}
}

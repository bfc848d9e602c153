// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

func TestATrialIsNotBlamedForTheProcessThatAnEarlierOneEnded(t *testing.T) {
	t.Parallel()
	o := Options{Plugin: plugintest.Path(t, "cpu"), suite: "late", token: runToken, Jobs: 1}
	c, err := o.config()
	require.NoError(t, err)
	b := driver.NewBench(*c)
	defer b.Close()
	try := func(rule string) report.Verdict {
		for i := range c.Checks {
			if c.Checks[i].Rule == rule {
				r := b.Try(t.Context(), driver.Trial{Check: &c.Checks[i], Setup: c.Setup})
				require.NotNil(t, r)
				return r.Verdict
			}
		}
		t.Fatalf("there is no check of %s", rule)
		return ""
	}
	assert.Equal(t, report.Pass, try("CLI-14"))
	assert.Equal(t, report.Pass, try("BUF-01"))
	assert.Equal(t, report.Pass, try("BUF-02"), "the process exits meanwhile, because of BUF-01")
}

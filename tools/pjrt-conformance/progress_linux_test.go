// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

// A bar is one line that is overwritten, from the line below it. A line that wraps could not be.
func TestProgressOfChecksIsOneLine(t *testing.T) {
	for _, columns := range []uint16{20, 40, 80, 200} {
		master, tty := clitest.OpenPTY(t, columns)
		p := newProgress(cli.Output(tty))
		require.NotNil(t, p.terminal)
		result := &report.Result{Check: strings.Repeat("long/", 40)}
		p.show(conformance.Progress{Phase: "probe"})
		plan := &conformance.Plan{Checks: 770, Compiles: 812, First: time.Second, Compile: time.Minute, Bound: time.Hour}
		p.show(conformance.Progress{Phase: "plan", Plan: plan})
		p.show(conformance.Progress{Phase: "check", Total: 770, Elapsed: time.Second})
		p.show(conformance.Progress{Phase: "check", Done: 385, Failed: 2, Waived: 3, Total: 770, Elapsed: 20 * time.Second, Result: result})
		p.show(conformance.Progress{Phase: "rerun", Total: 2, Elapsed: 30 * time.Second})
		p.end()
		require.NoError(t, tty.Close())
		shown, _ := io.ReadAll(master)
		for frame := range strings.SplitSeq(string(shown), "\x1b[1A\x1b[J") {
			assert.LessOrEqual(t, strings.Count(frame, "\n"), 1, "%q", frame)
			assert.LessOrEqual(t, cli.TextWidth(strings.TrimSpace(frame)), int(columns), "%q", frame)
		}
		assert.True(t, strings.HasSuffix(string(shown), "\x1b[1A\x1b[J"), "the last line is removed")
		if columns < 80 {
			continue
		}
		assert.Contains(t, string(shown), "inspecting the plugin")
		assert.Contains(t, string(shown), "770 checks, about 812 programs to compile (1m0s at 1s each); at most 1h0m0s")
		assert.Regexp(t, `385 / 770 checks, 2 failed, 3 waived \[-+>_+\] 20s, about 20s to go`, string(shown))
		assert.Contains(t, string(shown), "0 / 2 failed checks again, 0 differ")
		assert.Equal(t, columns == 200, strings.Contains(string(shown), "long/"))
	}
}

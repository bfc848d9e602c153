// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnInterruptWritesTheReportOfWhatRan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := exec.CommandContext(t.Context(), command, "conformance", "--plugin", "cpu", "--jobs", "1", "--profile", "full", "--json", "r.json")
	o := finishAfter(t, dir, c, func(p *os.Process) {
		time.Sleep(3 * time.Second)
		assert.NoError(t, p.Signal(os.Interrupt))
	})
	assert.Contains(t, []int{1, 2}, o.status, "%s%s", o.stdout, o.stderr)
	r, err := readReport(filepath.Join(dir, "r.json"))
	require.NoError(t, err, o.stderr)
	assert.True(t, r.Run.Interrupted)
	assert.Positive(t, r.Run.Left)
	assert.NotEmpty(t, r.Results)
}

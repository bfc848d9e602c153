// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestConformanceSharesTheWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the suite several times: make test-all")
	}
	dir := t.TempDir()
	for _, part := range []string{"1/2", "2/2"} {
		o := launch(t, dir, "conformance", "--plugin", "cpu", "--run", "^LOAD-0[1-5]", "--shard", part, "--json", part[:1]+".json")
		require.Zero(t, o.status, o.stderr)
		assert.Contains(t, o.stdout, "only the part "+part+" of the checks was run")
	}
	o := launch(t, dir, "conformance", "merge", "1.json")
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.stderr, "the part 2/2 of the checks is missing")
	o = launch(t, dir, "conformance", "merge", ".", "--json", "whole.json")
	require.Zero(t, o.status, o.stderr)
	whole, err := readReport(filepath.Join(dir, "whole.json"))
	require.NoError(t, err)
	for _, check := range []string{"LOAD-01", "LOAD-02", "LOAD-04", "LOAD-05"} {
		assert.NotNil(t, whole.Result(check), check)
	}

	o = launch(t, dir, "conformance", "--plugin", "cpu", "--failed-from", "whole.json")
	assert.Equal(t, 2, o.status)
	assert.Contains(t, o.stderr, "nothing failed in that report")
	o = launch(t, dir, "conformance", "--plugin", "cpu", "--plan")
	assert.Zero(t, o.status, o.stderr)
	assert.Regexp(t, `^\d{4} checks, about \d{4} programs to compile \(\d+[ms0-9]* at \d+[µm]?s each\)\n$`, o.stdout)
	for _, shard := range []string{"2", "0/2", "3/2", "1/0", "1/2x", "a/b"} {
		o = launch(t, dir, "conformance", "--plugin", "cpu", "--shard", shard)
		assert.Equal(t, 2, o.status, shard)
	}
}

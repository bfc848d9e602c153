// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
)

func TestMergeJoinsThePartsOfARun(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the suite several times: make test-all")
	}
	dir := t.TempDir()
	for _, part := range []string{"1/2", "2/2"} {
		o := tested.Launch(t, dir, "run", "cpu", "--run", "^LOAD-0[1-5]", "--shard", part, "--json", part[:1]+".json")
		require.Zero(t, o.Status, o.Stderr)
		assert.Contains(t, o.Stdout, "only the part "+part+" of the checks was run")
	}
	o := tested.Launch(t, dir, "merge", "1.json")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, "the part 2/2 of the checks is missing")
	o = tested.Launch(t, dir, "merge", ".", "--json", "whole.json")
	require.Zero(t, o.Status, o.Stderr)
	whole, err := report.ReadFile(filepath.Join(dir, "whole.json"))
	require.NoError(t, err)
	for _, check := range []string{"LOAD-01", "LOAD-02", "LOAD-04", "LOAD-05"} {
		assert.NotNil(t, whole.Result(check), check)
	}

	o = tested.Launch(t, dir, "run", "cpu", "--failed-from", "whole.json")
	assert.Equal(t, 2, o.Status)
	assert.Contains(t, o.Stderr, "nothing failed in that report")
	o = tested.Launch(t, dir, "plan", "cpu")
	assert.Zero(t, o.Status, o.Stderr)
	assert.Regexp(t, `^\d{4} checks, about \d{4} programs to compile \(\d+[ms0-9]* at \d+[µm]?s each\); at most \d+m\d+s\n$`, o.Stdout)
	for _, shard := range []string{"2", "0/2", "3/2", "1/0", "1/2x", "a/b"} {
		o = tested.Launch(t, dir, "run", "cpu", "--shard", shard)
		assert.Equal(t, 2, o.Status, shard)
	}
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUninstallRemovesAPluginAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	_, err := b.installer.uninstall(t.Context(), "toy")
	require.ErrorIs(t, err, ErrNotInstalled)
	assert.NoDirExists(t, b.dir, "looking into it creates nothing")

	library, err := b.install(t.Context())
	require.NoError(t, err)
	open, err := os.Open(library) // as a process that has loaded it
	require.NoError(t, err)
	defer open.Close()
	bytes, err := b.installer.uninstall(t.Context(), "toy")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, bytes, int64(len(libraryText)))
	b.requireNothingLeft()
	_, err = b.installer.uninstall(t.Context(), "toy")
	require.ErrorIs(t, err, ErrNotInstalled)
	_, err = b.installer.uninstall(t.Context(), "toyy")
	require.EqualError(t, err, `unknown plugin "toyy": did you mean toy? the known ones are toy`)

	library, err = b.install(t.Context())
	require.NoError(t, err)
	b.requireInstalled(library)
}

func TestTheMeterCountsWhatIsDownloadedAndUnpacked(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	var steps []string
	b.installer.Meter = func(step string, done, total int64) {
		assert.Positive(t, done)
		if step == "toy: unpacking" {
			assert.LessOrEqual(t, done, total)
		}
		if !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	_, err := b.install(t.Context())
	require.NoError(t, err)
	assert.Contains(t, steps, "toy: unpacking")
	dir := t.TempDir()
	put(t, []byte("abc"), dir, "a", "b")
	put(t, []byte("de"), dir, "c")
	sum, largest := sizesBelow(dir)
	assert.Equal(t, []int64{5, 3}, []int64{sum, largest})
	sum, largest = sizesBelow(filepath.Join(dir, "none"))
	assert.Equal(t, []int64{0, 0}, []int64{sum, largest})
}

func TestNoIndexIsNotANetworkFailure(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	b.pip.Stderr = "ERROR: Could not find a version that satisfies the requirement toy-pjrt==1.2.3\n" +
		"ERROR: No matching distribution found for toy-pjrt==1.2.3\n"
	for value, forbidden := range map[string]bool{"": false, "0": false, "false": false, "1": true, "true": true} {
		b.installer.env = append(os.Environ(), actAsPip+"="+marshal(t, b.pip), "PIP_NO_INDEX="+value)
		_, err := b.installer.install(t.Context(), "toy")
		if forbidden {
			require.ErrorIs(t, err, ErrNoIndex)
			require.ErrorContains(t, err, "PIP_NO_INDEX is set, and there is no wheel of toy-pjrt 1.2.3 in PIP_FIND_LINKS")
		} else {
			require.ErrorContains(t, err, "the package index has no wheel of toy-pjrt 1.2.3")
		}
	}
	b.requireNothingLeft()
}

func TestUninstallTakesWhatTheNameOfAKindFinds(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	newer := b.pkg
	newer.Version = "2"
	b.pkg.Name = "toy@1.2.3"
	b.installer.table = []Package{newer, b.pkg}
	_, err := b.install(t.Context())
	require.NoError(t, err)
	_, err = b.installer.uninstall(t.Context(), "toy@2")
	require.ErrorIs(t, err, ErrNotInstalled)
	_, err = b.installer.uninstall(t.Context(), "toy")
	require.NoError(t, err)
	_, err = b.find()
	require.ErrorIs(t, err, ErrNotFound)
	b.installer.table[1].old = true
	_, err = b.install(t.Context())
	require.NoError(t, err)
	_, err = b.installer.uninstall(t.Context(), "toy")
	require.ErrorIs(t, err, ErrNotInstalled, "an old version is only removed by its own name")
}

func TestWhatDeadProcessesLeftIsRemoved(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	id := b.pkg.id(b.pkg.wheels[b.installer.platform])
	leave := func() (live string, dead []string) {
		for _, id := range []string{id, "toy-0.1-000000000000", "held-1-000000000000"} {
			require.NoError(t, os.MkdirAll(filepath.Join(b.dir, stagingPrefix(id)+"1"), 0o755))
			put(t, []byte("12345"), b.dir, stagingPrefix(id)+"1", "wheel")
			dead = append(dead, filepath.Join(b.dir, stagingPrefix(id)+"1"))
		}
		return dead[2], dead[:2]
	}
	live, dead := leave()
	unlock, err := b.installer.lock(t.Context(), "held-1-000000000000")
	require.NoError(t, err)
	defer unlock()
	check := func() {
		t.Helper()
		assert.DirExists(t, live)
		for _, dir := range dead {
			assert.NoDirExists(t, dir)
		}
	}

	bytes, err := b.installer.uninstall(t.Context(), "toy")
	require.NoError(t, err, "half of it was there")
	assert.EqualValues(t, 5, bytes)
	check()
	_, err = b.installer.uninstall(t.Context(), "toy")
	require.ErrorIs(t, err, ErrNotInstalled)
	for range 2 { // the second time, it is installed
		leave()
		_, err = b.install(t.Context())
		require.NoError(t, err)
		check()
	}
	leave()
	bytes, err = b.installer.uninstall(t.Context(), "toy")
	require.NoError(t, err)
	assert.Greater(t, bytes, int64(5+len(libraryText)))
	check()
}

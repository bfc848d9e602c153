// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// device describes a PCI device as Linux does.
func device(t *testing.T, bus, slot, vendor, class string) {
	t.Helper()
	dir := filepath.Join(bus, slot)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vendor"), []byte(vendor+"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "class"), []byte(class+"\n"), 0o644))
}

func TestEnvironmentOfLibtpuDependsOnTheMachine(t *testing.T) {
	t.Parallel()
	bare := t.TempDir()
	device(t, bare, "0", "0x8086", "0x120000")
	device(t, bare, "1", "0x1ae0", "0x020000") // a cloud's network card
	device(t, bare, "2", "0x1ae0", "0x010802") // and its disk
	with := t.TempDir()
	device(t, with, "0", "0x1ae0", "0x020000")
	device(t, with, "1", "0x1ae0", "0x120000")
	quiet := []string{"TPU_LOG_DIR", "TPU_MIN_LOG_LEVEL", "TPU_STDERR_LOG_LEVEL"}
	alone := append(quiet[:3:3], "TPU_SKIP_MDS_QUERY", "ALLOW_MULTIPLE_LIBTPU_LOAD",
		"TPU_ACCELERATOR_TYPE", "TPU_WORKER_HOSTNAMES", "TPU_WORKER_ID")
	for _, c := range []struct {
		plugin, bus string
		want        []string
	}{
		{"tpu", bare, alone},
		{"tpu@0.0.2", bare, alone},
		{"/opt/x/libtpu.so", bare, alone},
		{"tpu", filepath.Join(bare, "no-pci"), alone},
		{"tpu", with, quiet},
		{"cpu", bare, nil},
		{"/opt/libtpu/other.so", bare, nil},
	} {
		var got []string
		for _, v := range environment(c.plugin, c.bus) {
			got = append(got, v.Name)
		}
		assert.Equal(t, c.want, got, c)
	}
}

func TestPrepareSetsOnlyWhatIsUnset(t *testing.T) {
	for _, v := range environment("tpu", "") {
		t.Setenv(v.Name, "") // restores it after the test
		require.NoError(t, os.Unsetenv(v.Name))
	}
	t.Setenv("TPU_MIN_LOG_LEVEL", "0")
	require.NoError(t, Prepare("cpu"))
	assert.Empty(t, os.Getenv("TPU_LOG_DIR"))

	t.Setenv("PJRT_PREPARE", "0")
	require.NoError(t, Prepare("tpu"))
	assert.Empty(t, os.Getenv("TPU_LOG_DIR"), "switched off")

	t.Setenv("PJRT_PREPARE", "")
	require.NoError(t, Prepare("tpu"))
	assert.Equal(t, "disabled", os.Getenv("TPU_LOG_DIR"))
	assert.Equal(t, "0", os.Getenv("TPU_MIN_LOG_LEVEL"), "the user's value stays")
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"bytes"
	"debug/macho"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFlagsAreComparedWithTheLibrary(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	xla := put(t, elfLibrary{exports: aPlugin.exports, data: "XLA_FLAGS\x00xla_dump_to\x00xla_of_tomorrow\x00xla_cpu_enable_fast_math\x00xla_gpu_autotune_level_x\x00"}.bytes(), dir, "xla.so")
	other := put(t, elfLibrary{exports: aPlugin.exports, data: "something else"}.bytes(), dir, "other.so")
	foreign := put(t, machoLibrary(macho.CpuArm64, macho.TypeDylib, []string{"_GetPjrtApi"}, nil, ""), dir, "mac.dylib")
	file := put(t, []byte("--xla_gpu_autotune_level=1"), dir, "flags")
	for _, c := range []struct{ path, value, want string }{
		{xla, "", ""},
		{xla, "--xla_dump_to=/x --xla_cpu_enable_fast_math", ""},
		{xla, "--xla_of_tomorrow=3", ""},
		{xla, "--xla_gpu_autotune_level=1", xla + " has no flag xla_gpu_autotune_level; other versions of XLA have"},
		{xla, file, "has no flag xla_gpu_autotune_level"},
		{xla, "--xla_dump_too=/x", "no known version of XLA has a flag xla_dump_too; did you mean xla_dump_to"},
		{xla, "--dump_to=/x", "no known version of XLA has a flag dump_to"},
		{xla, "-xla_of_tomorrow", "flags begin with two dashes"},
		{xla, "--xla_cpu_enable_fast_math=maybe", "takes true or false"},
		{xla, filepath.Join(dir, "none"), "cannot be read"},
		{other, "--nonsense", ""},
		{other, filepath.Join(dir, "none"), ""},
		{foreign, "--xla_gpu_autotune_level=1", ""},
		{foreign, "--xla_of_tomorrow=3", "no known version of XLA has a flag xla_of_tomorrow"},
		{filepath.Join(dir, "missing.so"), "--nonsense", "no known version"},
	} {
		err := checkFlags(c.path, c.value)
		if c.want == "" {
			assert.NoError(t, err, c)
			continue
		}
		assert.ErrorContains(t, err, c.want)
	}
}

func TestCheckXLAFlagsReadsTheEnvironment(t *testing.T) {
	path := put(t, elfLibrary{exports: aPlugin.exports, data: "XLA_FLAGS"}.bytes(), t.TempDir(), "xla.so")
	t.Setenv("XLA_FLAGS", "--nonsense")
	want := "XLA_FLAGS: no known version of XLA has a flag nonsense (PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 passes any flag on)"
	require.EqualError(t, CheckXLAFlags(path), want)
	require.EqualError(t, Prepare(path), want)
	t.Setenv("PJRT_ALLOW_UNKNOWN_XLA_FLAGS", "1")
	require.NoError(t, CheckXLAFlags(path))
	t.Setenv("PJRT_ALLOW_UNKNOWN_XLA_FLAGS", "")
	t.Setenv("XLA_FLAGS", "")
	require.NoError(t, CheckXLAFlags(path))
}

func TestScannerFindsNamesAcrossPieces(t *testing.T) {
	t.Parallel()
	const chunk = 1 << 20
	for offset := chunk - 20; offset < chunk+20; offset++ {
		data := make([]byte, chunk+100)
		copy(data[offset:], "xla_name")
		s := scanner{want: []string{"xla_name", "xla_nam", ""}, there: map[string]bool{}}
		require.NoError(t, s.scan(bytes.NewReader(data)))
		require.Equal(t, map[string]bool{"xla_name": true}, s.there, offset)
	}
	s := scanner{want: []string{"end"}, there: map[string]bool{}}
	require.NoError(t, s.scan(strings.NewReader("ends end")))
	assert.True(t, s.there["end"], "the data may end there")
	require.NoError(t, s.scan(strings.NewReader("")))
	s = scanner{want: []string{"x"}, there: map[string]bool{}}
	require.Error(t, s.scan(iotest.ErrReader(os.ErrInvalid)))
}

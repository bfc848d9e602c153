// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xlaflags

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// library writes an ELF file that contains only read-only data.
func library(t *testing.T, name string, data ...string) string {
	t.Helper()
	le := binary.LittleEndian
	rodata := strings.Join(data, "\x00") + "\x00"
	names := "\x00.rodata\x00.shstrtab\x00"
	var b bytes.Buffer
	head := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: 64 + uint64(len(rodata)+len(names)),
		Ehsize: 64, Shentsize: 64, Shnum: 3, Shstrndx: 2,
	}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	require.NoError(t, binary.Write(&b, le, head))
	b.WriteString(rodata + names)
	require.NoError(t, binary.Write(&b, le, []elf.Section64{
		{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Off: 64, Size: uint64(len(rodata))},
		{Name: 9, Type: uint32(elf.SHT_STRTAB), Off: 64 + uint64(len(rodata)), Size: uint64(len(names))},
	}))
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	return path
}

func TestFlagsAreComparedWithTheLibrary(t *testing.T) {
	t.Parallel()
	xla := library(t, "xla.so", "XLA_FLAGS", "xla_dump_to", "xla_of_tomorrow", "xla_cpu_enable_fast_math", "xla_gpu_autotune_level_x")
	other := library(t, "other.so", "something else")
	foreign := filepath.Join(t.TempDir(), "mac.dylib")
	require.NoError(t, os.WriteFile(foreign, []byte("\xcf\xfa\xed\xfe XLA_FLAGS"), 0o644))
	file := filepath.Join(t.TempDir(), "flags")
	require.NoError(t, os.WriteFile(file, []byte("--xla_gpu_autotune_level=1"), 0o644))
	for _, c := range []struct{ path, value, want string }{
		{xla, "", ""},
		{xla, "--xla_dump_to=/x --xla_cpu_enable_fast_math", ""},
		{xla, "--xla_of_tomorrow=3", ""},
		{xla, "--xla_gpu_autotune_level=1", xla + " has no flag xla_gpu_autotune_level, but other versions of XLA have it"},
		{xla, file, "has no flag xla_gpu_autotune_level"},
		{xla, "--xla_dump_too=/x", "no known version of XLA has a flag xla_dump_too; did you mean xla_dump_to"},
		{xla, "--dump_to=/x", "no known version of XLA has a flag dump_to"},
		{xla, "-xla_of_tomorrow", "flags begin with two dashes"},
		{xla, "--xla_cpu_enable_fast_math=maybe", "takes true or false"},
		{xla, filepath.Join(filepath.Dir(file), "none"), "cannot be read"},
		{other, "--nonsense", ""},
		{other, filepath.Join(filepath.Dir(file), "none"), ""},
		{foreign, "--xla_gpu_autotune_level=1", ""},
		{foreign, "--xla_of_tomorrow=3", "no known version of XLA has a flag xla_of_tomorrow"},
		{filepath.Join(filepath.Dir(file), "missing.so"), "--nonsense", "no known version"},
	} {
		err := checkLibrary(c.path, c.value)
		if c.want == "" {
			assert.NoError(t, err, c)
			continue
		}
		assert.ErrorContains(t, err, c.want)
	}
}

func TestCheckLibraryReadsTheEnvironment(t *testing.T) {
	path := library(t, "xla.so", "XLA_FLAGS")
	t.Setenv("XLA_FLAGS", "--nonsense")
	require.EqualError(t, CheckLibrary(path), "XLA_FLAGS: no known version of XLA has a flag nonsense (PJRT_ALLOW_UNKNOWN_XLA_FLAGS=1 passes any flag on)")
	t.Setenv("PJRT_ALLOW_UNKNOWN_XLA_FLAGS", "1")
	require.NoError(t, CheckLibrary(path))
	t.Setenv("PJRT_ALLOW_UNKNOWN_XLA_FLAGS", "")
	t.Setenv("XLA_FLAGS", "")
	require.NoError(t, CheckLibrary(path))
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

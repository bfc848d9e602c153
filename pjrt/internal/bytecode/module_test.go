// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package bytecode_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
)

type function = bytecode.Function

// cpu is a compiler with checks.
var cpu = dataflow.Compiler{Minor: 81, MLIR: true}

var modules = map[string]struct {
	functions []function
	tensor    bytecode.Tensor // one of them
}{
	"calls":     {[]function{{"main", true, []int{1}}, {"g", true, nil}}, bytecode.Tensor{Dims: []int64{}}},
	"declared":  {[]function{{"main", true, []int{1}}, {"g", false, nil}}, bytecode.Tensor{Dims: []int64{}}},
	"recursion": {[]function{{"main", true, []int{1}}, {"g", true, []int{0}}}, bytecode.Tensor{Dims: []int64{}}},
	"huge":      {[]function{{"main", true, nil}}, bytecode.Tensor{Dims: []int64{1 << 50, 16}}},
	"dynamic":   {[]function{{"main", true, nil}}, bytecode.Tensor{Dims: []int64{bytecode.Dynamic, 3}}},
	"bounded":   {[]function{{"main", true, nil}}, bytecode.Tensor{Dims: []int64{bytecode.Dynamic, 3}, Encoded: true}},
	"regions":   {[]function{{"main", true, []int{1}}, {"h", true, nil}, {"alone", true, []int{2}}}, bytecode.Tensor{Dims: []int64{}}},
	"permute":   {[]function{{"main", true, nil}}, bytecode.Tensor{Dims: []int64{}}},
	"splat":     {[]function{{"main", true, nil}}, bytecode.Tensor{Dims: []int64{}}},
	"composite": {[]function{{"main", true, []int{1}}, {"impl", true, nil}}, bytecode.Tensor{Dims: []int64{}}},
}

// permuted has the numbers in the collective permutes, by module.
var permuted = map[string][]int64{"permute": {0, 3, 3, 1}, "splat": {2}}

func files(t testing.TB, name string) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/" + name + "*.mlirbc")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	code, err := os.ReadFile(file)
	require.NoError(t, err)
	return code
}

func tensors(m *bytecode.Module) (list []bytecode.Tensor) {
	for t := range m.Tensors() {
		t.Dims = append([]int64{}, t.Dims...)
		list = append(list, t)
	}
	return list
}

func TestModulesOfAllVersionsAreRead(t *testing.T) {
	t.Parallel()
	for name, want := range modules {
		for _, file := range files(t, name) {
			m, err := bytecode.Read(context.Background(), read(t, file), cpu)
			require.NoError(t, err, file)
			assert.Equal(t, want.functions, m.Functions, file)
			assert.Contains(t, tensors(m), want.tensor, file)
			assert.Equal(t, permuted[name], m.Permuted, file)
		}
	}
}

// Programs from JAX, with control flow, constants and attributes of all kinds.
func TestLargerProgramsAreRead(t *testing.T) {
	t.Parallel()
	list, err := filepath.Glob("../../../tools/pjrt/testdata/programs/*/program.mlirbc")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list), 5)
	for _, file := range list {
		m, err := bytecode.Read(context.Background(), read(t, file), cpu)
		require.NoError(t, err, file)
		require.NotEmpty(t, m.Functions, file)
		assert.Equal(t, "main", m.Functions[0].Name, file)
		assert.NotEmpty(t, tensors(m), file)
		for _, f := range m.Functions {
			assert.True(t, f.HasBody, "%s: %s", file, f.Name)
		}
	}
}

func TestDamagedModulesAreAnError(t *testing.T) {
	t.Parallel()
	for name := range modules {
		for _, file := range files(t, name) {
			code := read(t, file)
			for n := range code {
				_, err := bytecode.Read(context.Background(), code[:n], cpu)
				require.Error(t, err, "%s cut off after %d bytes", file, n)
			}
			// Other damage may go unnoticed, but must not cause a panic.
			for i := range code {
				for _, bit := range []byte{1, 16, 128, 255} {
					damaged := append([]byte(nil), code...)
					damaged[i] ^= bit
					_, _ = bytecode.Read(context.Background(), damaged, cpu)
				}
			}
		}
	}
}

func TestHugeCountsTakeNoMemory(t *testing.T) {
	t.Parallel()
	huge := []byte{0, 255, 255, 255, 255, 255, 255, 255, 127} // a number of nine bytes
	for section := range byte(9) {
		code := append([]byte(bytecode.Magic), 13, 0, section, byte(2*len(huge)+1))
		_, err := bytecode.Read(context.Background(), append(code, huge...), cpu)
		require.Error(t, err)
	}
}

func FuzzRead(f *testing.F) {
	for name := range modules {
		for _, file := range files(f, name) {
			f.Add(read(f, file))
		}
	}
	f.Fuzz(func(_ *testing.T, code []byte) {
		_, _ = bytecode.Read(context.Background(), code, cpu)
	})
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack_test

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "github.com/purepjrt/purepjrt/extensions/ffi/lapack"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest/cputest"
)

// array is an array as testdata/export.py writes it.
type array struct {
	Type string
	Dims []int64
	Data []*float64 // nil is NaN
}

func (a array) values() []float64 {
	list := make([]float64, len(a.Data))
	for i, v := range a.Data {
		list[i] = math.NaN()
		if v != nil {
			list[i] = *v
		}
	}
	return list
}

func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	return cputest.Client(t)
}

// run runs a program of testdata.
func run(t testing.TB, client *pjrt.Client, name string, args []array) ([]pjrt.HostArray, error) {
	t.Helper()
	code, err := os.ReadFile(filepath.Join("testdata", name+".mlir"))
	require.NoError(t, err)
	exe, err := client.Compile(context.Background(), pjrt.Program{Code: code}, nil)
	require.NoError(t, err)
	defer exe.Close()
	return execute(t, client, exe, args)
}

func execute(t testing.TB, client *pjrt.Client, exe *pjrt.LoadedExecutable, args []array) ([]pjrt.HostArray, error) {
	t.Helper()
	ctx := context.Background()
	var given []*pjrt.Buffer
	for _, a := range args {
		var b *pjrt.Buffer
		var err error
		if a.Type == "float32" {
			list := make([]float32, len(a.Data))
			for i, v := range a.values() {
				list[i] = float32(v)
			}
			b, err = pjrt.FromSlice(ctx, client, list, a.Dims...)
		} else {
			b, err = pjrt.FromSlice(ctx, client, a.values(), a.Dims...)
		}
		require.NoError(t, err)
		defer b.Close()
		given = append(given, b)
	}
	outs, err := exe.Execute(ctx, given, nil)
	if err != nil {
		return nil, err
	}
	var results []pjrt.HostArray
	for _, b := range outs {
		h, err := b.ToHost(ctx)
		require.NoError(t, err)
		b.Close()
		results = append(results, h)
	}
	return results, nil
}

// widened returns the elements of an array as numbers.
func widened(t testing.TB, a pjrt.HostArray) []float64 {
	t.Helper()
	n, err := a.Shape().Len()
	require.NoError(t, err)
	list := make([]float64, n)
	require.NoError(t, dtype.Convert(dtype.Bytes(list), dtype.F64, a.Data, a.Type))
	return list
}

// signs flips each vector whose first element of noticeable size is negative. Vectors
// are the columns of the last two dimensions, or the rows.
func signs(values []float64, dims []int64, rows bool) {
	n := len(dims)
	r, c := int(dims[n-2]), int(dims[n-1])
	for m := 0; m < len(values); m += r * c {
		vectors, length := c, r
		if rows {
			vectors, length = r, c
		}
		at := func(v, i int) *float64 {
			if rows {
				return &values[m+v*c+i]
			}
			return &values[m+i*c+v]
		}
		for v := range vectors {
			for i := range length {
				if x := *at(v, i); math.Abs(x) > 1e-3 {
					if x < 0 {
						for j := range length {
							*at(v, j) = -*at(v, j)
						}
					}
					break
				}
			}
		}
	}
}

// vectors says which results of a program have vectors of arbitrary sign, as columns
// or rows.
func vectors(name string) map[int]string {
	switch {
	case strings.HasPrefix(name, "svd_values"), strings.HasPrefix(name, "eigh_values"):
		return nil
	case strings.HasPrefix(name, "svd"):
		return map[int]string{0: "columns", 2: "rows"}
	case strings.HasPrefix(name, "eigh"):
		return map[int]string{1: "columns"}
	case strings.HasPrefix(name, "qr"):
		return map[int]string{0: "columns", 1: "rows"}
	}
	return nil
}

// The artifacts name custom_call_v2, which plugins before API 0.115 do not read: those read the
// artifacts that were written for an older version.
func TestArtifactsOfJAX012RunAndAgreeWithJAX(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "pjrt", "testdata", "jax-0.12")
	text, err := os.ReadFile(filepath.Join(folder, "programs.json"))
	require.NoError(t, err)
	var all struct {
		Programs map[string]struct{ Args, Results []array }
	}
	require.NoError(t, json.Unmarshal(text, &all))
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		client := newClient(t)
		for _, name := range []string{"svd", "cholesky", "solve"} {
			want := all.Programs[name]
			require.NotEmpty(t, want.Results, name)
			files := []string{name + "-1.13.3.mlirbc"}
			if cputest.Age(t) >= 115 {
				files = append(files, name+".mlirbc")
			}
			for _, file := range files {
				code, err := os.ReadFile(filepath.Join(folder, file))
				require.NoError(t, err)
				exe, err := client.Compile(t.Context(), pjrt.Program{Code: code}, nil)
				require.NoError(t, err, file)
				defer exe.Close()
				results, err := execute(t, client, exe, want.Args)
				require.NoError(t, err, file)
				require.Len(t, results, len(want.Results), file)
				for i, r := range results {
					assert.InDeltaSlice(t, want.Results[i].values(), widened(t, r), 1e-5, "%s: result %d", file, i)
				}
			}
		}
	})
}

func TestProgramsOfJAXRunAndAgreeWithJAX(t *testing.T) {
	client := newClient(t)
	text, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var cases map[string]struct{ Arguments, Results []array }
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Len(t, cases, 40)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		t.Run(name, func(t *testing.T) {
			c := cases[name]
			results, err := run(t, client, name, c.Arguments)
			require.NoError(t, err)
			require.Len(t, results, len(c.Results))
			tolerance := 1e-10
			if strings.HasSuffix(name, "float32") {
				tolerance = 2e-4
			}
			for i, want := range c.Results {
				got, expected := widened(t, results[i]), want.values()
				require.Equal(t, want.Dims, append([]int64{}, results[i].Dims...))
				if v := vectors(name)[i]; v != "" {
					signs(got, want.Dims, v == "rows")
					signs(expected, want.Dims, v == "rows")
				}
				for j := range expected {
					if math.IsNaN(expected[j]) {
						assert.True(t, math.IsNaN(got[j]), "result %d", i)
						continue
					}
					assert.InDelta(t, expected[j], got[j], tolerance*max(1, math.Abs(expected[j])), "result %d, element %d", i, j)
				}
			}
		})
	}
}

func TestProgramsOfComplexNumbersDoNotCompileAndSayWhy(t *testing.T) {
	client := newClient(t)
	for _, name := range []string{"complex_eigh_complex64", "complex_eigh_complex128"} {
		code, err := os.ReadFile(filepath.Join("testdata", name+".mlir"))
		require.NoError(t, err)
		_, err = client.Compile(context.Background(), pjrt.Program{Code: code}, nil)
		require.ErrorIs(t, err, pjrt.ErrNotFound)
		require.ErrorContains(t, err, "extensions/ffi/lapack has handlers for f32 and f64 only")
	}
}

func TestMatricesOfNaNGiveNaN(t *testing.T) {
	client := newClient(t)
	nan := array{Type: "float64", Dims: []int64{5, 5}, Data: make([]*float64, 25)}
	for _, name := range []string{"cholesky_float64", "eigh_values_float64"} {
		results, err := run(t, client, name, []array{nan})
		require.NoError(t, err)
		assert.True(t, math.IsNaN(widened(t, results[0])[0]), name)
	}
	nan.Dims, nan.Data = []int64{4, 4}, nan.Data[:16]
	results, err := run(t, client, "svd_values_float64", []array{nan})
	require.NoError(t, err)
	assert.True(t, math.IsNaN(widened(t, results[0])[0]))
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package lapack_test

import (
	"context"
	"encoding/json"
	"fmt"
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

// host returns the array as the program takes it. A complex number is two elements.
func (a array) host(t testing.TB) pjrt.HostArray {
	t.Helper()
	values := a.values()
	switch a.Type {
	case "float64", "complex128":
		typ := dtype.F64
		if a.Type == "complex128" {
			typ = dtype.C128
		}
		return pjrt.HostArray{Type: typ, Dims: a.Dims, Data: dtype.Bytes(values)}
	}
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	typ := dtype.F32
	if a.Type == "complex64" {
		typ = dtype.C64
	}
	return pjrt.HostArray{Type: typ, Dims: a.Dims, Data: dtype.Bytes(narrow)}
}

func newClient(t testing.TB) *pjrt.Client {
	t.Helper()
	return plugintest.Client(t)
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
		b, err := client.BufferFromHost(ctx, a.host(t), nil)
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

// widened returns the elements of an array as numbers, two of each complex one.
func widened(t testing.TB, a pjrt.HostArray) []float64 {
	t.Helper()
	n, err := a.Shape().Len()
	require.NoError(t, err)
	to := dtype.F64
	if a.Type == dtype.C64 || a.Type == dtype.C128 {
		n, to = 2*n, dtype.C128
	}
	list := make([]float64, n)
	require.NoError(t, dtype.Convert(dtype.Bytes(list), to, a.Data, a.Type))
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
			if plugintest.Age(t) >= 115 {
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

// programs returns the names of the programs in testdata.
func programs(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.mlir")
	require.NoError(t, err)
	return files
}

func TestProgramsOfJAXRunAndAgreeWithJAX(t *testing.T) {
	client := newClient(t)
	text, err := os.ReadFile("testdata/cases.json")
	require.NoError(t, err)
	var cases map[string]struct{ Arguments, Results []array }
	require.NoError(t, json.Unmarshal(text, &cases))
	require.Len(t, cases, len(programs(t)))
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		if testing.Short() && i%4 != 0 {
			continue // the tests of the engines prove the numbers; this one proves how they are called
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := cases[name]
			results, err := run(t, client, name, c.Arguments)
			require.NoError(t, err)
			require.Len(t, results, len(c.Results))
			tolerance := 1e-10
			if strings.HasSuffix(name, "float32") || strings.HasSuffix(name, "complex64") {
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

// These are the names for which jaxlib 0.10 to 0.12 registers handlers.
func TestEachLinearAlgebraCallOfJAXHasAHandler(t *testing.T) {
	client := newClient(t)
	names := []string{"tridiagonal_solve_perturbed_ffi"}
	for letters, calls := range map[string]string{
		"sdcz": "potrf gesdd gesvd geqrf geqp3 getrf trsm geev gees gehrd gtsv",
		"sd":   "syevd orgqr ormqr sytrd",
		"cz":   "heevd ungqr unmqr hetrd",
	} {
		for _, letter := range letters {
			for _, call := range strings.Fields(calls) {
				names = append(names, "lapack_"+string(letter)+call+"_ffi")
			}
		}
	}
	require.Len(t, names, 61)
	var program strings.Builder
	program.WriteString("func.func @main() {\n")
	for _, name := range names {
		program.WriteString("stablehlo.custom_call @" + name + "() {api_version = 4 : i32, has_side_effect = true} : () -> ()\n")
	}
	program.WriteString("return\n}\n")
	exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(program.String())}, nil)
	require.NoError(t, err)
	require.NoError(t, exe.Close())
}

// Eigenvalues are never sorted in JAX, so a program that asks for it comes from elsewhere.
func TestAWrongAttributeIsAnErrorOfTheExecution(t *testing.T) {
	client := newClient(t)
	for attributes, want := range map[string]string{
		"mode = 86 : ui8, sort = 83 : ui8": "the attribute sort is 'S'",
		"mode = 65 : ui8, sort = 78 : ui8": "the attribute mode is 'A', which LAPACK does not know",
	} {
		exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(`func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0:6 = stablehlo.custom_call @lapack_sgees_ffi(%a) {api_version = 4 : i32, backend_config = {` + attributes + `}} : (tensor<2x2xf32>) ->
    (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>, tensor<i32>)
  return %0#0 : tensor<2x2xf32>
}`)}, nil)
		require.NoError(t, err)
		defer exe.Close()
		_, err = execute(t, client, exe, []array{{Type: "float32", Dims: []int64{2, 2}, Data: make([]*float64, 4)}})
		require.ErrorContains(t, err, want)
	}
}

func TestMatricesOfNaNGiveNaN(t *testing.T) {
	client := newClient(t)
	nan := array{Type: "float64", Dims: []int64{5, 5}, Data: make([]*float64, 25)}
	for _, name := range []string{"cholesky_float64", "eigh_values_float64", "all_eig_float64"} {
		if name == "all_eig_float64" {
			nan.Dims, nan.Data = []int64{2, 5, 5}, make([]*float64, 50)
		}
		results, err := run(t, client, name, []array{nan})
		require.NoError(t, err)
		assert.True(t, math.IsNaN(widened(t, results[0])[0]), name)
	}
	nan.Dims, nan.Data = []int64{4, 4}, nan.Data[:16]
	results, err := run(t, client, "svd_values_float64", []array{nan})
	require.NoError(t, err)
	assert.True(t, math.IsNaN(widened(t, results[0])[0]))
}

// Programs of JAX 0.4 have an argument that the right sides are multiplied by.
func TestTriangularSolveTakesAFactor(t *testing.T) {
	client := newClient(t)
	program := func(letter, typ, diag string, factors ...string) *pjrt.LoadedExecutable {
		t.Helper()
		const column = "dense<[0, 1]> : tensor<2xindex>"
		var constants strings.Builder
		operands, types, layouts := "%a, %b", "tensor<2x2xT>, tensor<2x2xT>", column+", "+column
		for i, f := range factors {
			of, layout := "tensor<T>", "dense<> : tensor<0xindex>"
			if strings.HasPrefix(f, "[") {
				of, layout = "tensor<2xT>", "dense<0> : tensor<1xindex>"
			}
			fmt.Fprintf(&constants, "  %%f%d = stablehlo.constant dense<%s> : %s\n", i, f, of)
			operands, types, layouts = fmt.Sprintf("%s, %%f%d", operands, i), types+", "+of, layouts+", "+layout
		}
		code := "func.func @main(%a: tensor<2x2xT>, %b: tensor<2x2xT>) -> tensor<2x2xT> {\n" + constants.String() +
			"  %x = stablehlo.custom_call @lapack_" + letter + "trsm_ffi(" + operands + ") {api_version = 4 : i32, " +
			"backend_config = {diag = " + diag + " : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, " +
			"operand_layouts = [" + layouts + "], result_layouts = [" + column + "]} : (" + types + ") -> tensor<2x2xT>\n" +
			"  return %x : tensor<2x2xT>\n}\n"
		exe, err := client.Compile(t.Context(), pjrt.Program{Code: []byte(strings.ReplaceAll(code, "T", typ))}, nil)
		require.NoError(t, err)
		t.Cleanup(func() { exe.Close() })
		return exe
	}
	const unit, given = "85", "78" // the diagonal is of ones, or as in the matrix
	matrix := func(typ string, values ...float64) array {
		a := array{Type: typ, Dims: []int64{2, 2}}
		for _, v := range values {
			a.Data = append(a.Data, &v)
			if strings.HasPrefix(typ, "complex") {
				a.Data = append(a.Data, new(float64))
			}
		}
		return a
	}
	for _, test := range []struct{ letter, typ, name, factor string }{
		{"s", "f32", "float32", "3.0"}, {"d", "f64", "float64", "3.0"},
		{"c", "complex<f32>", "complex64", "(3.0,0.0)"}, {"z", "complex<f64>", "complex128", "(3.0,0.0)"},
	} {
		a, b := matrix(test.name, 2, 0, 1, 4), matrix(test.name, 2, 4, 5, 6)
		results, err := execute(t, client, program(test.letter, test.typ, given, test.factor), []array{a, b})
		require.NoError(t, err, test.name)
		want := array{Type: test.name, Data: matrix(test.name, 3, 6, 3, 3).Data}
		assert.Equal(t, want.values(), widened(t, results[0]), test.name)
	}
	// An infinity stays what it is: times the complex number 1 it would have a NaN beside it.
	infinite := matrix("complex64", math.Inf(1), 0, 0, 1)
	for _, factors := range [][]string{nil, {"(1.0,0.0)"}} {
		results, err := execute(t, client, program("c", "complex<f32>", unit, factors...), []array{matrix("complex64", 1, 0, 0, 1), infinite})
		require.NoError(t, err)
		assert.Equal(t, []float64{math.Inf(1), 0}, widened(t, results[0])[:2], factors)
	}
	for want, factors := range map[string][]string{
		"argument 2 has the dimensions [2]": {"[3.0, 1.0]"}, "the call has 4 arguments": {"3.0", "3.0"},
	} {
		_, err := execute(t, client, program("s", "f32", given, factors...), []array{matrix("float32", 2, 0, 1, 4), matrix("float32", 2, 4, 5, 6)})
		assert.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, want)
	}
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// spmd is a matrix product on two devices, each of which has half of the rows.
const spmd = `module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}, %w: tensor<2x2xf32> {mhlo.sharding = "{replicated}"})
      -> (tensor<4x2xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) {
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
    return %y : tensor<4x2xf32>
  }
}`

func TestRunReadsStandardInput(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	program, err := os.Open(filepath.Join(dir, "add.mlir"))
	require.NoError(t, err)
	defer program.Close()
	c := exec.CommandContext(t.Context(), command, "run", "-", "f32.npy", "f32.npy")
	c.Stdin = program
	o := finish(t, dir, c)
	o.requireSuccess(t)
	assert.Contains(t, o.stdout, "out0: f32[4]\n[2. 4. 6. 8.]\n")

	finish(t, dir, exec.CommandContext(t.Context(), command, "run", "-")).requireFailure(t, 1, "program: standard input is empty")
}

func TestRunLoadsWhatCompileWrote(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	launch(t, dir, "compile", "--out", "add.bin", "add.mlir").requireSuccess(t)
	o := launch(t, dir, "run", "--repeat", "3", "add.bin", "f32.npy", "f32.npy")
	o.requireSuccess(t)
	assert.Regexp(t, `^out0: f32\[4\]\n\[2\. 4\. 6\. 8\.\]\nout1: .*\n.*\n`+
		`loaded in \S+, first run \S+, 2 more: least \S+, median \S+, mean \S+, most \S+\n$`, o.stdout)
	launch(t, dir, "run", "add.bin", "i64.npy", "f32.npy").requireFailure(t, 1,
		"argument 0: i64.npy is i64[4], and the program takes f32[4]")
	launch(t, dir, "run", "--partitions", "2", "add.bin").requireFailure(t, 2, "add.bin is already compiled")

	whole, err := os.ReadFile(filepath.Join(dir, "add.bin"))
	require.NoError(t, err)
	whole[len(whole)/2] ^= 1
	write(t, dir, "damaged.bin", string(whole))
	launch(t, dir, "run", "damaged.bin", "f32.npy", "f32.npy").requireFailure(t, 1, "load damaged.bin: ")
}

func TestRunOnAChosenDevice(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	launch(t, dir, "compile", "--out", "add.bin", "add.mlir").requireSuccess(t)
	for _, program := range []string{"add.mlir", "add.bin"} {
		o := launch(t, dir, "run", "--device", "3", program, "f32.npy", "f32.npy")
		o.requireSuccess(t)
		assert.Contains(t, o.stdout, "[2. 4. 6. 8.]")
	}
	launch(t, dir, "run", "--device", "4", "add.mlir", "f32.npy", "f32.npy").requireFailure(t, 1,
		"--device 4: the client has no such device: its devices are 0, 1, 2, 3")

	launch(t, dir, "compile", "--replicas", "2", "--out", "two.bin", "add.mlir").requireSuccess(t)
	launch(t, dir, "run", "--device", "1", "two.bin", "f32.npy", "f32.npy").requireFailure(t, 1,
		"--device 1 is for a program that runs on one device: load two.bin: ")
}

func TestRunInParts(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	write(t, dir, "spmd.mlir", spmd)
	save(t, dir, "upper.npy", []float32{1, 2, 3, 4}, 2, 2)
	save(t, dir, "lower.npy", []float32{5, 6, 7, 8}, 2, 2)
	save(t, dir, "w.npy", []float32{0, 10, 1, 0}, 2, 2)
	o := launch(t, dir, "run", "--partitions", "2", "--out", "out", "spmd.mlir", "upper.npy,lower.npy", "w.npy")
	require.Zero(t, o.status, o.stderr) // XLA warns about the shardings
	assert.Equal(t, "out0 of part 0: f32[2,2]\n[[ 2. 10.]\n [ 4. 30.]]\nout0 of part 1: f32[2,2]\n[[ 6. 50.]\n [ 8. 70.]]\n", o.stdout)
	a, err := npy.ReadFile(filepath.Join(dir, "out", "out0.1.npy"))
	require.NoError(t, err)
	got, err := array.ToSlice[float32](a)
	require.NoError(t, err)
	assert.Equal(t, []float32{6, 50, 8, 70}, got)

	o = launch(t, dir, "run", "--partitions", "2", "spmd.mlir", "upper.npy,lower.npy,w.npy", "w.npy")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stderr, "argument 0 has 3 files, and the program has 2 parts: give one file for all, or one for each")
}

func TestRunDividesWholeArraysAmongDevices(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	write(t, dir, "spmd.mlir", spmd)
	save(t, dir, "x.npy", []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)
	save(t, dir, "w.npy", []float32{0, 10, 1, 0}, 2, 2)
	save(t, dir, "row.npy", []float32{1, 2}, 1, 2)
	const product = "out0: f32[4,2]\n[[ 2. 10.]\n [ 4. 30.]\n [ 6. 50.]\n [ 8. 70.]]\n"
	for _, flags := range []string{"", "--partitions 2 "} {
		o := launch(t, dir, append([]string{"run"}, strings.Fields(flags+"spmd.mlir x.npy w.npy")...)...)
		require.Zero(t, o.status, o.stderr) // XLA warns about the shardings
		assert.Equal(t, product, o.stdout)
	}
	o := launch(t, dir, "run", "--fill", "ones", "--repeat", "2", "spmd.mlir", "x.npy")
	require.Zero(t, o.status, o.stderr)
	assert.Contains(t, o.stdout, "[[ 3.  3.]\n [ 7.  7.]\n [11. 11.]\n [15. 15.]]\ncompiled in ")
	launch(t, dir, "run", "spmd.mlir", "row.npy", "w.npy").requireFailure(t, 1, "argument 0: row.npy")
	o = launch(t, dir, "run", "--partitions", "4", "spmd.mlir", "x.npy", "w.npy")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stderr, "states that it is for 2 partitions, and the compile options ask for 4: leave --partitions out, or set it to 2")
}

func TestRunTakesOptionsAndFlags(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	o := launch(t, dir, "run", "--option", "cpu_device_count=1", "--flag", "xla_cpu_use_xnnpack=true", "--fill", "ones", "add.mlir")
	require.Zero(t, o.status, o.stderr) // the plugin logs the option
	assert.Contains(t, o.stdout, "out0: f32[4]\n[2. 2. 2. 2.]\n")
	for args, want := range map[string]string{
		"--option cpu_device_number=2": `no create option "cpu_device_number"; did you mean cpu_device_count?`,
		"--option nonsense=2":          "process_id. Use --allow-unknown to pass it on",
		"--flag xla_cpu_use_xnnpac=1":  "xla_cpu_use_xnnpac",
		// The plugin has the last word.
		"--allow-unknown --flag xla_nonsense=true": "No such compile option: 'xla_nonsense'",
	} {
		o := launch(t, dir, append([]string{"run", "--fill", "ones", "add.mlir"}, strings.Fields(args)...)...)
		o.requireFailure(t, 1, want)
	}
	o = launch(t, dir, "run", "--fill", "ones", "--allow-unknown", "--option", "nonsense=2", "add.mlir")
	if plugintest.Age(t) > 106 {
		o.requireFailure(t, 1, "PJRT_Client_Create: INVALID_ARGUMENT: Unexpected option name")
	} else { // those of API 0.81 and 0.106 ignore what they do not know
		assert.Zero(t, o.status, o.stderr)
	}
}

func TestRunFlagMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--device -1 x":               "--device is -1",
		"--device 0 --partitions 2 x": "leave it out with --partitions",
		"--partitions -1 x":           "--partitions is -1",
		"--repeat 0 x":                "--repeat is 0",
		"--fill twos x":               "--fill twos: use one of zeros, ones, iota, random",
		"--flag a add.mlir":           "--flag a: write it as NAME=VALUE",
		"--option a add.mlir":         "--option a: ",
	} {
		launch(t, workplace(t), append([]string{"run"}, strings.Fields(args)...)...).requireFailure(t, 2, want)
	}
}

func TestFilledArrays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind string
		t    dtype.Type
		dims []int64
		want string
	}{
		"zeros":   {"zeros", dtype.F32, []int64{2}, "[0. 0.]"},
		"scalar":  {"ones", dtype.F64, nil, "1.0"},
		"complex": {"ones", dtype.C64, []int64{1}, "[1.+0.j]"},
		"iota":    {"iota", dtype.BF16, []int64{2, 2}, "[[0 1]\n [2 3]]"},
		"wraps":   {"iota", dtype.S2, []int64{3}, "[0 1 -2]"},
		"empty":   {"random", dtype.S32, []int64{0, 3}, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := filled(c.kind, array.Shape{Type: c.t, Dims: c.dims}, 0)
			require.NoError(t, err)
			assert.Equal(t, c.t, a.Type)
			assert.Equal(t, c.want, a.String())
		})
	}
	for _, typ := range []dtype.Type{dtype.S2, dtype.U4, dtype.S32} {
		a, err := filled("random", array.Shape{Type: typ, Dims: []int64{100}}, 7)
		require.NoError(t, err)
		values, err := numbers(a)
		require.NoError(t, err)
		for _, v := range values {
			assert.True(t, real(v) >= 0 && real(v) < 10, "%s: %v", typ, v)
		}
		again, err := filled("random", array.Shape{Type: typ, Dims: []int64{100}}, 7)
		require.NoError(t, err)
		assert.Equal(t, a, again)
	}
	for want, p := range map[string]array.Shape{
		"does not say": {}, "no fixed shape": {Type: dtype.F32, Dims: []int64{array.Dynamic}},
		"more than": {Type: dtype.F32, Dims: []int64{1 << 40, 1 << 40}},
	} {
		_, err := filled("ones", p, 0)
		assert.ErrorContains(t, err, want)
	}
}

// What a plugin does that clients do not expect is no reason to fail where JAX does not.
func TestRunWorksWithOddPlugins(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	run := func(odd string, more ...string) outcome {
		c := exec.CommandContext(t.Context(), command, "run", "add.mlir", "f32.npy", "f32.npy")
		c.Env = append(append(os.Environ(), "PJRT_ODD="+odd), more...)
		return finish(t, dir, c)
	}
	const sum = "out0: f32[4]\n[2. 4. 6. 8.]\n"
	for _, odd := range shim.Oddities() {
		switch odd {
		case shim.FewerResults:
			run(string(odd)).requireFailure(t, 1, "the plugin gave 1 outputs for a program that has 2 results")
		case shim.ArtifactsOnly:
			run(string(odd)).requireFailure(t, 1, "failed to deserialize the StableHLO artifact")
		case shim.Stdout:
			o := run(string(odd))
			o.requireSuccess(t)
			assert.True(t, strings.HasPrefix(o.stdout, "the plugin makes a client\n"+sum), "%s", o.stdout)
		default:
			o := run(string(odd))
			o.requireSuccess(t)
			assert.True(t, strings.HasPrefix(o.stdout, sum), "%s: %s", odd, o.stdout)
		}
	}
	// The plugin tells in no way where the program runs.
	o := run(string(shim.NoExecutableDevices), "PJRT_FAULTS=PJRT_LoadedExecutable_GetDeviceAssignment:fail=UNIMPLEMENTED")
	o.requireSuccess(t)
	assert.True(t, strings.HasPrefix(o.stdout, sum), "%s", o.stdout)
}

func TestRunHasTheHandlersOfLAPACKAndNamesOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	programs, err := filepath.Abs("../../extensions/ffi/lapack/testdata")
	require.NoError(t, err)
	launch(t, dir, "run", "--fill", "ones", filepath.Join(programs, "det_float32.mlir")).requireSuccess(t)
	launch(t, dir, "run", "--fill", "ones", filepath.Join(programs, "all_eig_complex64.mlir")).requireSuccess(t)
	write(t, dir, "sparse.mlir", `func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%x) {api_version = 4 : i32} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}`)
	const want = "the program calls cpu_csr_sparse_dense_ffi, which is not part of it, and this command has handlers only for JAX's " +
		"linear algebra: run it in a Go program"
	for _, c := range []string{"run --fill=ones", "run --fill=ones --isolate", "compile"} {
		launch(t, dir, append(strings.Fields(c), "sparse.mlir")...).requireFailure(t, 1, want)
	}
}

func TestRunReadsArraysOfArchives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "add.mlir", "func.func @main(%w: tensor<2x3xf32>, %b: tensor<2xbf16>) -> (tensor<2x3xf32>, tensor<2xbf16>) {\n"+
		"return %w, %b : tensor<2x3xf32>, tensor<2xbf16>\n}")
	two, err := os.ReadFile("../../pjrt/npy/testdata/two.npz")
	require.NoError(t, err)
	write(t, dir, "two.npz", string(two))
	o := launch(t, dir, "run", "add.mlir", "two.npz/w", "two.npz/b")
	o.requireSuccess(t)
	assert.Contains(t, o.stdout, "out1: bf16[2]\n[1 2.5]\n")
	launch(t, dir, "run", "add.mlir", "two.npz", "two.npz/b").requireFailure(t, 1, "two.npz has 2 arrays (w, b): name one, as in two.npz/w")
	launch(t, dir, "run", "add.mlir", "two.npz/w:f64", "two.npz/b").requireFailure(t, 1, "argument 0: two.npz/w:f64 is f64[2,3]")
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	findings "github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/npy"
)

func TestConformanceOfPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all, err := filepath.Abs(programs)
	require.NoError(t, err)
	o := launch(t, dir, "conformance", "--plugin", "cpu", "--programs", all, "--run", "programs/(cholesky|bf16_elementwise|bytecode_sort|no_outputs)$", "--json", "r.json")
	require.Zero(t, o.status, o.stdout)
	r, err := readReport(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	require.Len(t, r.Results, 4)
	for _, x := range r.Results {
		assert.Equal(t, findings.Pass, x.Verdict, x.Check)
	}

	write(t, dir, "wrong.mlir", "func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %0, dense<2> : tensor<i32>\n  return\n}\n")
	o = launch(t, dir, "conformance", "--plugin", "cpu", "--programs", ".", "--no-reruns")
	assert.Equal(t, 1, o.status)
	assert.Contains(t, o.stdout, "result 0: 1 of 1 elements differ; the first is at []: expected 2, got 1")
	assert.Contains(t, o.stdout, " --programs "+dir+" --run '^RUN-02/programs/wrong/constants$'")
}

func TestConformanceAgainstAnotherPlugin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the suite three times: make test-all")
	}
	dir := t.TempDir()
	write(t, dir, "sum.mlir", "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n")
	a, err := npy.FromSlice([]float32{1, 2}, 2)
	require.NoError(t, err)
	for _, name := range []string{"sum.arg0.npy", "sum.out0.npy"} { // without expected results
		require.NoError(t, npy.WriteFile(filepath.Join(dir, name), a))
	}
	o := launch(t, dir, "conformance", "--plugin", "cpu", "--against", "cpu", "--against-option", "cpu_device_count=2", "--fuzz", "2", "--seed", "5", "--programs", ".", "--run", "(programs/sum|/add/i32)$")
	assert.Equal(t, 0, o.status, o.stdout)
	assert.Contains(t, o.stdout, "the plugins agree on 2 programs")

	// The CPU plugin aborts on this program.
	o = launch(t, dir, "conformance", "--plugin", "cpu", "--against", "cpu", "--profile", "core", "--run", "DIFF-01/concatenate/i2$", "--no-reruns")
	assert.Equal(t, 1, o.status, o.stdout)

	write(t, dir, "text.so", "no library")
	o = launch(t, dir, "conformance", "--plugin", "cpu", "--against", "./text.so", "--run", "DIFF-01/add/i32$")
	assert.Equal(t, 2, o.status, o.stdout)
}

func TestConformanceOfProgramsThatCannotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "empty.mlir", "")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "skipped"), 0o755))
	write(t, dir, "skipped/x.mlir", "func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  check.expect_eq_const %0, dense<2> : tensor<i32>\n  return\n}\n")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"--programs", "none"}, "none: no such file"},
		{[]string{"--programs", "."}, "empty.mlir is empty"},
		{[]string{"--stablehlo", "."}, "is not a checkout of StableHLO"},
		{[]string{"--against", "nonesuch"}, "--against: "},
		{[]string{"--against", "cpu", "--against-option", "x"}, "NAME=VALUE"},
		{[]string{"--against", "cpu", "--fuzz", "-1"}, "it cannot be negative"},
		{[]string{"--reproducers", "x"}, "--reproducers need --against"},
		{[]string{"--programs", "skipped", "--no-device"}, ""},
	} {
		o := launch(t, dir, append([]string{"conformance", "--plugin", "cpu"}, test.args...)...)
		assert.Equal(t, 2, o.status, test.args)
		assert.Contains(t, o.stderr, test.says)
	}
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/tools/internal/clitest"
)

// one returns a program whose result is 1, with what it is expected to be.
func one(expected string) string {
	return `func.func @f() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<` + expected + `> : tensor<i32>
  return
}
`
}

func TestProgramsRunsTheProgramsOfAFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all, err := filepath.Abs("../pjrt/testdata/programs")
	require.NoError(t, err)
	o := tested.Launch(t, dir, "programs", "cpu", all, "--run", "programs/(cholesky|bf16_elementwise|bytecode_sort|no_outputs)$", "--json", "r.json")
	require.Zero(t, o.Status, o.Stdout)
	r, err := report.ReadFile(filepath.Join(dir, "r.json"))
	require.NoError(t, err)
	require.Len(t, r.Results, 4)
	for _, x := range r.Results {
		assert.Equal(t, report.Pass, x.Verdict, x.Check)
	}

	clitest.Write(t, dir, "wrong.mlir", one("2"))
	o = tested.Launch(t, dir, "programs", "cpu", ".", "--no-reruns")
	assert.Equal(t, 1, o.Status)
	assert.Contains(t, o.Stdout, "result 0: 1 of 1 elements differ; the first is at []: expected 2, got 1")
	assert.Contains(t, o.Stdout, " programs "+tested.Library+" "+dir+" --run '^RUN-02/programs/wrong/constants$'")
	o = tested.Launch(t, dir, "debug", "cpu", "RUN-02/programs/wrong/constants", "--programs", ".")
	assert.Equal(t, 1, o.Status)
	assert.Contains(t, o.Stdout, "expected 2, got 1")
}

func TestCompareFindsWhereTwoPluginsDiffer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts the suite three times: make test-all")
	}
	dir := t.TempDir()
	clitest.Write(t, dir, "sum.mlir", "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n")
	a := array.Of([]float32{1, 2})
	for _, name := range []string{"sum.arg0.npy", "sum.out0.npy"} { // without expected results
		require.NoError(t, npy.WriteFile(filepath.Join(dir, name), a))
	}
	o := tested.Launch(t, dir, "compare", "cpu", "cpu", "--reference-option", "cpu_device_count=2", "--fuzz", "2", "--seed", "5", ".", "--run", "(programs/sum|/add/i32)$")
	assert.Equal(t, 0, o.Status, o.Stdout)
	assert.Contains(t, o.Stdout, "the plugins agree on 2 programs")

	// The CPU plugin aborts on this program.
	o = tested.Launch(t, dir, "compare", "cpu", "cpu", "--profile", "core", "--run", "DIFF-01/concatenate/i2$", "--no-reruns")
	assert.Equal(t, 1, o.Status, o.Stdout)

	clitest.Write(t, dir, "text.so", "no tested.Library")
	o = tested.Launch(t, dir, "compare", "cpu", "./text.so", "--run", "DIFF-01/add/i32$")
	assert.Equal(t, 2, o.Status, o.Stdout)
}

func TestProgramsAndCompareSayWhatTheyCannotRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.Write(t, dir, "empty.mlir", "")
	for _, test := range []struct {
		args []string
		says string
	}{
		{[]string{"programs", "cpu"}, "name a folder of programs, or a checkout with --stablehlo"},
		{[]string{"programs", "cpu", "none"}, "none: no such file"},
		{[]string{"programs", "cpu", "."}, "empty.mlir is empty"},
		{[]string{"programs", "cpu", "--stablehlo", "."}, "is not a checkout of StableHLO"},
		{[]string{"compare", "cpu"}, "compare: name the plugin to compare with"},
		{[]string{"compare", "cpu", "nonesuch"}, "compare with nonesuch: "},
		{[]string{"compare", "cpu", "cpu", "--reference-option", "x"}, "NAME=VALUE"},
		{[]string{"compare", "cpu", "cpu", "--fuzz", "-1"}, "it cannot be negative"},
	} {
		o := tested.Launch(t, dir, test.args...)
		assert.Equal(t, 2, o.Status, test.args)
		assert.Contains(t, o.Stderr, test.says)
	}
}

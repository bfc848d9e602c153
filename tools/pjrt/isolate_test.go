// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestACrashOfTheCompilerIsOneLine(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	write(t, dir, "killer.mlir", `module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%a: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}]>"}}) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
}`)
	launch(t, dir, "run", "--isolate", "killer.mlir", "f32.npy").requireFailure(t, 1, "died of SIGABRT")
	launch(t, dir, "compile", "--isolate", "killer.mlir").requireFailure(t, 1, "died of SIGABRT")

	want := launch(t, dir, "run", "add.mlir", "f32.npy", "f32.npy")
	got := launch(t, dir, "run", "--isolate", "add.mlir", "f32.npy", "f32.npy")
	got.requireSuccess(t)
	assert.Equal(t, want.stdout, got.stdout)
	want = launch(t, dir, "compile", "--out", "a.bin", "add.mlir")
	got = launch(t, dir, "compile", "--isolate", "--out", "b.bin", "add.mlir")
	got.requireSuccess(t)
	assert.Equal(t, want.stdout, got.stdout)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

func TestWhatModulesSayAboutTheirDevices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code string
		want dataflow.Spread
	}{
		"nothing":        {program, dataflow.Spread{}},
		"empty":          {"", dataflow.Spread{}},
		"both":           {`module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {` + program + `}`, dataflow.Spread{Replicas: 2, Partitions: 4}},
		"quoted":         {`module attributes {"mhlo.num_partitions" = 4 : i32} {}`, dataflow.Spread{Partitions: 4}},
		"aliases":        {"#loc = loc(\"a\")\n// module\nbuiltin.module @m attributes {x = {mhlo.num_replicas = 7 : i32}, mhlo.num_partitions = 0x10 : i32} {}", dataflow.Spread{Partitions: 16}},
		"generic":        {`"builtin.module"() ({"func.func"() ({}) {mhlo.num_replicas = 9 : i32} : () -> ()}) {mhlo.num_partitions = 4 : i32} : () -> ()`, dataflow.Spread{Partitions: 4}},
		"inner":          {`module { module attributes {mhlo.num_partitions = 4 : i32} {} }`, dataflow.Spread{}},
		"a function":     {`func.func @main() attributes {mhlo.num_partitions = 4 : i32} { return }`, dataflow.Spread{}},
		"in a string":    {`module attributes {x = "mhlo.num_partitions = 4"} {}`, dataflow.Spread{}},
		"in a comment":   {"// mhlo.num_partitions = 4 sdy.mesh\nmodule {}", dataflow.Spread{}},
		"negative":       {`module attributes {mhlo.num_partitions = -4 : i32} {}`, dataflow.Spread{}},
		"too large":      {`module attributes {mhlo.num_partitions = 99999999999999999999 : i32} {}`, dataflow.Spread{}},
		"no number":      {`module attributes {mhlo.num_partitions = "4"} {}`, dataflow.Spread{}},
		"cut off":        {`module attributes {mhlo.num_partitions = `, dataflow.Spread{}},
		"mesh":           {`module { sdy.mesh @mesh = <["x"=2, "y"=3]> sdy.mesh @one = <[], device_ids=[0]> }`, dataflow.Spread{Mesh: 6, Shardy: true}},
		"mesh, generic":  {`"builtin.module"() ({ "sdy.mesh"() <{mesh = #sdy.mesh<["x"=8]>, sym_name = "mesh"}> : () -> () }) : () -> ()`, dataflow.Spread{Mesh: 8, Shardy: true}},
		"mesh too large": {`module { sdy.mesh @mesh = <["x"=99999, "y"=99999]> }`, dataflow.Spread{Shardy: true}},
		"mesh cut off":   {`module { sdy.mesh @mesh = <["x"=`, dataflow.Spread{Shardy: true}},
		"sharding":       {`module { func.func @main(%a: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) { return } }`, dataflow.Spread{Shardy: true}},
		"converted":      {`module { %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%a) : (f32) -> f32 }`, dataflow.Spread{Shardy: true}},
		"in attributes":  {`module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{}"}} {}`, dataflow.Spread{Shardy: true}},
		"other dialects": {`module attributes {mhlo.num_partitions = 2 : i32, notsdy.x = 1 : i32} { @sdy.mesh "sdy" }`, dataflow.Spread{Partitions: 2}},
	} {
		assert.Equal(t, c.want, mlir.ReadSpread(context.Background(), []byte(c.code)), name)
		assert.Equal(t, c.want, mlir.Read(context.Background(), []byte(c.code), mlir.Limits{}).Spread, "%s, read to its end", name)
	}
}

// A program from JAX says the same in all its forms.
func TestWhatProgramsFromJAXSayAboutTheirDevices(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../sharding/testdata/*/*.mlir*")
	require.NoError(t, err)
	require.Len(t, files, 18)
	spread := func(code []byte) dataflow.Spread {
		if bytes.HasPrefix(code, []byte(bytecode.Magic)) {
			m, err := bytecode.Read(context.Background(), code, dataflow.Compiler{})
			return mlir.OfBytecode(context.Background(), m, err, mlir.Limits{}).Spread
		}
		whole := mlir.Read(context.Background(), code, mlir.Limits{}).Spread
		first := mlir.ReadSpread(context.Background(), code)
		if whole.Mesh = first.Mesh; utf8.Valid(code) {
			assert.Equal(t, first, whole)
		}
		return first
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		want := dataflow.Spread{Replicas: 1, Partitions: 4, Shardy: strings.Contains(file, "shardy")}
		got := spread(code)
		if strings.HasSuffix(file, "bc") && want.Shardy {
			want.Mesh = 4 // in text, nothing after the counts need be read
		} else {
			got.Mesh = 0
		}
		assert.Equal(t, want, got, file)
		for i := 0; i < len(code); i += 7 { // bytes that are cut off or changed do no harm
			spread(code[:i])
			code[i] ^= 0x55
			spread(code)
			code[i] ^= 0x55
		}
	}
}

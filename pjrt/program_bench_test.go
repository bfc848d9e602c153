// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	elsewhere "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/pjrttest"
)

var errNotCompiled = errors.New("not compiled")

// noCompiler is a compiler that does nothing, so that only what happens before compiling is
// measured.
type noCompiler struct{}

func (noCompiler) Compile(context.Context, *elsewhere.Job) (*elsewhere.Result, error) {
	return nil, errNotCompiled
}

// hugePrograms are programs of about 100 MiB of constants, and of a million operations.
func hugePrograms() map[string][]byte {
	main := func(statements string) []byte {
		return []byte("module @huge attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {\n" +
			"  func.func public @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {\n" + statements +
			"    return %arg0 : tensor<4x8xf32>\n  }\n}\n")
	}
	const size = 100 << 20
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string][]byte{
		"data":       main("    %c = stablehlo.constant dense<\"0x" + repeat("0123456789ABCDEF") + "\"> : tensor<1024x512xf32>\n"),
		"numbers":    main("    %c = stablehlo.constant dense<[" + repeat("1.250000e+00, -3.5, ") + "1.0]> : tensor<400000xf32>\n"),
		"operations": main(strings.Repeat("    %0 = stablehlo.add %arg0, %arg0 : tensor<4x8xf32>\n", 1_000_000)),
	}
}

// What is done with a program before it is compiled, and for its key.
func BenchmarkHugePrograms(b *testing.B) {
	ctx := context.Background()
	client := pjrttest.New(b, pjrttest.Options{}).Client()
	opts := &pjrt.CompileOptions{Compiler: noCompiler{}}
	for name, code := range hugePrograms() {
		program := pjrt.Program{Code: code}
		b.Run("compile/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := client.Compile(ctx, program, opts)
				require.ErrorIs(b, err, errNotCompiled)
			}
		})
		b.Run("key/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := client.CompileKey(program, opts)
				require.NoError(b, err)
			}
		})
	}
	code, err := os.ReadFile("../tools/pjrt/testdata/programs/artifact_1_9_attention/program.mlirbc")
	require.NoError(b, err)
	b.Run("compile/bytecode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := client.Compile(ctx, pjrt.Program{Code: code}, opts)
			require.ErrorIs(b, err, errNotCompiled)
		}
	})
}

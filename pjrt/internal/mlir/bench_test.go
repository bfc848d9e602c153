// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

// largePrograms are programs of a few MB, by what makes them large.
func largePrograms() map[string]string {
	const size = 4 << 20
	main := func(statements string) string {
		return "module @large {\n  func.func public @main(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {\n" +
			statements + "    return %arg0 : tensor<4x8xf32>\n  }\n}\n"
	}
	repeat := func(s string) string { return strings.Repeat(s, size/len(s)) }
	var locations strings.Builder
	for i := 0; locations.Len() < size; i++ {
		fmt.Fprintf(&locations, "#loc%d = loc(\"jit(f)/jit(main)/dot_general\"(callsite(\"model.py\":%d:%d at #loc%d)))\n", i+1, i, i%80, i)
	}
	return map[string]string{
		"operations": main(repeat("    %0 = stablehlo.add %arg0, %arg0 : tensor<4x8xf32>\n")),
		"generic":    main(repeat("    %0 = \"stablehlo.add\"(%arg0, %arg0) <{x = 1 : i64}> : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>\n")),
		"data":       main("    %c = stablehlo.constant dense<\"0x" + repeat("0123456789ABCDEF") + "\"> : tensor<1024x512xf32>\n"),
		"numbers":    main("    %c = stablehlo.constant dense<[" + repeat("1.250000e+00, -3.5, ") + "1.0]> : tensor<400000xf32>\n"),
		"locations":  main("") + "#loc0 = loc(unknown)\n" + locations.String(),
		"functions":  main("") + repeat("func.func private @f(%arg0: tensor<4x8xf32>) -> (tensor<4x8xf32>) { return %arg0 : tensor<4x8xf32> }\n"),
		"comments":   main(repeat("// nothing to see here\n")),
	}
}

func BenchmarkCheck(b *testing.B) {
	for name, code := range largePrograms() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				if err := check([]byte(code), mlir.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFindMain reads programs to their ends, since the function main comes last.
func BenchmarkFindMain(b *testing.B) {
	for name, code := range largePrograms() {
		code := []byte("module { module @inner {" + strings.ReplaceAll(code, "@main", "@other") + "} func.func @main() { return } }")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(code)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := mlir.FindMain(b.Context(), code); !ok {
					b.Fatal("no main")
				}
			}
		})
	}
}

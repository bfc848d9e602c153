// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/isolate"
)

// BenchmarkCompile compares compilations here, in a child that is kept, and in a new child each
// time.
func BenchmarkCompile(b *testing.B) {
	ctx := context.Background()
	for _, name := range []string{"identity", "mlp_gelu", "transformer_block"} {
		code, err := os.ReadFile(filepath.Join(programs, name, "program.mlir"))
		require.NoError(b, err)
		for where, compiler := range map[string]compile.Compiler{
			"here": nil, "kept": newCompiler(b, isolate.Options{}), "new": newCompiler(b, isolate.Options{Uses: 1}),
		} {
			b.Run(name+"/"+where, func(b *testing.B) {
				client := newClient(b, &pjrt.ClientOptions{Compiler: compiler})
				works(b, client)
				for b.Loop() {
					exe, err := client.Compile(ctx, pjrt.Program{Code: code}, nil)
					require.NoError(b, err)
					exe.Close()
				}
			})
		}
	}
}

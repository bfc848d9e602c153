// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"strings"
	"sync/atomic"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

// swaps is operations that a compiler may take for one another, and the check
// that sees it.
var swaps = []struct{ check, from, to string }{
	{"add/f32", `"stablehlo.add"`, `"stablehlo.subtract"`},
	{"multiply/i32", `"stablehlo.multiply"`, `"stablehlo.add"`},
	{"maximum/f32", `"stablehlo.maximum"`, `"stablehlo.minimum"`},
	{"ceil/f32", `"stablehlo.ceil"`, `"stablehlo.floor"`},
	{"round_nearest_even/f32", `"stablehlo.round_nearest_even"`, `"stablehlo.round_nearest_afz"`},
	{"shift_right_arithmetic/i32", `"stablehlo.shift_right_arithmetic"`, `"stablehlo.shift_right_logical"`},
	{"sine/f32", `"stablehlo.sine"`, `"stablehlo.tanh"`},
	{"exponential_minus_one/f32", `"stablehlo.exponential_minus_one"`, `"stablehlo.exponential"`},
	{"compare/f32", "compare LT", "compare LE"},
	{"compare/ui8", "UNSIGNED", "SIGNED"},
	{"sort/f32", "compare LT", "compare GT"},
	{"triangular_solve_adjoint/complex<f32>", "transpose ADJOINT", "transpose TRANSPOSE"},
	{"triangular_solve_transpose/f32", "transpose TRANSPOSE", "transpose NO_TRANSPOSE"},
	{"fft/IFFT/8/complex<f32>", "IFFT", "FFT"},
	{"batch_norm_inference/f32", "epsilon = 0.25", "epsilon = 0.5"},
	{"while/7", "compare LT", "compare LE"},
	{"reduce_add/f32", "stablehlo.add %x", "stablehlo.maximum %x"},
	{"select_and_scatter/f32", "compare GE", "compare LE"},
	{"edge/compare/f32", "TOTALORDER", "FLOAT"},
}

// Mutants returns the faults that the checks of this package find.
func Mutants() []mutant.Mutant {
	var ms []mutant.Mutant
	for _, s := range swaps {
		ms = append(ms, mutant.Of("RUN-02/"+s.check, "compiles "+s.from+" as "+s.to, func(c *serve.Invocation, a *capi.ClientCompileArgs) {
			program := *a.Program
			code := strings.ReplaceAll(capi.String(program.Code, program.CodeSize), s.from, s.to)
			program.Code, program.CodeSize = capi.CString(code), uintptr(len(code))
			kept := a.Program
			a.Program = &program
			c.Forward()
			a.Program = kept
		}))
	}
	for _, check := range Checks() {
		switch name := check.Name(); {
		case strings.HasPrefix(name, "DIFF"):
			ms = append(ms, inconstant(name))
		case check.Rule == "RUN-32" || strings.Contains(name, "edge/convert"):
			ms = append(ms, mutant.Answers[capi.LoadedExecutableExecuteArgs](name, "refuses what the program computes", capi.ErrorCodeInternal))
		case strings.Contains(name, "/empty/"):
			ms = append(ms, mutant.Of(name, "an empty result loses its other dimensions", func(c *serve.Invocation, a *capi.BufferDimensionsArgs) {
				c.Forward()
				a.NumDims--
			}))
		case strings.Contains(name, "rng"):
			ms = append(ms, mutant.Of(name, "random numbers are all zero", corrupt(func(b []byte) { clear(b) })))
		default:
			ms = append(ms, mutant.Of(name, "every bit of the results is wrong", corrupt(func(b []byte) {
				for i := range b {
					b[i] = ^b[i]
				}
			})))
		}
	}
	return ms
}

// corrupt makes a fault of downloads: what arrives on the host is changed.
func corrupt(change func([]byte)) func(*serve.Invocation, *capi.BufferToHostBufferArgs) {
	return func(c *serve.Invocation, a *capi.BufferToHostBufferArgs) {
		c.Forward()
		if c.Err() != nil || a.Dst == nil || a.Event == nil {
			return
		}
		wait := &capi.Call[capi.EventAwaitArgs]{}
		wait.Args.Event = a.Event
		if err := wait.Do(c.Table()); err != nil {
			return // the caller sees the same error
		}
		change(memory(a.Dst, a.DstSize))
	}
}

// inconstant is a plugin whose later results differ from its first one, which
// no way of computing twice fails to see.
func inconstant(check string) mutant.Mutant {
	return mutant.Mutant{Check: check, Fault: "each result differs from the one before", Hooks: func() []serve.Hook {
		var n atomic.Uint32
		return []serve.Hook{serve.Around(corrupt(func(b []byte) {
			if b[0] ^= byte(n.Add(1)); len(b) > 3 {
				b[3] ^= byte(n.Load())
			}
		}))}
	}}
}

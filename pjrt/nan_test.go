// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
)

// withNaN has a NaN at each end and inside, so that each operation meets one as its left and
// as its right operand.
var withNaN = []float64{math.NaN(), 1, 3, math.NaN(), -2, 0, math.Inf(1), math.NaN()}

// StableHLO, IEEE 754, NumPy and JAX agree that an extreme of a NaN is a NaN.
func TestMinimaAndMaximaPropagateNaN(t *testing.T) {
	t.Setenv("XLA_FLAGS", "")
	client := newClient(t)
	nan := math.NaN()
	for _, op := range []struct {
		name    string
		extreme func(a, b float64) float64
		start   string // of a reduction
	}{
		{"maximum", func(a, b float64) float64 { return max(a, b) }, "0xFF"},
		{"minimum", func(a, b float64) float64 { return min(a, b) }, "0x7F"},
	} {
		// The infinity that begins a reduction, in the bits of each type.
		infinity := map[string]string{
			"f16": op.start[:2] + map[string]string{"0xFF": "FC", "0x7F": "7C"}[op.start] + "00", "bf16": op.start + "80",
			"f32": op.start + "800000", "f64": op.start + "F0000000000000",
		}
		for typ, start := range infinity {
			scalar := "tensor<" + typ + ">"
			fold := func(from, to int) float64 {
				x := withNaN[from]
				for _, y := range withNaN[from+1 : to] {
					x = op.extreme(x, y)
				}
				return x
			}
			windows := make([]float64, len(withNaN)-1)
			for i := range windows {
				windows[i] = fold(i, i+2)
			}
			reducer := fmt.Sprintf(`({ ^bb0(%%p: %[1]s, %%q: %[1]s):
				%%r = stablehlo.%[2]s %%p, %%q : %[1]s
				stablehlo.return %%r : %[1]s
			})`, scalar, op.name)
			with := func(value float64) []float64 {
				all := make([]float64, len(withNaN))
				for i, x := range withNaN {
					all[i] = op.extreme(x, value)
				}
				return all
			}
			for name, c := range map[string]struct {
				body string // from %x, the values, and %init, the infinity, to %y
				want []float64
			}{
				"elements": {`%c = stablehlo.constant dense<0.0> : VECTOR
					%y = stablehlo.OP %x, %c : VECTOR`, with(0)},
				"elements, other way round": {`%c = stablehlo.constant dense<0.0> : VECTOR
					%y = stablehlo.OP %c, %x : VECTOR`, with(0)},
				"reduction": {`%r = stablehlo.reduce(%x init: %init) applies stablehlo.OP across dimensions = [0] : (VECTOR, SCALAR) -> SCALAR
					%y = stablehlo.reshape %r : (SCALAR) -> tensor<1xTYPE>`, []float64{nan}},
				"windows": {`%y = "stablehlo.reduce_window"(%x, %init) REDUCER {window_dimensions = array<i64: 2>} : (VECTOR, SCALAR) -> tensor<7xTYPE>`,
					windows},
				"bounds": {`%c = stablehlo.constant dense<0.0> : SCALAR
					%d = stablehlo.constant dense<2.0> : SCALAR
					%y = stablehlo.clamp %c, %x, %d : (SCALAR, VECTOR, SCALAR) -> VECTOR`,
					[]float64{nan, 1, 2, nan, 0, 0, 2, nan}},
			} {
				t.Run(op.name+" of "+typ+", "+name, func(t *testing.T) {
					result := fmt.Sprintf("tensor<%dx%s>", len(c.want), typ)
					program := strings.NewReplacer("REDUCER", reducer, "VECTOR", "tensor<8xTYPE>", "SCALAR", scalar, "OP", op.name).Replace(`
						func.func @main(%a: tensor<8xf64>) -> tensor<` + fmt.Sprint(len(c.want)) + `xf64> {
							%x = stablehlo.convert %a : (tensor<8xf64>) -> VECTOR
							%init = stablehlo.constant dense<` + start + `> : SCALAR
							` + c.body + `
							%z = stablehlo.convert %y : (` + result + `) -> tensor<` + fmt.Sprint(len(c.want)) + `xf64>
							return %z : tensor<` + fmt.Sprint(len(c.want)) + `xf64>
						}`)
					got := execute(t, client, strings.ReplaceAll(program, "TYPE", typ), withNaN)
					require.Len(t, got, len(c.want))
					for i := range got {
						if math.IsNaN(c.want[i]) {
							assert.True(t, math.IsNaN(got[i]), "element %d of %v must be a NaN", i, got)
						} else {
							assert.Equal(t, c.want[i], got[i], "element %d of %v", i, got)
						}
					}
				})
			}
		}
	}
}

// execute returns the one result of a program of one argument, both of them f64.
func execute(t *testing.T, client *pjrt.Client, program string, x []float64) []float64 {
	t.Helper()
	ctx := context.Background()
	exe, err := client.Compile(ctx, pjrt.Program{Code: []byte(program)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	arg, err := pjrt.FromSlice(ctx, client, x, int64(len(x)))
	require.NoError(t, err)
	defer arg.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{arg}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	y, err := pjrt.ToSlice[float64](ctx, outs[0])
	require.NoError(t, err)
	return y
}

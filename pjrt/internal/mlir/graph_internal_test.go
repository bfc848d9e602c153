// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/bytecode"
	"github.com/purepjrt/purepjrt/pjrt/internal/dataflow"
	"github.com/purepjrt/purepjrt/pjrt/internal/mlir/mlirtest"
)

// described returns the operations of a module, with what the checks look at.
func described(m *dataflow.Module) string {
	var b strings.Builder
	numbers := make(map[*dataflow.Value]int)
	var block func(*dataflow.Block)
	block = func(body *dataflow.Block) {
		define := func(v *dataflow.Value) {
			numbers[v] = len(numbers) + 1
			fmt.Fprintf(&b, " %%%d: %q %v %v %v %v", numbers[v], v.Type.Element, v.Type.Dims, v.Type.Bounds, v.Type.Tuple, v.Type.Parts)
		}
		for _, p := range body.Params {
			define(p)
		}
		b.WriteByte('\n')
		for _, o := range body.Ops {
			b.WriteString(o.Name)
			for _, v := range o.Operands {
				fmt.Fprintf(&b, " %%%d", numbers[v])
			}
			for _, key := range []string{
				"callee", "call_target_name", "decomposition", "comparison_direction", "dimension", "is_stable",
				"base_dilations", "padding", "window_dilations", "window_dimensions", "window_strides",
				"dimension_numbers", "feature_group_count", "lhs_dilation", "rhs_dilation", "window_reversal",
				"edge_padding_low", "edge_padding_high", "interior_padding",
			} {
				name := key
				if _, ok := o.Attributes["dim"]; ok && key == "dimension" {
					name = "dim"
				}
				a, ok := o.Attributes[name]
				if key == "dimension" && o.Name == "iota" {
					continue
				}
				if o.Name == "constant" && key == "callee" {
					fmt.Fprint(&b, " zero ", o.Attributes["value"].Zero)
				}
				if key == "is_stable" && ok {
					fmt.Fprint(&b, " stable ", a.Text == "true" || slices.Equal(a.Numbers, []int64{1}))
				} else if ok {
					if len(a.Numbers) > 0 {
						a.Text = ""
						a.Numbers = slices.Compact(slices.Clone(a.Numbers)) // one may stand for all
					}
					fmt.Fprint(&b, " ", key, " ", a.Text, a.Numbers)
				}
			}
			for _, v := range o.Results {
				define(v)
			}
			b.WriteByte('\n')
			for _, r := range o.Regions {
				block(r)
			}
		}
	}
	block(m.Main)
	return b.String()
}

func TestTextAndBytecodeMakeTheSameOperations(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	cpu := dataflow.Compiler{Minor: 81, MLIR: true}
	for _, d := range mlirtest.Dangers() {
		forms, _, err := mlirtest.Forms(d.Name)
		require.NoError(t, err)
		b, err := bytecode.Read(ctx, forms[mlirtest.FormBytecode], cpu)
		require.NoError(t, err, "%s, whose forms TestTheFormsAreThoseOfTheDangers updates", d.Name)
		if b.Operations == nil {
			continue
		}
		text := readOperations([]byte(d.Code), &work{ctx: ctx})
		want := described(text)
		assert.Equal(t, want, described(b.Operations), d.Name)
		assert.Len(t, b.Operations.Functions, len(text.Functions), d.Name)
	}
}

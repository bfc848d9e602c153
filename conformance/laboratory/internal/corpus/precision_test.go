// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

func TestProductsMayHaveFewerBitsUnlessTheyAreOfTheHighestPrecision(t *testing.T) {
	const operands = " : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
	highest := "%2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]" + operands
	for name, c := range map[string]struct {
		code string
		want bool
	}{
		"no product":           {"%2 = stablehlo.add %0, %1 : tensor<2x2xf32>", false},
		"highest":              {highest, false},
		"nothing stated":       {"%2 = stablehlo.dot %0, %1" + operands, true},
		"default":              {"%2 = stablehlo.dot %0, %1, precision = [DEFAULT, DEFAULT]" + operands, true},
		"one operand":          {"%2 = stablehlo.dot %0, %1, precision = [HIGHEST, DEFAULT]" + operands, true},
		"high":                 {"%2 = stablehlo.dot %0, %1, precision = [HIGH, HIGH]" + operands, true},
		"one of two":           {highest + "%3 = stablehlo.dot %2, %1" + operands, true},
		"the other of two":     {"%3 = stablehlo.dot %2, %1" + operands + highest, true},
		"a convolution":        {"%2 = stablehlo.convolution(%0, %1) dim_numbers = [b, f]x[i, o]->[b, f] {precision_config = []}" + operands, true},
		"a precise one":        {"%2 = stablehlo.convolution(%0, %1) {precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]}" + operands, false},
		"generic":              {`%2 = "stablehlo.dot_general"(%0, %1) <{precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}>` + operands, true},
		"generic, in lines":    {"%2 = \"stablehlo.dot_general\"(%0, %1) {\n  precision_config = [#stablehlo<precision HIGHEST>,\n    #stablehlo<precision HIGHEST>]\n}" + operands, false},
		"bytecode":             {"ML\xefR\x0ddot_general\x00HIGHEST", true},
		"bytecode without any": {"ML\xefR\x0dadd\x00", false},
	} {
		assert.Equal(t, c.want, reducedPrecision([]byte(c.code)), name)
	}
}

func TestAReducedPrecisionWidensTheToleranceOfF32Alone(t *testing.T) {
	for typ, widens := range map[dtype.Type]bool{
		dtype.F32: true, dtype.C64: true, dtype.F64: false, dtype.BF16: false, dtype.S32: false,
	} {
		want := &array.Array{Type: typ, Dims: []int64{2}, Data: make([]byte, 2*typ.Size())}
		exact, reduced := TypePolicy(want, false), TypePolicy(want, true)
		assert.Equal(t, widens, reduced.Rtol > exact.Rtol, typ)
		assert.LessOrEqual(t, reduced.Rtol, relative(dtype.BF16), typ)
	}
}

func TestTheProgramsFromJAXAreOfTheHighestPrecision(t *testing.T) {
	const dir = "../../../../tools/pjrt/testdata/programs/"
	for _, name := range []string{"matmul_chain_f32", "convnet", "generic_syntax", "transformer_block"} {
		code, err := os.ReadFile(dir + name + "/program.mlir")
		require.NoError(t, err)
		assert.False(t, reducedPrecision(code), name)
	}
}

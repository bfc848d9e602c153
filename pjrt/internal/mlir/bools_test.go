// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package mlir_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/internal/mlir"
)

func TestConstantsOfBoolsAreWrittenAsAtTheOtherAge(t *testing.T) {
	t.Parallel()
	constant := func(digits, typ string) string {
		return fmt.Sprintf("%%c = stablehlo.constant dense<\"0x%s\"> : tensor<%s>\n", digits, typ)
	}
	for name, test := range map[string]struct{ code, want string }{
		"bits":           {constant("AF01", "9xi1"), constant("010101010001000101", "9xi1")},
		"bytes":          {constant("010101010001000101", "3x3xi1"), constant("af01", "3x3xi1")},
		"true as ff":     {constant("FF00FF000000000000FF", "10xi1"), constant("0502", "10xi1")},
		"whole bytes":    {constant("000080", "2x3x4xi1"), constant(strings.Repeat("00", 23)+"01", "2x3x4xi1")},
		"two":            {constant("0100", "9xi1") + "// dense\n" + constant("0001", "16xi1"), constant("010000000000000000", "9xi1") + "// dense\n" + constant("00000000000000000100000000000000", "16xi1")},
		"spaces":         {"dense <\n\"0x0100\" > :tensor< 9 x i1>", "dense <\n\"0x010000000000000000\" > :tensor< 9 x i1>"},
		"few":            {constant("01", "8xi1"), ""},
		"one":            {constant("01", "i1"), ""},
		"one for all":    {constant("FF", "9xi1"), ""},
		"too many":       {constant("010203", "9xi1"), ""},
		"no digits":      {constant("01GG", "9xi1"), ""},
		"half a byte":    {constant("010", "9xi1"), ""},
		"other integers": {constant("0100", "9xi8") + constant("010000000000000000", "9xi8"), ""},
		"a list":         {"dense<[true, false]> : tensor<2xi1>", ""},
		"a resource":     {"dense_resource<a> : tensor<9xi1>", ""},
		"a string":       {`"dense<\"0x0100\"> : tensor<9xi1>"`, ""},
		"a comment":      {`// dense<"0x0100"> : tensor<9xi1>`, ""},
		"an open type":   {`dense<"0x0100"> : tensor<9x?xi1>`, ""},
		"too large":      {`dense<"0x0100"> : tensor<99999999999x99999999999xi1>`, ""},
		"no type":        {`dense<"0x0100">`, ""},
		"its beginning":  {`dense<`, ""},
		"nothing":        {"", ""},
	} {
		got, err := mlir.OtherBools(context.Background(), []byte(test.code))
		require.NoError(t, err, name)
		assert.Equal(t, test.want, string(got), name)
		if test.want == "" {
			assert.Nil(t, got, name)
			continue
		}
		back, err := mlir.OtherBools(context.Background(), got)
		require.NoError(t, err, name)
		again, err := mlir.OtherBools(context.Background(), back)
		require.NoError(t, err, name)
		assert.Equal(t, test.want, string(again), "%s, there and back", name)
	}
}

func TestRewritingConstantsOfBoolsEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got, err := mlir.OtherBools(ctx, []byte(strings.Repeat(`dense<"0x0100"> : tensor<9xi1>`+"\n", 10_000)))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, got)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt"
	other "github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// ofBools are the same program as printers of two ages of MLIR write it: a constant of 11 bools has
// a bit for each, or a byte.
var ofBools = map[string]string{
	"bits":  programOfBools("8D04"),
	"bytes": programOfBools("0100010100000001000001"),
}

func programOfBools(digits string) string {
	return fmt.Sprintf(`func.func @main(%%x: tensor<11xf32>) -> tensor<11xf32> {
  %%mask = stablehlo.constant dense<"0x%s"> : tensor<11xi1>
  %%zero = stablehlo.constant dense<0.0> : tensor<11xf32>
  %%y = stablehlo.select %%mask, %%x, %%zero : tensor<11xi1>, tensor<11xf32>
  return %%y : tensor<11xf32>
}
`, digits)
}

// selects proves that an executable is one of ofBools.
func selects(t *testing.T, client *pjrt.Client, exe *pjrt.LoadedExecutable) {
	t.Helper()
	ctx := context.Background()
	x, err := pjrt.FromSlice(ctx, client, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 11)
	require.NoError(t, err)
	defer x.Close()
	results, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	defer results[0].Close()
	elements, err := pjrt.ToSlice[float32](ctx, results[0])
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 0, 3, 4, 0, 0, 0, 8, 0, 0, 11}, elements)
}

func TestConstantsOfBoolsAreReadAsEveryAgeWritesThem(t *testing.T) {
	plugintest.Each(t, func(t *testing.T, _ plugintest.CPU) {
		client := newClient(t)
		for form, code := range ofBools {
			exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
			require.NoError(t, err, form)
			defer exe.Close()
			selects(t, client, exe)
		}
	})
}

// boolCompiler reads programs as a parser of MLIR of an age does, and compiles them with a client.
type boolCompiler struct {
	otherCompiler
	refuses string // this form of ofBools
}

func (c *boolCompiler) Compile(ctx context.Context, job *other.Job) (*other.Result, error) {
	if bytes.Equal(job.Code, []byte(ofBools[c.refuses])) {
		return nil, &pjrt.Error{Code: pjrt.ErrUnknown, Message: "-:2:32: error: elements hex data size is invalid for provided type: 'tensor<11xi1>'"}
	}
	return c.otherCompiler.Compile(ctx, job)
}

func TestACompilerGetsConstantsOfBoolsAsItReadsThem(t *testing.T) {
	client := newClient(t)
	for form, code := range ofBools {
		compiler := &boolCompiler{otherCompiler{client: client}, form}
		exe, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, &pjrt.CompileOptions{Compiler: compiler})
		require.NoError(t, err, form)
		defer exe.Close()
		selects(t, client, exe)
		assert.Len(t, compiler.jobs, 1, "one program was refused")
	}
}

// A constant that is wrong at each age is refused, with the words of the plugin.
func TestConstantsOfTooManyBoolsAreRefused(t *testing.T) {
	client := newClient(t)
	for _, digits := range []string{"8D0401", "01000101000000010000", "010001010000000100000100"} {
		_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(programOfBools(digits))}, nil)
		assert.ErrorContains(t, err, "elements hex data size is invalid", digits)
	}
}

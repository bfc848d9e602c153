// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
	"github.com/purepjrt/purepjrt/pjrt/stablehlo"
)

// artifact returns the program add as a portable artifact of StableHLO 1.13.3.
func artifact(t testing.TB) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/add-1.13.3.mlirbc")
	require.NoError(t, err)
	return code
}

// runAdd executes a program that adds two matrices.
func runAdd(t testing.TB, exe *pjrt.LoadedExecutable) {
	t.Helper()
	runAddOn(t, exe, exe.Client().Devices()[0])
}

func runAddOn(t testing.TB, exe *pjrt.LoadedExecutable, device *pjrt.Device) {
	t.Helper()
	ctx := context.Background()
	var args []*pjrt.Buffer
	for _, a := range []pjrt.HostArray{matrix(1, 2, 3, 4), matrix(10, 20, 30, 40)} {
		b, err := exe.Client().BufferFromHost(ctx, a, &pjrt.BufferOptions{Device: device})
		require.NoError(t, err)
		defer b.Close()
		args = append(args, b)
	}
	outs, err := exe.Execute(ctx, args, nil)
	require.NoError(t, err)
	require.Len(t, outs, 1)
	defer outs[0].Close()
	got, err := outs[0].ToHost(ctx)
	require.NoError(t, err)
	assert.Equal(t, matrix(11, 22, 33, 44), got)
}

// hloModule takes the module out of a program of the format hlo_with_config.
func hloModule(t testing.TB, p pjrt.Program) []byte {
	t.Helper()
	require.Equal(t, pjrt.FormatHLOWithConfig, p.Format)
	number, kind, n := protowire.ConsumeTag(p.Code)
	require.Equal(t, protowire.Number(1), number)
	require.Equal(t, protowire.BytesType, kind)
	module, m := protowire.ConsumeBytes(p.Code[n:])
	require.Positive(t, m)
	return module
}

func TestEveryFormOfAProgramRuns(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	text := compile(t, client, add)
	optimized, err := text.OptimizedProgram()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		program pjrt.Program
		format  pjrt.Format
	}{
		"text":             {pjrt.Program{Code: []byte(add)}, pjrt.FormatMLIR},
		"text by name":     {pjrt.Program{Code: []byte(add), Format: pjrt.FormatMLIR}, pjrt.FormatMLIR},
		"bytecode":         {pjrt.Program{Code: artifact(t)}, pjrt.FormatMLIR},
		"HLO":              {pjrt.Program{Code: hloModule(t, optimized)}, pjrt.FormatHLO},
		"HLO by its name":  {pjrt.Program{Code: hloModule(t, optimized), Format: pjrt.FormatHLO}, pjrt.FormatHLO},
		"HLO with config":  {pjrt.Program{Code: optimized.Code}, pjrt.FormatHLOWithConfig},
		"another's format": {pjrt.Program{Code: []byte("abc"), Format: "of_mine"}, pjrt.FormatMLIR},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.format, pjrt.DetectFormat(c.program.Code))
			exe, err := client.Compile(ctx, c.program, nil)
			if name == "HLO with config" || name == "another's format" {
				// The plugin does not read the format, and names it in its error.
				require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
				assert.ErrorContains(t, err, "Unknown program format '"+map[string]string{"HLO with config": "hlo_with_config"}[name])
				return
			}
			require.NoError(t, err)
			defer exe.Close()
			runAdd(t, exe)
		})
	}
}

func TestDetectFormatRecognizesTheFormatOfAProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code string
		want pjrt.Format
	}{
		"nothing":                   {"", pjrt.FormatMLIR},
		"text":                      {"module {}\r\n\t// ü", pjrt.FormatMLIR},
		"bytecode":                  {"ML\xefR\x0dMLIR20\x00", pjrt.FormatMLIR},
		"module":                    {"\x0a\x01m\x12\x04main\x1a\x02\x0a\x00", pjrt.FormatHLO},
		"module with other fields":  {"\x0a\x01m\x1a\x02\x0a\x00\x28\x07\x22\x00", pjrt.FormatHLO},
		"module in a wrapper":       {"\x0a\x07\x0a\x01m\x1a\x02\x0a\x00\x12\x00", pjrt.FormatHLOWithConfig},
		"module without any code":   {"\x0a\x01m\x12\x04main", pjrt.FormatMLIR},
		"message with other fields": {"\x0a\x07\x0a\x01m\x1a\x02\x0a\x00\x1a\x01\x00\x08\x01", pjrt.FormatMLIR},
		"cut off":                   {"\x0a\x01m\x1a\x09\x0a\x00", pjrt.FormatMLIR},
		"noise":                     {"\x00\xff\xfe", pjrt.FormatMLIR},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, pjrt.DetectFormat([]byte(c.code)))
		})
	}
}

// newerArtifact returns the program tanh(x + x) for f32[2,3] as the newest JAX for Python 3.11,
// 0.10.2, exports it.
func newerArtifact(t *testing.T) []byte {
	t.Helper()
	code, err := os.ReadFile("testdata/predict-1.15.0.mlirbc")
	require.NoError(t, err)
	return code
}

func TestOnlyThePluginRefusesAnArtifactOfAnotherVersion(t *testing.T) {
	ctx := context.Background()
	client := newClient(t)
	oldest, newest, ok := stablehlo.Versions(client.Plugin().Attributes())
	require.True(t, ok)
	for name, code := range map[string][]byte{
		"a later patch":       bytes.Replace(artifact(t), []byte("v1.13.3\x00"), fmt.Appendf(nil, "v%d.%d.9\x00", newest[0], newest[1]), 1),
		"a later major":       bytes.Replace(artifact(t), []byte("v1.13.3\x00"), []byte("v9.99.9\x00"), 1),
		"older than promised": bytes.Replace(artifact(t), []byte("v1.13.3\x00"), []byte("v0.1.33\x00"), 1),
		"a newer JAX's":       newerArtifact(t),
	} {
		version, ok := stablehlo.VersionOf(code)
		require.True(t, ok, name)
		if name == "a newer JAX's" && plugintest.Age(t) > 81 {
			continue // not newer than the plugin
		}
		require.False(t, version.Compare(oldest) >= 0 && version.Compare(newest) <= 0, "%s: the plugin promises to read it", name)
		exe, err := client.Compile(ctx, pjrt.Program{Code: code}, nil)
		require.NoError(t, err, name)
		exe.Close()
	}
	exe, err := client.Compile(ctx, pjrt.Program{Code: newerArtifact(t)}, nil)
	require.NoError(t, err)
	defer exe.Close()
	x, err := pjrt.FromSlice(ctx, client, []float32{-1, 0, 0.5, 1, 2, 3}, 2, 3)
	require.NoError(t, err)
	defer x.Close()
	outs, err := exe.Execute(ctx, []*pjrt.Buffer{x}, nil)
	require.NoError(t, err)
	defer outs[0].Close()
	y, err := pjrt.ToSlice[float32](ctx, outs[0])
	require.NoError(t, err)
	for i, x := range []float64{-1, 0, 0.5, 1, 2, 3} {
		assert.InDelta(t, math.Tanh(2*x), float64(y[i]), 1e-6)
	}
}

// The plugin's parser fails on operations that it does not know, and its text does not say
// what to do.
func TestAnErrorAboutAnArtifactOfAnotherVersionSaysWhatToDo(t *testing.T) {
	client := newClient(t)
	oldest, newest, ok := stablehlo.Versions(client.Plugin().Attributes())
	require.True(t, ok)
	unknown := bytes.Replace(newerArtifact(t), []byte("tanh_v2"), []byte("tanh_v9"), 1)
	for name, c := range map[string]struct {
		code []byte
		want string // "" if the version has nothing to do with the error
	}{
		"newer": {bytes.Replace(unknown, []byte("v1.15.0"), []byte("v1.99.9"), 1),
			fmt.Sprintf("the program is a portable artifact of StableHLO 1.99.9, and the plugin reads %v to %v: use a newer plugin, or "+
				"write the artifact for StableHLO %v, in Python with "+
				`jaxlib.mlir.dialects.stablehlo.serialize_portable_artifact_str(exported.mlir_module(), "%v")`, oldest, newest, newest, newest)},
		"older": {bytes.Replace(unknown, []byte("v1.15.0"), []byte("v0.8.12"), 1),
			fmt.Sprintf("the program is a portable artifact of StableHLO 0.8.12, and the plugin reads %v to %v: ", oldest, newest) +
				"write the artifact again with a newer StableHLO, or use an older plugin"},
		"one that the plugin promises to read": {bytes.Replace(unknown, []byte("v1.15.0"), []byte("v1.13.0"), 1), ""},
	} {
		_, err := client.Compile(context.Background(), pjrt.Program{Code: c.code}, nil)
		require.Error(t, err, name)
		assert.ErrorContains(t, err, "PJRT_Client_Compile", name)
		if c.want == "" {
			assert.NotContains(t, err.Error(), "the program is a portable artifact", name)
			continue
		}
		assert.ErrorContains(t, err, c.want, name)
	}
}

func TestAnErrorAboutADimensionOfNoFixedSizeSaysWhatToDo(t *testing.T) {
	client := newClient(t)
	for name, code := range map[string]string{
		"an argument": `func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.add %a, %a : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}`,
		"as many as an argument says": `func.func @main(%n: tensor<1xi32>) -> tensor<?xf32> {
  %0 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}`,
		"a shape that an argument says": `func.func @main(%a: tensor<4xf32>, %n: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %a, %n : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}`,
	} {
		_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(code)}, nil)
		assert.ErrorContains(t, err, "export the program once for each shape of its arguments", name)
	}
	_, err := client.Compile(context.Background(), pjrt.Program{Code: []byte(strings.Replace(add, "stablehlo.add", "stablehlo.ad", 1))}, nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "export the program", "another mistake")
}

func TestProgramsThatNoPluginReadsAreRefused(t *testing.T) {
	client := newClient(t)
	exported, err := os.ReadFile("testdata/predict.exported")
	require.NoError(t, err)
	for want, program := range map[string]pjrt.Program{
		"jax.export.deserialize(data).mlir_module_serialized": {Code: exported},
		"that Exported.serialize of jax.export wrote":         {Code: exported, Format: pjrt.FormatMLIR},
		"the program is empty":                                {},
		"the program is HLO in text":                          {Code: []byte("HloModule add\n\nENTRY %main () -> f32[] {}\n")},
		"of the program contains a NUL byte":                  {Code: []byte(add), Format: "ml\x00ir"},
	} {
		_, err := client.Compile(context.Background(), program, nil)
		require.ErrorIs(t, err, pjrt.ErrInvalidArgument)
		assert.ErrorContains(t, err, want)
	}
}

func FuzzProgramHeader(f *testing.F) {
	f.Add([]byte(add))
	f.Add([]byte("ML\xefR\x0dStableHLO_v1.2.30\x00rest"))
	f.Add([]byte("\x0a\x07\x0a\x01m\x1a\x02\x0a\x00\x12\x00"))
	f.Fuzz(func(t *testing.T, code []byte) {
		assert.Contains(t, []pjrt.Format{pjrt.FormatMLIR, pjrt.FormatHLO, pjrt.FormatHLOWithConfig}, pjrt.DetectFormat(code))
	})
}

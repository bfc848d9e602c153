// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
)

// cudnnCase is an attention as testdata/attention.py has them.
type cudnnCase struct {
	layout  compute.AttentionAxesLayout
	shared  int // heads of keys and values
	dtype   dtypes.DType
	lengths bool
	options compute.ScaledDotProductAttentionConfig
}

var cudnnCases = map[string]cudnnCase{
	"plain":   {layout: compute.AttentionAxesLayoutBSHD, shared: 4, dtype: dtypes.BFloat16},
	"causal":  {layout: compute.AttentionAxesLayoutBSHD, shared: 4, dtype: dtypes.BFloat16, options: compute.ScaledDotProductAttentionConfig{Scale: 0.25, Causal: true}},
	"lengths": {layout: compute.AttentionAxesLayoutBSHD, shared: 4, dtype: dtypes.Float16, lengths: true},
	"causal lengths": {layout: compute.AttentionAxesLayoutBHSD, shared: 4, dtype: dtypes.BFloat16, lengths: true,
		options: compute.ScaledDotProductAttentionConfig{Causal: true}},
	"shared heads": {layout: compute.AttentionAxesLayoutBSHD, shared: 2, dtype: dtypes.BFloat16},
	"heads first":  {layout: compute.AttentionAxesLayoutBHSD, shared: 2, dtype: dtypes.Float16},
}

// build makes a program with the output of an attention, and the gradients of query, key and
// values.
func (c cudnnCase) build(t testing.TB, b compute.Backend) compute.Builder {
	builder := b.Builder("attention")
	main := builder.Main()
	parameter := func(name string, dtype dtypes.DType, dims ...int) compute.Value {
		v, err := main.Parameter(name, shapes.Make(dtype, dims...), nil)
		require.NoError(t, err)
		return v
	}
	array := func(name string, heads, positions int) compute.Value {
		return parameter(name, c.dtype, c.dims(heads, positions)...)
	}
	q, k, v, dOut := array("q", 4, 128), array("k", c.shared, 256), array("v", c.shared, 256), array("dOut", 4, 128)
	options := c.options
	if c.lengths {
		options.QuerySeqLen, options.KeyValueSeqLen = parameter("queries", dtypes.Int32, 2), parameter("keys", dtypes.Int32, 2)
	}
	out, states, err := main.FusedScaledDotProductAttention(q, k, v, c.layout, &options)
	require.NoError(t, err)
	dq, dk, dv, err := main.FusedScaledDotProductAttentionVJP(q, k, v, c.layout, &options, out, states, dOut)
	require.NoError(t, err)
	for _, pair := range [][2]compute.Value{{q, out}, {q, dq}, {k, dk}, {v, dv}} {
		want, err := builder.OpShape(pair[0])
		require.NoError(t, err)
		got, err := builder.OpShape(pair[1])
		require.NoError(t, err)
		assert.True(t, want.Equal(got), "%s and %s", want, got)
	}
	require.NoError(t, main.Return([]compute.Value{out, dq, dk, dv}, nil))
	return builder
}

// customCall is what a custom call says, in the form of testdata/attention.json.
type customCall struct {
	Target         string          `json:"target"`
	APIVersion     int             `json:"api_version"`
	BackendConfig  json.RawMessage `json:"backend_config"`
	OperandLayouts []string        `json:"operand_layouts"`
	ResultLayouts  []string        `json:"result_layouts"`
	Operands       []string        `json:"operands"`
	Results        []string        `json:"results"`
}

var (
	callText   = regexp.MustCompile(`(?s)"stablehlo.custom_call"\([^)]*\) *(?:<)?\{(.*?)\n? *\}>? *: \((.*?)\) -> \(?(.*?)\)?\n`)
	targetText = regexp.MustCompile(`call_target_name = "(.*?)"`)
	apiText    = regexp.MustCompile(`api_version = (\d+)`)
	configText = regexp.MustCompile(`backend_config = ("(?:[^"\\]|\\.)*")`)
)

func readCalls(t testing.TB, text string) (calls []customCall) {
	lists := func(text string, pattern string) (list []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
			// A list of one number is written with or without brackets.
			if one := strings.Trim(m[1], "[]"); strings.HasPrefix(m[1], "[") && !strings.Contains(one, ",") {
				m[1] = one
			}
			list = append(list, m[1])
		}
		return list
	}
	for _, m := range callText.FindAllStringSubmatch(text, -1) {
		var c customCall
		c.Target = targetText.FindStringSubmatch(m[1])[1]
		c.APIVersion, _ = strconv.Atoi(apiText.FindStringSubmatch(m[1])[1])
		quoted := regexp.MustCompile(`\\([0-9A-F]{2})`).ReplaceAllString(configText.FindStringSubmatch(m[1])[1], `\x$1`)
		config, err := strconv.Unquote(quoted)
		require.NoError(t, err, quoted)
		c.BackendConfig = json.RawMessage(config)
		operands, results, found := strings.Cut(m[1], "result_layouts")
		require.True(t, found)
		c.OperandLayouts, c.ResultLayouts = lists(operands, "dense<(.*?)>"), lists(results, "dense<(.*?)>")
		c.Operands, c.Results = lists(m[2], "tensor<(.*?)>"), lists(m[3], "tensor<(.*?)>")
		calls = append(calls, c)
	}
	return calls
}

// On CUDA devices, the calls of attention are those that JAX makes.
func TestAttentionThroughCuDNNIsJAXs(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	gomlx.SetCuDNN(b, 128)
	data, err := os.ReadFile("testdata/attention.json")
	require.NoError(t, err)
	var all map[string][]customCall
	require.NoError(t, json.Unmarshal(data, &all))
	require.Len(t, all, len(cudnnCases))
	for name, c := range cudnnCases {
		text, err := gomlx.Text(c.build(t, b))
		require.NoError(t, err)
		got := readCalls(t, text)
		if !assert.Len(t, got, len(all[name]), text) {
			return
		}
		for i, want := range all[name] {
			assert.JSONEq(t, string(want.BackendConfig), string(got[i].BackendConfig), name)
			want.BackendConfig, got[i].BackendConfig = nil, nil
			assert.Equal(t, want, got[i], name)
		}
	}
}

func TestDevicesSayWhatCuDNNCanDo(t *testing.T) {
	t.Parallel()
	for capability, want := range map[string]int{"7.5": 0, "8.0": 128, "8.9": 128, "9.0": 256, "10.3": 256, "": 0, "gfx942": 0} {
		assert.Equal(t, want, gomlx.FeaturesOf(capability), capability)
	}
	assert.Zero(t, gomlx.Features(nil))
}

// What cuDNN cannot compute, and all on other devices, is made of StableHLO's operations.
func TestAttentionThatCuDNNLacksIsMadeOfOperations(t *testing.T) {
	t.Parallel()
	type config = compute.ScaledDotProductAttentionConfig
	for name, c := range map[string]struct {
		features int // of cuDNN's
		dtype    dtypes.DType
		dims     []int
		value    int // features of the values
		masked   bool
		want     bool
	}{
		"half":            {128, dtypes.Float16, []int{1, 2, 16, 128}, 128, false, true},
		"no cuDNN":        {0, dtypes.Float16, []int{1, 2, 16, 128}, 128, false, false},
		"float32":         {128, dtypes.Float32, []int{1, 2, 16, 128}, 128, false, false},
		"many features":   {128, dtypes.Float16, []int{1, 2, 16, 136}, 136, false, false},
		"large heads":     {256, dtypes.Float16, []int{1, 2, 16, 136}, 136, false, true},
		"odd features":    {128, dtypes.Float16, []int{1, 2, 16, 12}, 12, false, false},
		"other values":    {128, dtypes.Float16, []int{1, 2, 16, 64}, 32, false, false},
		"mask":            {128, dtypes.Float16, []int{1, 2, 16, 64}, 64, true, false},
		"no batch at all": {128, dtypes.Float16, []int{0, 2, 16, 64}, 64, false, false},
	} {
		b := open(t, "")
		gomlx.SetCuDNN(b, c.features)
		builder := b.Builder("attention")
		main := builder.Main()
		q, err := main.Parameter("q", shapes.Make(c.dtype, c.dims...), nil)
		require.NoError(t, err)
		v, err := main.Parameter("v", shapes.Make(c.dtype, append(c.dims[:3:3], c.value)...), nil)
		require.NoError(t, err)
		options := new(config)
		if c.masked {
			options.Mask, err = main.Parameter("mask", shapes.Make(dtypes.Bool, 16, 16), nil)
			require.NoError(t, err)
		}
		out, states, err := main.FusedScaledDotProductAttention(q, q, v, compute.AttentionAxesLayoutBHSD, options)
		require.NoError(t, err, name)
		require.NoError(t, main.Return([]compute.Value{out}, nil))
		text, err := gomlx.Text(builder)
		require.NoError(t, err)
		assert.Equal(t, c.want, strings.Contains(text, "custom_call"), name)
		assert.Equal(t, c.want, len(states) == 1, name)
	}
	_, err := gomlx.New("cpu,cudnn=maybe")
	assert.ErrorContains(t, err, "cudnn=maybe must be true or false")
}

// A program without sizes for its axes has the calls for the sizes of each execution.
func TestAttentionThroughCuDNNHasDynamicAxes(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	gomlx.SetCuDNN(b, 128)
	main := b.Builder("dynamic").Main()
	shape := shapes.MakeDynamic(dtypes.Float16, []int{shapes.DynamicDim, 2, shapes.DynamicDim, 64}, []string{"batch", "", "length", ""})
	q, err := main.Parameter("q", shape, nil)
	require.NoError(t, err)
	out, states, err := main.FusedScaledDotProductAttention(q, q, q, compute.AttentionAxesLayoutBHSD, nil)
	require.NoError(t, err)
	require.Len(t, states, 1)
	for v, want := range map[compute.Value]string{out: "[batch 2 length 64]", states[0]: "[batch 2 length]"} {
		shape, err := main.Builder().OpShape(v)
		require.NoError(t, err)
		var axes []string
		for axis, d := range shape.Dimensions {
			if axes = append(axes, strconv.Itoa(d)); d == shapes.DynamicDim {
				axes[axis] = shape.AxisName(axis)
			}
		}
		assert.Equal(t, want, "["+strings.Join(axes, " ")+"]")
	}
}

// Beyond the lengths there are zeros, as without cuDNN, which leaves there what it finds.
func TestNothingOfCuDNNsIsBeyondTheLengths(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	nan := float32(math.NaN())
	for layout, dims := range map[compute.AttentionAxesLayout][]int{
		compute.AttentionAxesLayoutBHSD: {3, 1, 2, 1}, compute.AttentionAxesLayoutBSHD: {3, 2, 1, 1},
	} {
		got := run(t, b, func(f compute.Function, x []compute.Value) ([]compute.Value, error) {
			like, err := gomlx.Kept(f, layout, x[0], x[2], x[3], true)
			if err != nil {
				return nil, err
			}
			keys, err := gomlx.Kept(f, layout, x[1], x[2], x[3], false)
			return []compute.Value{like, keys}, err
		}, arr([]float32{1, nan, 3, 4, nan, nan}, dims...), arr([]float32{1, 2, 3, nan, nan, nan}, dims...),
			vec[int32](1, 2, 2), vec[int32](2, 1, 0))
		same(t, arr([]float32{1, 0, 3, 4, 0, 0}, dims...), got[0])
		same(t, arr([]float32{1, 2, 3, 0, 0, 0}, dims...), got[1])
	}
}

// In half precision, attention and its gradient are near those of f32, by cuDNN as by its parts.
func TestAttentionInHalfPrecisionIsNearThatOfF32(t *testing.T) {
	t.Parallel()
	b := open(t, "")
	for name, c := range cudnnCases {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			sizes := [][]int{c.dims(4, 128), c.dims(c.shared, 256), c.dims(c.shared, 256), c.dims(4, 128)}
			var half, whole []array
			for _, dims := range sizes {
				numbers := make([]float32, shapes.Make(dtypes.Float32, dims...).Size())
				for i := range numbers {
					numbers[i] = float32(r.IntN(257)-128) / 128 // exact in each type
				}
				whole = append(whole, arr(numbers, dims...))
				if c.dtype == dtypes.BFloat16 {
					half = append(half, arr(brains(numbers...), dims...))
				} else {
					half = append(half, arr(halves(numbers...), dims...))
				}
			}
			if c.lengths {
				lengths := []array{vec[int32](100, 128), vec[int32](256, 77)}
				half, whole = append(half, lengths...), append(whole, lengths...)
			}
			exact := c
			exact.dtype = dtypes.Float32
			want, got := execute(t, b, exact.build(t, b), whole), execute(t, b, c.build(t, b), half)
			for i, what := range []string{"the output", "the gradient of queries", "the gradient of keys", "the gradient of values"} {
				w, g := want[i].floats(), got[i].floats()
				var apart, all float64
				for j := range w {
					apart += (w[j] - g[j]) * (w[j] - g[j])
					all += w[j] * w[j]
				}
				assert.Less(t, math.Sqrt(apart/all), 0.02, what)
			}
		})
	}
}

// dims returns the dimensions of an array of some heads and positions.
func (c cudnnCase) dims(heads, positions int) []int {
	if c.layout == compute.AttentionAxesLayoutBHSD {
		return []int{2, heads, positions, 64}
	}
	return []int{2, positions, heads, 64}
}

// execute compiles a program and runs it once.
func execute(t testing.TB, b compute.Backend, builder compute.Builder, args []array) []array {
	t.Helper()
	exe, err := builder.Compile()
	require.NoError(t, err)
	defer exe.Finalize()
	return runOn(t, b, exe, args)
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/go-xla/stablehlo"
	xlashapes "github.com/gomlx/go-xla/types/shapes"

	"github.com/purepjrt/purepjrt/pjrt"
)

// On CUDA devices, cuDNN computes attention and its gradient without keeping the scores, through
// the custom calls that JAX makes for dot_product_attention(implementation="cudnn").

const (
	cudnnForward  = "__cudnn$fmhaSoftmax"
	cudnnBackward = "__cudnn$fmhaSoftmaxBackward"
)

// cudnnFeatures returns how many features heads may have for cuDNN's attention on these devices, or
// 0 if they have none.
func cudnnFeatures(client *pjrt.Client) int {
	if !strings.EqualFold(client.PlatformName(), "cuda") {
		return 0
	}
	var devices []*pjrt.DeviceDescription
	for _, d := range client.AddressableDevices() {
		devices = append(devices, d.Description())
	}
	return featuresOn(devices)
}

// featuresOn is cudnnFeatures for CUDA devices.
func featuresOn(devices []*pjrt.DeviceDescription) int {
	var all []int
	for _, d := range devices {
		n := 0
		for _, a := range d.Attributes() {
			if text, ok := a.Value.(string); ok && a.Name == "compute_capability" {
				n = featuresOf(text)
			}
		}
		all = append(all, n)
	}
	if len(all) == 0 {
		return 0
	}
	return slices.Min(all)
}

// featuresOf is featuresOn for a device of a compute capability, such as "9.0".
func featuresOf(capability string) int {
	major, _, _ := strings.Cut(capability, ".")
	switch n, _ := strconv.Atoi(major); {
	case n >= 9:
		return 256
	case n == 8:
		return 128
	}
	return 0
}

// onCuDNN reports whether cuDNN can compute the attention.
func (a *attention) onCuDNN() bool {
	b, t := a.f.builder, a.query.DType
	features := a.query.Dimensions[3]
	for _, v := range []compute.Value{a.in.query, a.in.key, a.in.values} {
		if slices.Contains(a.shape(v).Dimensions, 0) {
			return false
		}
	}
	return b.spread != sharded && a.options.Mask == nil && (t == dtypes.BFloat16 || t == dtypes.Float16) &&
		features%8 == 0 && features <= b.backend.cudnn && a.shape(a.in.values).Dimensions[3] == features
}

// cudnnDot is the dot_dimension_numbers of a product.
type cudnnDot struct {
	LHSContracting []string `json:"lhs_contracting_dimensions"`
	RHSContracting []string `json:"rhs_contracting_dimensions"`
	LHSBatch       []string `json:"lhs_batch_dimensions"`
	RHSBatch       []string `json:"rhs_batch_dimensions"`
}

// cudnnConfig returns the backend_config of a call for scores of these dimensions, which makes the
// given products.
func (a *attention) cudnnConfig(scores []int, products map[string]cudnnDot) (string, error) {
	dims := make([]string, len(scores))
	for i, d := range scores {
		dims[i] = strconv.Itoa(d)
	}
	element := map[dtypes.DType]string{dtypes.BFloat16: "BF16", dtypes.Float16: "F16"}[a.query.DType]
	mask := "NO_MASK"
	switch lengths := a.options.QuerySeqLen != nil; {
	case lengths && a.options.Causal:
		mask = "PADDING_CAUSAL"
	case lengths:
		mask = "PADDING"
	case a.options.Causal:
		mask = "CAUSAL"
	}
	none := []string{}
	config := map[string]any{
		"algorithm": map[string]any{
			"algo_id": "0", "math_type": "TENSOR_OP_MATH", "tuning_knobs": map[string]string{"17": "1", "24": "0"},
			"is_cudnn_frontend": true, "workspace_size": "0",
		},
		"fmha_scale": a.scale,
		"intermediate_tensor_shape": map[string]any{
			"element_type": element, "dimensions": dims, "tuple_shapes": none,
			"layout": map[string]any{
				"dim_level_types": none, "dim_unique": none, "dim_ordered": none, "minor_to_major": []string{"3", "2", "1", "0"},
				"tiles": none, "element_size_in_bits": "0", "memory_space": "0",
				"index_primitive_type": "PRIMITIVE_TYPE_INVALID", "pointer_primitive_type": "PRIMITIVE_TYPE_INVALID",
				"dynamic_shape_metadata_prefix_bytes": "0",
			},
			"is_dynamic_dimension": make([]bool, len(scores)),
		},
		"is_flash_attention": true, "mask_type": mask, "dropout_rate": 0, "seed": 42, "sliding_window_length": 0,
		"max_seg_per_batch": 1, "is_paged_attention": false,
	}
	for name, d := range products {
		config[name] = d
	}
	text, err := json.Marshal(map[string]any{"operation_queue_id": "0", "cudnn_fmha_backend_config": config})
	return string(text), err
}

// cudnnCall adds a call whose operands are query, key and values, then others, then the lengths if
// there are any. Its results are of these kinds, and have memory of cuDNN's own after them.
func (a *attention) cudnnCall(target string, products map[string]cudnnDot, others []compute.Value, kinds ...cudnnResult) []compute.Value {
	operands := append([]compute.Value{a.in.query, a.in.key, a.in.values}, others...)
	if a.options.QuerySeqLen != nil {
		operands = append(operands, a.options.QuerySeqLen, a.options.KeyValueSeqLen)
	}
	if a.err != nil {
		return nil
	}
	results, err := a.f.all(a.op, func(_ *function, in []*node) ([]*stablehlo.Value, error) {
		q, k := in[0].shape.Dimensions, in[1].shape.Dimensions
		config, err := a.cudnnConfig([]int{q[0], q[a.heads], q[a.seq], k[a.seq]}, products)
		if err != nil {
			return nil, err
		}
		values := make([]*stablehlo.Value, len(in))
		rowMajor := make([][]int, len(in))
		for i, n := range in {
			values[i] = n.value
		}
		t := in[0].value.Shape().DType
		var shapes []xlashapes.Shape
		var layouts [][]int
		for _, kind := range kinds {
			dims, layout := q, []int{3, 1, 2, 0}
			if kind == likeKey {
				dims = k
			}
			if a.seq > a.heads {
				layout = []int{3, 2, 1, 0}
			}
			if kind == statistics {
				shapes = append(shapes, xlashapes.Make(dtypes.Float32, q[0], q[a.heads], q[a.seq]))
				layout = []int{2, 1, 0}
			} else {
				shapes = append(shapes, xlashapes.Make(t, dims[0], dims[a.heads], dims[a.seq], q[3]))
			}
			layouts = append(layouts, layout)
		}
		shapes, layouts = append(shapes, xlashapes.Make(dtypes.Uint8, 0)), append(layouts, []int{0})
		out, err := stablehlo.CustomCallV2(target, config, values, rowMajor, shapes, layouts)
		if err != nil {
			return nil, err
		}
		return out[:len(kinds)], nil
	}, operands...)
	if a.err = err; err != nil {
		return nil
	}
	for i, kind := range kinds {
		if kind != statistics && a.seq < a.heads {
			results[i] = a.do(func() (compute.Value, error) { return a.f.Transpose(results[i], 0, 2, 1, 3) })
		}
	}
	return results
}

// cudnnResult says what a result of cuDNN is. It has the axes batch, head, position and feature,
// and memory in the order of the layout.
type cudnnResult int

const (
	likeQuery  cudnnResult = iota
	likeKey                // or like the values
	statistics             // of the softmax, which the gradient needs: batch, head and position
)

// batches returns the axes of a batch and its heads in an array of the layout.
func (a *attention) batches() []string { return []string{"0", strconv.Itoa(a.heads)} }

// cudnnForward adds the output of the attention, and what the gradient needs.
func (a *attention) cudnnForward() (output, stats compute.Value) {
	scores, seq := []string{"0", "1"}, strconv.Itoa(a.seq)
	results := a.cudnnCall(cudnnForward, map[string]cudnnDot{
		"bmm1_dot_dimension_numbers": {[]string{"3"}, []string{"3"}, a.batches(), a.batches()},
		"bmm2_dot_dimension_numbers": {[]string{"3"}, []string{seq}, scores, a.batches()},
	}, nil, likeQuery, statistics)
	if a.err != nil {
		return nil, nil
	}
	return a.kept(results[0], true), results[1]
}

// cudnnBackward adds the gradients of the query, key and values.
func (a *attention) cudnnBackward(output, stats, dOutput compute.Value) (dQuery, dKey, dValues compute.Value) {
	scores, seq := []string{"0", "1"}, strconv.Itoa(a.seq)
	results := a.cudnnCall(cudnnBackward, map[string]cudnnDot{
		"bmm1_grad_gemm1_dot_dimension_numbers": {[]string{"2"}, []string{seq}, scores, a.batches()},
		"bmm1_grad_gemm2_dot_dimension_numbers": {[]string{"3"}, []string{seq}, scores, a.batches()},
		"bmm2_grad_gemm1_dot_dimension_numbers": {[]string{"2"}, []string{seq}, scores, a.batches()},
		"bmm2_grad_gemm2_dot_dimension_numbers": {[]string{"3"}, []string{"3"}, a.batches(), a.batches()},
	}, []compute.Value{stats, a.kept(dOutput, true), output}, likeQuery, likeKey, likeKey)
	if a.err != nil {
		return nil, nil, nil
	}
	return a.kept(results[0], true), a.kept(results[1], false), a.kept(results[2], false)
}

// kept adds x, which is like the query or like the key, with zeros beyond the lengths: cuDNN leaves
// there what it finds. Queries without any key have zeros too.
func (a *attention) kept(x compute.Value, likeQuery bool) compute.Value {
	if a.options.QuerySeqLen == nil || a.err != nil {
		return x
	}
	shape := a.shape(x)
	positions := shape.Clone()
	positions.DType = dtypes.Int32
	within := func(at, lengths compute.Value) compute.Value {
		return a.binary((*Function).LessThan, at, a.spread(lengths, positions, []int{0}))
	}
	position := a.do(func() (compute.Value, error) { return a.f.Iota(positions, a.seq) })
	var real compute.Value
	if likeQuery {
		first := a.spread(a.number(dtypes.Int32, 0), positions, nil)
		real = a.binary((*Function).LogicalAnd, within(position, a.options.QuerySeqLen), within(first, a.options.KeyValueSeqLen))
	} else {
		real = within(position, a.options.KeyValueSeqLen)
	}
	return a.do(func() (compute.Value, error) { return a.f.Where(real, x, a.number(shape.DType, 0)) })
}

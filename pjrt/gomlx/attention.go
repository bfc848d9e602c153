// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package gomlx

import (
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
)

// FusedScaledDotProductAttention adds, for each query, the mean of the values, weighted by the
// softmax of the products of the query and the keys. A query that attends to nothing gives zeros.
// The states are nil: GoMLX finds the gradient from the operations that attention is made of.
func (f *Function) FusedScaledDotProductAttention(query, key, values compute.Value, layout compute.AttentionAxesLayout,
	options *compute.ScaledDotProductAttentionConfig) (output compute.Value, states []compute.Value, err error) {
	const op = compute.OpTypeFusedScaledDotProductAttention
	if options == nil {
		options = new(compute.ScaledDotProductAttentionConfig)
	}
	q, err := f.floats(op, []compute.Value{query, key, values})
	if err != nil {
		return nil, nil, err
	}
	m := &formula{f: f, op: op}
	k, v := m.shape(key), m.shape(values)
	heads, seq := layout.HeadsAxis(), layout.SeqAxis()
	switch {
	case layout != compute.AttentionAxesLayoutBHSD && layout != compute.AttentionAxesLayoutBSHD:
		return nil, nil, errorf("%s: there is no layout %s", op, layout)
	case q.Rank() != 4 || k.Rank() != 4 || v.Rank() != 4:
		return nil, nil, errorf("%s: the query, key and value need 4 axes, and are %s, %s and %s", op, q, k, v)
	case q.Dimensions[heads] < 1 || k.Dimensions[heads] < 1 || q.Dimensions[3] < 1:
		return nil, nil, errorf("%s: the numbers of heads, and their size, cannot be dynamic or 0, as in %s and %s", op, q, k)
	case q.Dimensions[heads]%k.Dimensions[heads] != 0:
		return nil, nil, errorf("%s: the %d heads of the query cannot share %d heads of the key",
			op, q.Dimensions[heads], k.Dimensions[heads])
	case q.Dimensions[3] != k.Dimensions[3] || !slices.Equal(k.Dimensions[:3], v.Dimensions[:3]) || q.Dimensions[0] != k.Dimensions[0]:
		return nil, nil, errorf("%s: the query %s, key %s and value %s do not fit together", op, q, k, v)
	case (options.QuerySeqLen == nil) != (options.KeyValueSeqLen == nil):
		return nil, nil, errorf("%s: the lengths of queries and keys must both be given, or neither", op)
	}
	scale := options.Scale
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(q.Dimensions[3]))
	}

	// The scores have the axes batch, head of the key, group (a head of the query), query, key.
	group := q.Dimensions[heads] / k.Dimensions[heads]
	grouped := m.do(func() (compute.Value, error) {
		dims := slices.Insert(slices.Clone(q.Dimensions), heads+1, group)
		dims[heads] = k.Dimensions[heads]
		return f.Reshape(query, dims...)
	})
	groupAxis, seqAxis := heads+1, seq
	if seq > heads {
		seqAxis++
	}
	grouped = m.do(func() (compute.Value, error) { return f.Transpose(grouped, 0, heads, groupAxis, seqAxis, 4) })
	scores := m.dot(grouped, []int{4}, []int{0, 1}, key, []int{3}, []int{0, heads})
	scores = m.mul(scores, m.number(q.DType, scale))
	to := m.shape(scores)
	if m.err != nil {
		return nil, nil, wrapf(m.err, "%s", op)
	}
	if options.Bias != nil {
		if _, err := f.floats(op, []compute.Value{query, options.Bias}); err != nil {
			return nil, nil, err
		}
		scores = m.add(scores, m.overScores(options.Bias, to))
	}
	attends, err := m.mask(options, layout, to, &scores)
	if err != nil {
		return nil, nil, err
	}
	var weights compute.Value
	if attends == nil {
		weights = m.softmax(scores, 4)
	} else {
		weights = m.maskedSoftmax(scores, attends)
	}
	out := m.dot(weights, []int{4}, []int{0, 1}, values, []int{seq}, []int{0, heads})
	// The axes are batch, head of the key, group, query, feature.
	order := []int{0, 1, 2, 3, 4}
	if layout == compute.AttentionAxesLayoutBSHD {
		order = []int{0, 3, 1, 2, 4}
	}
	out = m.do(func() (compute.Value, error) { return f.Transpose(out, order...) })
	out = m.do(func() (compute.Value, error) {
		dims := slices.Clone(q.Dimensions)
		dims[3] = v.Dimensions[3]
		return f.Reshape(out, dims...)
	})
	out, err = m.result(out)
	return out, nil, err
}

// mask adds a mask of numbers to the scores, and returns what booleans and lengths say about which
// query attends to which key, or nil if all attend to all.
func (m *formula) mask(options *compute.ScaledDotProductAttentionConfig, layout compute.AttentionAxesLayout, to shapes.Shape,
	scores *compute.Value) (compute.Value, error) {
	f := m.f
	var attends compute.Value
	also := func(condition compute.Value) {
		if attends == nil {
			attends = condition
		} else {
			attends = m.binary((*Function).LogicalAnd, attends, condition)
		}
	}
	booleans := to.Clone()
	booleans.DType = dtypes.Bool
	if options.Mask != nil {
		masks, err := f.operands(m.op, []compute.Value{options.Mask})
		if err != nil {
			return nil, err
		}
		over := m.overLayout(options.Mask, to, layout)
		switch {
		case masks[0].shape.DType == dtypes.Bool:
			also(over)
		case masks[0].shape.DType == to.DType:
			*scores = m.add(*scores, over)
		default:
			return nil, errorf("%s: the mask must be of dtype Bool or %s, and is %s", m.op, to.DType, masks[0].shape)
		}
	}
	position := func(axis int) compute.Value {
		positions := to.Clone()
		positions.DType = dtypes.Int32
		return m.do(func() (compute.Value, error) { return f.Iota(positions, axis) })
	}
	if options.Causal {
		also(m.binary((*Function).LessOrEqual, position(4), position(3)))
	}
	for axis, lengths := range map[int]compute.Value{3: options.QuerySeqLen, 4: options.KeyValueSeqLen} {
		if lengths == nil {
			continue
		}
		n, err := f.operands(m.op, []compute.Value{lengths})
		if err != nil {
			return nil, err
		}
		if n[0].shape.DType != dtypes.Int32 || n[0].shape.Rank() != 1 {
			return nil, errorf("%s: lengths must be Int32, one for each batch, and are %s", m.op, n[0].shape)
		}
		also(m.binary((*Function).LessThan, position(axis), m.spread(lengths, to, []int{0})))
	}
	return attends, m.err
}

// overScores adds x, whose axes are the last of batch, head of the query, query and key, broadcast
// to the scores.
func (m *formula) overScores(x compute.Value, to shapes.Shape) compute.Value {
	shape := m.shape(x)
	if m.err == nil && (shape.Rank() > 4 || shape.IsDynamic() && shape.Rank() > 2) {
		m.err = errorf("%s cannot be broadcast to the scores", shape)
	}
	if m.err != nil {
		return nil
	}
	dims := append(slices.Repeat([]int{1}, 4-shape.Rank()), shape.Dimensions...)
	if dims[1] == 1 {
		dims = slices.Insert(dims, 1, 1)
	} else {
		dims = slices.Insert(dims, 1, to.Dimensions[1])
		dims[2] = to.Dimensions[2]
	}
	x = m.do(func() (compute.Value, error) { return m.f.Reshape(x, dims...) })
	return m.spread(x, to, []int{0, 1, 2, 3, 4})
}

// overLayout is overScores for masks: those with 4 axes have them in the order of the layout.
func (m *formula) overLayout(x compute.Value, to shapes.Shape, layout compute.AttentionAxesLayout) compute.Value {
	if m.shape(x).Rank() == 4 && layout == compute.AttentionAxesLayoutBSHD {
		x = m.do(func() (compute.Value, error) { return m.f.Transpose(x, 0, 2, 1, 3) })
	}
	return m.overScores(x, to)
}

// maskedSoftmax adds the softmax along the last axis over the scores that a condition holds for,
// and zeros for the others.
func (m *formula) maskedSoftmax(scores, attends compute.Value) compute.Value {
	shape := m.shape(scores)
	where := func(onTrue, onFalse compute.Value) compute.Value {
		return m.do(func() (compute.Value, error) { return m.f.Where(attends, onTrue, onFalse) })
	}
	last := []int{shape.Rank() - 1}
	zero, lowest := m.number(shape.DType, 0), m.number(shape.DType, math.Inf(-1))
	peak := m.reduced(largest, where(scores, lowest), last)
	exp := where(m.unary((*Function).Exp, where(m.sub(scores, peak), zero)), zero)
	return where(m.div(exp, m.reduced(sum, exp, last)), zero)
}

// FusedScaledDotProductAttentionVJP returns an error with compute.ErrNotImplemented in its chain,
// so that GoMLX finds the gradient from the operations that attention is made of.
func (f *Function) FusedScaledDotProductAttentionVJP(_, _, _ compute.Value, _ compute.AttentionAxesLayout,
	_ *compute.ScaledDotProductAttentionConfig, _ compute.Value, _ []compute.Value, _ compute.Value) (
	dQuery, dKey, dValue compute.Value, err error) {
	return nil, nil, nil, notImplemented(compute.OpTypeFusedScaledDotProductAttentionVJP, "GoMLX differentiates attention")
}

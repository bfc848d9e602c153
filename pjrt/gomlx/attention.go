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

// attention is what an attention and its gradient have in common. Queries, scores and weights have
// the axes batch, head of the key, group (a head of the query), query, and feature or key.
type attention struct {
	*formula
	in         struct{ query, key, values compute.Value }
	options    *compute.ScaledDotProductAttentionConfig
	heads, seq int          // axes of the query, key and values
	query      shapes.Shape // as GoMLX gives it
	group      int          // heads of the query that share one of the key
	scale      float64
	grouped    compute.Value // the query; see weigh
	weights    compute.Value // the softmax of the scores; see weigh
}

// attention checks the arguments of an attention.
func (f *Function) attention(op compute.OpType, query, key, values compute.Value, layout compute.AttentionAxesLayout,
	options *compute.ScaledDotProductAttentionConfig) (*attention, error) {
	if options == nil {
		options = new(compute.ScaledDotProductAttentionConfig)
	}
	q, err := f.floats(op, []compute.Value{query, key, values})
	if err != nil {
		return nil, err
	}
	m := &formula{f: f, op: op}
	k, v := m.shape(key), m.shape(values)
	heads, seq := layout.HeadsAxis(), layout.SeqAxis()
	switch {
	case layout != compute.AttentionAxesLayoutBHSD && layout != compute.AttentionAxesLayoutBSHD:
		return nil, errorf("%s: there is no layout %s", op, layout)
	case q.Rank() != 4 || k.Rank() != 4 || v.Rank() != 4:
		return nil, errorf("%s: the query, key and value need 4 axes, and are %s, %s and %s", op, q, k, v)
	case q.Dimensions[heads] < 1 || k.Dimensions[heads] < 1 || q.Dimensions[3] < 1:
		return nil, errorf("%s: the numbers of heads, and their size, cannot be dynamic or 0, as in %s and %s", op, q, k)
	case q.Dimensions[heads]%k.Dimensions[heads] != 0:
		return nil, errorf("%s: the %d heads of the query cannot share %d heads of the key",
			op, q.Dimensions[heads], k.Dimensions[heads])
	case q.Dimensions[3] != k.Dimensions[3] || !slices.Equal(k.Dimensions[:3], v.Dimensions[:3]) || q.Dimensions[0] != k.Dimensions[0]:
		return nil, errorf("%s: the query %s, key %s and value %s do not fit together", op, q, k, v)
	case (options.QuerySeqLen == nil) != (options.KeyValueSeqLen == nil):
		return nil, errorf("%s: the lengths of queries and keys must both be given, or neither", op)
	}
	numeric := options.Bias
	if options.Mask != nil {
		masks, err := f.operands(op, []compute.Value{options.Mask})
		if err != nil {
			return nil, err
		}
		switch t := masks[0].shape.DType; {
		case t.IsFloat():
			numeric = options.Mask
		case t != dtypes.Bool:
			return nil, errorf("%s: the mask must be of dtype Bool or of floats, and is %s", op, masks[0].shape)
		}
	}
	if numeric != nil {
		return nil, notImplemented(op, "what is added to the scores may be learned, and the operation has no gradient of it")
	}
	if options.QuerySeqLen != nil {
		lengths, err := f.operands(op, []compute.Value{options.QuerySeqLen, options.KeyValueSeqLen})
		if err != nil {
			return nil, err
		}
		for _, n := range lengths {
			if n.shape.DType != dtypes.Int32 || n.shape.Rank() != 1 || !fits(n.shape.Dimensions[0], q.Dimensions[0]) {
				return nil, errorf("%s: lengths must be Int32, one for each batch of %s, and are %s", op, q, n.shape)
			}
		}
	}
	a := &attention{formula: m, options: options, heads: heads, seq: seq, query: q,
		group: q.Dimensions[heads] / k.Dimensions[heads], scale: options.Scale}
	a.in.query, a.in.key, a.in.values = query, key, values
	if a.scale == 0 {
		a.scale = 1 / math.Sqrt(float64(q.Dimensions[3]))
	}
	return a, nil
}

// fits reports whether two sizes may be equal.
func fits(l, r int) bool { return l == r || l == shapes.DynamicDim || r == shapes.DynamicDim }

// weigh adds the weights of the attention.
func (a *attention) weigh(layout compute.AttentionAxesLayout) error {
	m := a.formula
	a.grouped = a.split(a.in.query)
	scores := m.dot(a.grouped, []int{4}, []int{0, 1}, a.in.key, []int{3}, []int{0, a.heads})
	scores = m.mul(scores, m.number(a.query.DType, a.scale))
	to := m.shape(scores)
	if m.err != nil {
		return wrapf(m.err, "%s", a.op)
	}
	attends, err := m.mask(a.options, layout, to)
	if err != nil {
		return err
	}
	if attends == nil {
		a.weights = m.softmax(scores, 4)
	} else {
		a.weights = m.maskedSoftmax(scores, attends)
	}
	return nil
}

// split adds x, which has the heads of the query, with the axes of scores.
func (a *attention) split(x compute.Value) compute.Value {
	shape := a.shape(x)
	parts := a.do(func() (compute.Value, error) {
		dims := slices.Insert(slices.Clone(shape.Dimensions), a.heads+1, a.group)
		dims[a.heads] /= a.group
		return a.f.Reshape(x, dims...)
	})
	seq := a.seq
	if seq > a.heads {
		seq++
	}
	return a.do(func() (compute.Value, error) { return a.f.Transpose(parts, 0, a.heads, a.heads+1, seq, 4) })
}

// join is the opposite of split, for an array of which each query has so many features.
func (a *attention) join(x compute.Value, features int) compute.Value {
	order := []int{0, 1, 2, 3, 4}
	if a.seq < a.heads {
		order = []int{0, 3, 1, 2, 4}
	}
	x = a.do(func() (compute.Value, error) { return a.f.Transpose(x, order...) })
	return a.do(func() (compute.Value, error) {
		dims := slices.Clone(a.query.Dimensions)
		dims[3] = features
		return a.f.Reshape(x, dims...)
	})
}

// FusedScaledDotProductAttention adds, for each query, the mean of the values, weighted by the
// softmax of the products of the query and the keys. A query that attends to nothing gives zeros.
// The gradient needs states only if cuDNN computes the attention. A bias, and a mask of numbers,
// are errors with compute.ErrNotImplemented in their chain: the gradient would leave them out.
func (f *Function) FusedScaledDotProductAttention(query, key, values compute.Value, layout compute.AttentionAxesLayout,
	options *compute.ScaledDotProductAttentionConfig) (output compute.Value, states []compute.Value, err error) {
	a, err := f.attention(compute.OpTypeFusedScaledDotProductAttention, query, key, values, layout, options)
	if err != nil {
		return nil, nil, err
	}
	if a.onCuDNN() {
		out, stats := a.cudnnForward()
		output, err = a.result(out)
		return output, []compute.Value{stats}, err
	}
	if err := a.weigh(layout); err != nil {
		return nil, nil, err
	}
	out := a.dot(a.weights, []int{4}, []int{0, 1}, values, []int{a.seq}, []int{0, a.heads})
	output, err = a.result(a.join(out, a.shape(values).Dimensions[3]))
	return output, nil, err
}

// FusedScaledDotProductAttentionVJP adds the gradients of the query, key and values for that of the
// output. It computes the weights again, unless XLA finds those of the attention, or cuDNN computed
// the attention.
func (f *Function) FusedScaledDotProductAttentionVJP(query, key, values compute.Value, layout compute.AttentionAxesLayout,
	options *compute.ScaledDotProductAttentionConfig, output compute.Value, states []compute.Value, dOutput compute.Value) (
	dQuery, dKey, dValues compute.Value, err error) {
	const op = compute.OpTypeFusedScaledDotProductAttentionVJP
	a, err := f.attention(op, query, key, values, layout, options)
	if err != nil {
		return nil, nil, nil, err
	}
	if _, err := f.floats(op, []compute.Value{query, dOutput}); err != nil {
		return nil, nil, nil, err
	}
	want := slices.Clone(a.query.Dimensions)
	want[3] = a.shape(values).Dimensions[3]
	if out := a.shape(dOutput); !slices.Equal(out.Dimensions, want) {
		return nil, nil, nil, errorf("%s: the gradient of the output is %s, and the output has the dimensions %v", op, out, want)
	}
	if len(states) == 1 && a.onCuDNN() {
		if dQuery, dKey, dValues = a.cudnnBackward(output, states[0], dOutput); a.err != nil {
			return nil, nil, nil, wrapf(a.err, "%s", op)
		}
		return dQuery, dKey, dValues, nil
	}
	if err := a.weigh(layout); err != nil {
		return nil, nil, nil, err
	}
	dOut := a.split(dOutput)
	dWeights := a.dot(dOut, []int{4}, []int{0, 1}, values, []int{3}, []int{0, a.heads})
	centered := a.sub(dWeights, a.reduced(sum, a.mul(a.weights, dWeights), []int{4}))
	dScores := a.mul(a.mul(a.weights, centered), a.number(a.query.DType, a.scale))

	dQuery = a.join(a.dot(dScores, []int{4}, []int{0, 1}, key, []int{a.seq}, []int{0, a.heads}), a.query.Dimensions[3])
	// The queries of a group share keys and values, whose gradients have the axes batch, head, key
	// and feature.
	shared := func(weights, x compute.Value) compute.Value {
		sums := a.dot(weights, []int{2, 3}, []int{0, 1}, x, []int{2, 3}, []int{0, 1})
		if a.seq > a.heads {
			return sums
		}
		return a.do(func() (compute.Value, error) { return f.Transpose(sums, 0, 2, 1, 3) })
	}
	dKey, dValues = shared(dScores, a.grouped), shared(a.weights, dOut)
	if a.err != nil {
		return nil, nil, nil, wrapf(a.err, "%s", op)
	}
	return dQuery, dKey, dValues, nil
}

// mask returns what booleans and lengths say about which query attends to which key, or nil if all
// attend to all.
func (m *formula) mask(options *compute.ScaledDotProductAttentionConfig, layout compute.AttentionAxesLayout, to shapes.Shape) (
	compute.Value, error) {
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
		also(m.overLayout(options.Mask, to, layout))
	}
	position := func(axis int) compute.Value {
		positions := to.Clone()
		positions.DType = dtypes.Int32
		return m.do(func() (compute.Value, error) { return f.Iota(positions, axis) })
	}
	if options.Causal {
		also(m.binary((*Function).LessOrEqual, position(4), position(3)))
	}
	for i, lengths := range []compute.Value{options.QuerySeqLen, options.KeyValueSeqLen} {
		if lengths == nil {
			continue
		}
		also(m.binary((*Function).LessThan, position(3+i), m.spread(lengths, to, []int{0})))
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

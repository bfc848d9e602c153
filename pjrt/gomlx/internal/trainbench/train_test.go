// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package trainbench

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/xla"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/gomlx/pkg/ml/layers"
	"github.com/gomlx/gomlx/pkg/ml/layers/activations"
	"github.com/gomlx/gomlx/pkg/ml/train"
	"github.com/gomlx/gomlx/pkg/ml/train/losses"
	"github.com/gomlx/gomlx/pkg/ml/train/optimizers"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// model is a model of dense layers that classifies vectors.
type model struct {
	name     string
	features int
	hidden   []int
	classes  int
	batch    int
	steps    int // in one turn
}

var models = []model{
	{"linear", 2, nil, 2, 100, 200},
	{"digits", 784, []int{128}, 10, 64, 20},
	{"deep", 32, slices.Repeat([]int{32}, 20), 10, 32, 20},
	{"wide", 1024, []int{1024}, 10, 16, 4},
}

func (m model) graph(ctx *context.Context, _ any, inputs []*graph.Node) []*graph.Node {
	x := inputs[0]
	for i, width := range m.hidden {
		x = activations.Relu(layers.Dense(ctx.In(fmt.Sprint("layer", i)), x, true, width))
	}
	return []*graph.Node{layers.Dense(ctx.In("last"), x, true, m.classes)}
}

// session trains a model with a backend.
type session struct {
	trainer        *train.Trainer
	infer          *context.Exec
	inputs, labels []*tensors.Tensor
}

func newSession(backend backends.Backend, m model) *session {
	r := rand.New(rand.NewPCG(1, 2))
	s := new(session)
	for range 4 {
		x, y := make([][]float32, m.batch), make([][]int32, m.batch)
		for i := range x {
			x[i], y[i] = make([]float32, m.features), []int32{r.Int32N(int32(m.classes))}
			for k := range x[i] {
				x[i][k] = r.Float32() + float32(y[i][0])
			}
		}
		s.inputs, s.labels = append(s.inputs, tensors.FromValue(x)), append(s.labels, tensors.FromValue(y))
	}
	ctx := context.New()
	s.trainer = train.NewTrainer(backend, ctx, m.graph, losses.SparseCategoricalCrossEntropyLogits, optimizers.Adam().Done(), nil, nil)
	s.train(4)
	s.infer = context.MustNewExec(backend, ctx.Reuse(), func(ctx *context.Context, x *graph.Node) *graph.Node {
		return m.graph(ctx, nil, []*graph.Node{x})[0]
	})
	return s
}

// train runs steps and reads the loss of the last one, as training loops do.
func (s *session) train(steps int) {
	var loss float32
	for i := range steps {
		k := i % len(s.inputs)
		metrics, err := s.trainer.TrainStep(nil, s.inputs[k:k+1], s.labels[k:k+1])
		if err != nil {
			panic(err)
		}
		loss = tensors.ToScalar[float32](metrics[0])
		for _, m := range metrics {
			m.MustFinalizeAll()
		}
	}
	if loss != loss {
		panic("the loss is NaN")
	}
}

// predict runs the model as it was trained.
func (s *session) predict(steps int) {
	for i := range steps {
		s.infer.MustExec(s.inputs[i%len(s.inputs)])[0].MustFinalizeAll()
	}
}

// BenchmarkGoMLX measures a step of training, and a prediction, with both backends, which
// take turns within one run, so that a noisy machine is unfair to both of them alike. The
// metrics are microseconds, from the best tenth of the turns, and their ratio to the XLA
// backend's.
func BenchmarkGoMLX(b *testing.B) {
	path := plugintest.Path(b, "cpu")
	ours, err := gomlx.New(path)
	require.NoError(b, err)
	defer ours.Finalize()
	theirs, err := xla.New(path + ",shared_buffers")
	require.NoError(b, err)
	defer theirs.Finalize()
	for _, m := range models {
		both := sync.OnceValue(func() []*session { return []*session{newSession(ours, m), newSession(theirs, m)} })
		for _, work := range []struct {
			name string
			run  func(*session)
		}{
			{"train", func(s *session) { s.train(m.steps) }},
			{"predict", func(s *session) { s.predict(m.steps) }},
		} {
			b.Run(m.name+"/"+work.name, func(b *testing.B) {
				sessions := both()
				times := make([][]float64, len(sessions))
				for range max(b.N, 1) {
					for turn := range 30 {
						for k := range sessions {
							i := (turn + k) % len(sessions)
							start := time.Now()
							work.run(sessions[i])
							times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/1e3/float64(m.steps))
						}
					}
				}
				// Other programs can only make a turn slower, never faster.
				for _, list := range times {
					slices.Sort(list)
				}
				pjrt, cgo := times[0][len(times[0])/10], times[1][len(times[1])/10]
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(pjrt, "pjrt-µs")
				b.ReportMetric(cgo, "xla-µs")
				b.ReportMetric(pjrt/cgo, "pjrt/xla")
			})
		}
	}
}

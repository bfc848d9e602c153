// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo

package trainbench

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/layers/norm"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/gomlx"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// task is a model that classifies arrays.
type task struct {
	name    string
	dims    []int // of an example
	classes int
	batch   int
	steps   int // in one turn
	model   func(scope *model.Scope, x *graph.Node, classes int) *graph.Node
}

var tasks = []task{
	{"linear", []int{2}, 2, 100, 200, func(scope *model.Scope, x *graph.Node, classes int) *graph.Node {
		return layers.Dense(scope.In("last"), x, true, classes)
	}},
	{"MLP", []int{784}, 10, 64, 20, func(scope *model.Scope, x *graph.Node, classes int) *graph.Node {
		for range 2 {
			x = activation.Relu(layers.Dense(scope.In("layer"), x, true, 128))
			scope = scope.In("next")
		}
		return layers.Dense(scope.In("last"), x, true, classes)
	}},
	{"deep MLP", []int{32}, 10, 32, 20, func(scope *model.Scope, x *graph.Node, classes int) *graph.Node {
		for i := range 20 {
			x = activation.Relu(layers.Dense(scope.In("layer%d", i), x, true, 32))
		}
		return layers.Dense(scope.In("last"), x, true, classes)
	}},
	{"CNN", []int{28, 28, 1}, 10, 16, 4, func(scope *model.Scope, x *graph.Node, classes int) *graph.Node {
		for i, channels := range []int{8, 16} {
			x = layers.Convolution(scope.In("convolution%d", i), x).Channels(channels).KernelSize(3).Strides(2).PadSame().Done()
			x = activation.Relu(x)
		}
		x = graph.Reshape(x, x.Shape().Dimensions[0], -1)
		return layers.Dense(scope.In("last"), x, true, classes)
	}},
	{"transformer block", []int{32, 64}, 10, 8, 4, func(scope *model.Scope, x *graph.Node, classes int) *graph.Node {
		attended := attention.SelfAttention(scope.In("attention"), x, 4, 16).WithCausalMask(true).Done()
		x = norm.LayerNorm(scope.In("norm0"), graph.Add(x, attended), -1).Done()
		y := activation.Gelu(layers.Dense(scope.In("wide"), x, true, 256))
		x = norm.LayerNorm(scope.In("norm1"), graph.Add(x, layers.Dense(scope.In("narrow"), y, true, 64)), -1).Done()
		return layers.Dense(scope.In("last"), graph.ReduceMean(x, 1), true, classes)
	}},
}

// session trains a model with a backend.
type session struct {
	trainer *train.Trainer
	infer   *model.Exec
	shape   []int // of a batch
	x       [][]float32
	labels  [][]int32
	inputs  []*tensors.Tensor
}

func newSession(backend compute.Backend, k task) *session {
	r := rand.New(rand.NewPCG(1, 2))
	s := &session{shape: append([]int{k.batch}, k.dims...)}
	size := 1
	for _, d := range k.dims {
		size *= d
	}
	for range 4 {
		x, y := make([]float32, k.batch*size), make([]int32, k.batch)
		for i := range y {
			y[i] = r.Int32N(int32(k.classes))
			for d := range size {
				x[i*size+d] = r.Float32() + float32(y[i])/float32(k.classes)
			}
		}
		s.x, s.labels = append(s.x, x), append(s.labels, y)
		s.inputs = append(s.inputs, tensors.FromFlatDataAndDimensions(x, s.shape...))
	}
	store := model.NewStore()
	f := func(scope *model.Scope, x *graph.Node) *graph.Node { return k.model(scope, x, k.classes) }
	s.trainer = train.NewTrainer(backend, store, f, loss.SparseCategoricalCrossEntropyLogits, optimizer.Adam().Done(), nil, nil)
	s.train(4)
	s.infer = model.MustNewExec(backend, store, f)
	s.predict(4)
	return s
}

// train runs steps and reads the loss of the last one, as training loops do.
func (s *session) train(steps int) {
	var last float32
	for i := range steps {
		n := i % len(s.x)
		metrics, err := s.trainer.TrainStep(train.Batch{ // which the trainer finalizes
			Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(s.x[n], s.shape...)},
			Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(s.labels[n], len(s.labels[n]), 1)},
		})
		if err != nil {
			panic(err)
		}
		last = tensors.ToScalar[float32](metrics[0])
		for _, m := range metrics {
			m.MustFinalizeAll()
		}
	}
	if last != last {
		panic("the loss is NaN")
	}
}

// predict runs the model as it was trained.
func (s *session) predict(steps int) {
	for i := range steps {
		s.infer.MustCall(s.inputs[i%len(s.inputs)])[0].MustFinalizeAll()
	}
}

// names are those of the backends.
var names = []string{"pjrt", "xla", "go"}

// backends returns all backends, in the order of names.
func backends(tb testing.TB) []compute.Backend { return backendsOf(tb, 0, 1, 2) }

// backendsOf returns some of the backends, which are finalized with the test.
func backendsOf(tb testing.TB, indices ...int) []compute.Backend {
	path := plugintest.Path(tb, "cpu")
	var list []compute.Backend
	for _, i := range indices {
		backend, err := []func() (compute.Backend, error){
			func() (compute.Backend, error) { return gomlx.New(path) },
			func() (compute.Backend, error) { return xla.New(path + ",shared_buffers") },
			func() (compute.Backend, error) { return gobackend.New("") },
		}[i]()
		require.NoError(tb, err)
		tb.Cleanup(backend.Finalize)
		list = append(list, backend)
	}
	return list
}

// turns measures things in turns, so that a noisy machine is unfair to all of them alike. It
// returns the times of each, sorted.
func turns(n, things int, measure func(i int) float64) [][]float64 {
	times := make([][]float64, things)
	for range max(n, 1) {
		for turn := range 30 {
			for k := range things {
				i := (turn + k) % things
				times[i] = append(times[i], measure(i))
			}
		}
	}
	for _, list := range times {
		slices.Sort(list)
	}
	return times
}

// best returns the time that a tenth of the turns took at most: other programs can only make a turn
// slower, never faster.
func best(times []float64) float64 { return times[len(times)/10] }

// BenchmarkGoMLX measures a step of training, and a prediction, with three backends, which
// take turns within one run. The metrics are microseconds, from the best tenth of the turns, and
// their ratio to the XLA backend's.
func BenchmarkGoMLX(b *testing.B) {
	list := backends(b)
	for _, k := range tasks {
		all := sync.OnceValue(func() []*session {
			var sessions []*session
			for _, backend := range list {
				sessions = append(sessions, newSession(backend, k))
			}
			return sessions
		})
		for _, work := range []struct {
			name string
			run  func(*session, int)
		}{
			{"train", (*session).train},
			{"predict", (*session).predict},
		} {
			b.Run(k.name+"/"+work.name, func(b *testing.B) {
				sessions := all()
				times := turns(b.N, len(sessions), func(i int) float64 {
					start := time.Now()
					work.run(sessions[i], k.steps)
					return float64(time.Since(start).Nanoseconds()) / 1e3 / float64(k.steps)
				})
				b.ReportMetric(0, "ns/op")
				for i, name := range names {
					b.ReportMetric(best(times[i]), name+"-µs")
				}
				b.ReportMetric(best(times[0])/best(times[1]), "pjrt/xla")
			})
		}
	}
}

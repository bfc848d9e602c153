// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt_test

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// fuzzOperations is what the goroutines do. All operations except the wild ones know what
// the result must be. The wild calls include new methods of the types in wildTypes
// automatically.
var fuzzOperations = []struct {
	name   string
	weight int // how often the operation is chosen, relative to the others
	run    func(*fuzzWorker)
}{
	{"new client", 1, (*fuzzWorker).newClient},
	{"close client", 1, (*fuzzWorker).closeClient},
	{"wrong client", 1, (*fuzzWorker).wrongClient},
	{"compile", 2, (*fuzzWorker).compile},
	{"wrong compile", 3, (*fuzzWorker).wrongCompile},
	{"serialize and load", 1, (*fuzzWorker).reload},
	{"close executable", 1, (*fuzzWorker).closeExecutable},
	{"ask executable", 4, (*fuzzWorker).askExecutable},
	{"upload", 14, (*fuzzWorker).upload},
	{"wrong upload", 6, (*fuzzWorker).wrongUpload},
	{"download", 14, (*fuzzWorker).download},
	{"wrong download", 3, (*fuzzWorker).wrongDownload},
	{"copy", 6, (*fuzzWorker).copy},
	{"event", 6, (*fuzzWorker).event},
	{"ask buffer", 6, (*fuzzWorker).askBuffer},
	{"close buffer", 3, (*fuzzWorker).closeBuffer},
	{"forget buffer", 2, (*fuzzWorker).forgetBuffer},
	{"execute", 20, (*fuzzWorker).execute},
	{"wrong execute", 6, (*fuzzWorker).wrongExecute},
	{"wild seed", 8, (*fuzzWorker).wildSeed},
	{"wild call", 60, (*fuzzWorker).wildCall},
}

// fuzzClient is a client and what is known about it.
type fuzzClient struct {
	fuzzState
	*pjrt.Client
}

func (c *fuzzClient) Close() error {
	c.closing.Store(true)
	err := c.Client.Close()
	c.closed.Store(true)
	return err
}

// device returns one of the client's devices, or 0 and nil for the default.
func (c *fuzzClient) device(w *fuzzWorker) (int, *pjrt.Device) {
	devices := c.AddressableDevices()
	i := w.IntN(len(devices)+1) - 1
	if i < 0 {
		return 0, nil
	}
	return i, devices[i]
}

func (w *fuzzWorker) newClient() {
	ctx, cancel := w.context()
	defer cancel()
	c := &fuzzClient{fuzzState: fuzzState{kind: "client"}}
	call := w.call(ctx, "")
	client, err := w.plugin.NewClient(ctx, &pjrt.ClientOptions{
		Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: int64(1 + w.IntN(4))}},
	})
	if call.done(err) {
		c.Client = client
		w.clients.put(w, 3, c)
	}
}

func (w *fuzzWorker) closeClient() {
	if c, ok := w.clients.pick(w); ok {
		w.call(nil, "").done(c.Close())
	}
}

func (w *fuzzWorker) wrongClient() {
	ctx, cancel := w.context()
	defer cancel()
	opts := oneOf(w,
		&pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "cpu_device_count", Value: oneOf[any](w, "2", float32(2), true, []int64{2}, nil, struct{}{})}}},
		&pjrt.ClientOptions{Create: []pjrt.Attribute{{Name: "x", Value: make(chan int)}}},
		&pjrt.ClientOptions{NumNodes: -1},
		&pjrt.ClientOptions{NodeID: 3, NumNodes: 2},
		&pjrt.ClientOptions{NumNodes: 2})
	client, err := w.plugin.NewClient(ctx, opts)
	w.call(ctx, "the options are wrong").done(err)
	if client != nil {
		client.Close()
	}
}

// fuzzProgram is a program whose results are known.
type fuzzProgram struct {
	name    string
	code    string
	shape   pjrt.Shape // of all arguments and results
	args    int
	donates bool // the program consumes its first argument
	most    int  // how far from 0 the arguments may be, so that results are exact
	compute func(args [][]int) [][]int
}

var fuzzPrograms = []*fuzzProgram{
	elementwise("add", f32x4, func(a, b int) int { return a + b }),
	elementwise("multiply", s32x4, func(a, b int) int { return a * b }),
	{name: "both", shape: f32x4, args: 2, most: 1 << 20, code: `module @both {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    %1 = stablehlo.subtract %a, %b : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
}`, compute: func(args [][]int) [][]int {
		sum, difference := make([]int, 4), make([]int, 4)
		for i := range sum {
			sum[i], difference[i] = args[0][i]+args[1][i], args[0][i]-args[1][i]
		}
		return [][]int{sum, difference}
	}},
	{name: "consume", shape: f32x4, args: 1, donates: true, most: 1 << 24, code: `module @consume {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.negate %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`, compute: func(args [][]int) [][]int {
		negated := make([]int, 4)
		for i, x := range args[0] {
			negated[i] = -x
		}
		return [][]int{negated}
	}},
	// Long enough to be still running when Execute returns.
	{name: "dot", shape: f32x64x64, args: 2, most: 8, code: `module @dot {
  func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.dot_general %0, %b, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}`, compute: func(args [][]int) [][]int {
		return [][]int{product(product(args[0], args[1]), args[1])}
	}},
}

var (
	f32x4     = pjrt.Shape{Type: dtype.F32, Dims: []int64{4}}
	s32x4     = pjrt.Shape{Type: dtype.S32, Dims: []int64{4}}
	f32x64x64 = pjrt.Shape{Type: dtype.F32, Dims: []int64{64, 64}}
)

func elementwise(op string, shape pjrt.Shape, compute func(a, b int) int) *fuzzProgram {
	t := "tensor<4xf32>"
	if shape.Type == dtype.S32 {
		t = "tensor<4xi32>"
	}
	return &fuzzProgram{name: op, shape: shape, args: 2, most: 1 << 15,
		code: fmt.Sprintf(`module @%s {
  func.func @main(%%a: %s, %%b: %s) -> %s {
    %%0 = stablehlo.%s %%a, %%b : %s
    return %%0 : %s
  }
}`, op, t, t, t, op, t, t),
		compute: func(args [][]int) [][]int {
			out := make([]int, 4)
			for i := range out {
				out[i] = compute(args[0][i], args[1][i])
			}
			return [][]int{out}
		}}
}

func product(a, b []int) []int {
	out := make([]int, 64*64)
	for i := range 64 {
		for k := range 64 {
			if x := a[i*64+k]; x != 0 {
				for j := range 64 {
					out[i*64+j] += x * b[k*64+j]
				}
			}
		}
	}
	return out
}

// fuzzBytes returns values in the form of a HostArray's data.
func fuzzBytes(t dtype.Type, values []int) []byte {
	if t == dtype.S32 {
		list := make([]int32, len(values))
		for i, v := range values {
			list[i] = int32(v)
		}
		return dtype.Bytes(list)
	}
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = float32(v)
	}
	return dtype.Bytes(list)
}

// fuzzExecutable is a program on a device.
type fuzzExecutable struct {
	fuzzState
	*pjrt.LoadedExecutable
	program *fuzzProgram
	client  *fuzzClient
	device  int
	loaded  bool // loaded from bytes
}

func (e *fuzzExecutable) Close() error {
	e.closing.Store(true)
	err := e.LoadedExecutable.Close()
	e.closed.Store(true)
	return err
}

func (w *fuzzWorker) compile() {
	c, ok := w.clients.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	p := oneOf(w, fuzzPrograms...)
	i, d := c.device(w)
	opts := &pjrt.CompileOptions{}
	if d != nil {
		opts.Devices = [][]*pjrt.Device{{d}}
	} else if w.chance(2) {
		opts = nil
	}
	call := w.call(ctx, "", &c.fuzzState)
	exe, err := c.Compile(ctx, pjrt.Program{Code: []byte(p.code)}, opts)
	if !call.done(err) {
		return
	}
	if exe.Name() != p.name {
		w.fail("%s: the name is %q, not %q", w.name, exe.Name(), p.name)
	}
	w.executables.put(w, 8, &fuzzExecutable{fuzzState{kind: "executable"}, exe, p, c, i, false})
}

func (w *fuzzWorker) wrongCompile() {
	c, ok := w.clients.pick(w)
	other, _ := w.clients.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	code, opts := fuzzPrograms[0].code, &pjrt.CompileOptions{}
	switch w.IntN(9) {
	case 0:
		code = ""
	case 1:
		code = code[:w.IntN(len(code)-2)]
	case 2:
		code = "ML\xefR" + code
	case 3:
		opts.Replicas = oneOf(w, -1, 5, math.MaxInt, math.MinInt)
	case 4:
		opts.Partitions = oneOf(w, -1, 5, math.MaxInt, math.MinInt)
	case 5:
		opts.Devices = oneOf(w, [][]*pjrt.Device{}, [][]*pjrt.Device{nil}, [][]*pjrt.Device{{nil}}, [][]*pjrt.Device{{{}}})
	case 6:
		if other == c {
			return
		}
		opts.Devices = [][]*pjrt.Device{{other.Devices()[0]}}
	case 7:
		opts.Flags = map[string]any{"no_such_flag": true}
	case 8:
		opts.Replicas, opts.Partitions = math.MaxInt32, math.MaxInt32
	}
	exe, err := c.Compile(ctx, pjrt.Program{Code: []byte(code)}, opts)
	w.call(ctx, "the program or the options are wrong").done(err)
	if exe != nil {
		exe.Close()
	}
}

func (w *fuzzWorker) reload() {
	e, ok := w.executables.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	misuse := ""
	if e.loaded {
		misuse = "the executable was loaded from bytes"
	}
	call := w.call(ctx, misuse, &e.fuzzState)
	data, err := e.Serialize(ctx)
	if !call.done(err) {
		return
	}
	call = w.call(ctx, "", &e.client.fuzzState)
	loaded, err := e.client.DeserializeAndLoad(ctx, data, nil)
	if call.done(err) {
		w.executables.put(w, 8, &fuzzExecutable{fuzzState{kind: "executable"}, loaded, e.program, e.client, e.device, true})
	}
}

func (w *fuzzWorker) closeExecutable() {
	if e, ok := w.executables.pick(w); ok {
		w.call(nil, "").done(e.Close())
	}
}

func (w *fuzzWorker) askExecutable() {
	e, ok := w.executables.pick(w)
	if !ok {
		return
	}
	call := w.call(nil, "", &e.fuzzState)
	var err error
	switch w.IntN(6) {
	case 0:
		call.knows = true
		var shapes []pjrt.Shape
		want := slices.Repeat([]pjrt.Shape{e.program.shape}, e.program.args)
		if shapes, err = e.Parameters(); err == nil && !slices.EqualFunc(shapes, want, pjrt.Shape.Equal) {
			w.fail("%s: the parameters of %s are %v", w.name, e.program.name, shapes)
		}
	case 1:
		_, err = e.OptimizedProgram()
	case 2:
		_, err = e.Fingerprint()
	case 3:
		_, err = e.MemoryStats()
	case 4:
		_, err = e.CostAnalysis()
		if _, minor := w.plugin.Version(); minor >= 106 && errors.Is(err, pjrt.ErrUnimplemented) {
			err = nil // newer CPU plugins count no costs
		}
	case 5:
		var deleted bool
		if deleted, err = e.IsDeleted(); deleted && !e.closing.Load() {
			w.fail("%s: deleted", w.name)
		}
		call.knows = true // a closed executable reports that it is deleted
	}
	call.done(err)
}

func (w *fuzzWorker) execute() {
	e, ok := w.executables.pick(w)
	if !ok {
		w.compile()
		return
	}
	var args []*pjrt.Buffer
	var values [][]int
	uses := []*fuzzState{&e.fuzzState}
	for tries := 0; len(args) < e.program.args; tries++ {
		if tries > 10 {
			w.uploadTo(e.client, e.device, e.program.shape)
		}
		b, ok := w.buffers.pick(w)
		if tries > 50 || !ok {
			return
		}
		if b.client == e.client && b.device == e.device && b.shape.Equal(e.program.shape) &&
			max(slices.Max(b.values), -slices.Min(b.values)) <= e.program.most {
			args, values, uses = append(args, b.Buffer), append(values, b.values), append(uses, &b.fuzzState)
		}
	}
	ctx, cancel := w.context()
	defer cancel()
	call := w.call(ctx, "", uses...)
	if e.program.donates {
		uses[1].spending.Store(true)
	}
	outs, err := e.Execute(ctx, args, nil)
	if !call.done(err) {
		return
	}
	if e.program.donates {
		// The plugin copies arguments that others are reading, instead of donating them.
		if deleted, err := args[0].IsDeleted(); err == nil && deleted {
			uses[1].spent.Store(true)
			w.count(w.name + ": donated")
		}
	}
	want := e.program.compute(values)
	if len(outs) != len(want) {
		w.fail("%s: %s gives %d results, not %d", w.name, e.program.name, len(outs), len(want))
		return
	}
	for i, o := range outs {
		w.keep(o, e.client, e.device, e.program.shape, want[i])
	}
}

func (w *fuzzWorker) wrongExecute() {
	e, ok := w.executables.pick(w)
	if !ok {
		return
	}
	ctx, cancel := w.context()
	defer cancel()
	args := make([]*pjrt.Buffer, 0, 4)
	why := "the number of arguments is wrong"
	n := e.program.args
	if w.chance(2) {
		n = oneOf(w, 0, n+1, n+2)
	}
	wrong := n != e.program.args
	for range n {
		b, ok := w.buffers.pick(w)
		switch {
		case !ok:
			return
		case w.chance(4):
			args, wrong, why = append(args, oneOf(w, nil, &pjrt.Buffer{})), true, "an argument is nil or zero"
			continue
		case b.client != e.client || !b.shape.Equal(e.program.shape):
			wrong, why = true, "an argument has another shape or client"
		}
		args = append(args, b.Buffer)
	}
	if !wrong || e.program.donates {
		return
	}
	outs, err := e.Execute(ctx, args, nil)
	w.call(ctx, why).done(err)
	for _, o := range outs {
		o.Close()
	}
}

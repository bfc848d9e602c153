// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// Tensor returns the type of an array in StableHLO, such as tensor<2x3xf32>.
func Tensor(of dtype.Type, dims []int64) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, d := range dims {
		fmt.Fprintf(&b, "%dx", d)
	}
	fmt.Fprintf(&b, "%s>", of)
	return b.String()
}

// Programs that many checks use, in StableHLO text.
const (
	// AddOne returns its argument, tensor<4xf32>, plus one.
	AddOne = `module @add_one {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<4xf32>
    %0 = stablehlo.add %a, %one : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	// Add returns the sum of two tensor<4xf32>.
	Add = `module @add {
  func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %b : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	// Pair returns the double of a tensor<2x3xi32> and the square of a
	// tensor<f32>.
	Pair = `module @pair {
  func.func @main(%a: tensor<2x3xi32>, %b: tensor<f32>) -> (tensor<2x3xi32>, tensor<f32>) {
    %0 = stablehlo.add %a, %a : tensor<2x3xi32>
    %1 = stablehlo.multiply %b, %b : tensor<f32>
    return %0, %1 : tensor<2x3xi32>, tensor<f32>
  }
}`
	// Donate doubles a tensor<4xf32>, whose memory it may use for the result.
	Donate = `module @donate {
  func.func @main(%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}`
	// Heavy multiplies a tensor<256x256xf32> with itself three times: long enough to be still
	// running at the next call. Checks execute it with HeavyInput.
	Heavy = `module @heavy {
  func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.dot_general %0, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %2 = stablehlo.dot_general %1, %a, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    return %2 : tensor<256x256xf32>
  }
}`
)

// HeavyRows is the number of rows and columns that Heavy takes.
const HeavyRows = 256

// HeavyInput returns what checks give to Heavy: twice the identity. It is the same everywhere,
// since plugins were seen to keep a copy of a matrix by its address, and to multiply with that
// when other contents had come to be there. RUN-02 is about that, and no other rule.
func HeavyInput() []float32 { return diagonal(2) }

// HeavyArgument makes a buffer of HeavyInput. The check owns it.
func HeavyArgument(t *T, c *Client) *capi.Buffer {
	return Upload(t, c, HeavyInput(), HeavyRows, HeavyRows)
}

// HeavyResult returns what Heavy computes from HeavyInput.
func HeavyResult() []float32 { return diagonal(16) }

func diagonal(x float32) []float32 {
	data := make([]float32, HeavyRows*HeavyRows)
	for i := range HeavyRows {
		data[i*HeavyRows+i] = x
	}
	return data
}

// Devices returns a serialized CompileOptionsProto for a number of replicas and partitions. The
// device assignment is left to the plugin.
func Devices(replicas, partitions int) []byte {
	build := wire.AppendInt(wire.AppendInt(nil, 4, replicas), 5, partitions)
	build = wire.AppendTrue(build, 6, partitions > 1) // use_spmd_partitioning
	return wire.AppendBytes(nil, 3, build)
}

// Program makes the struct for a program in a format, such as mlir. A NUL follows the code, which
// its size does not count: some plugins read on until they find one.
func Program(format, code string) *capi.Program {
	p := &capi.Program{StructSize: capi.ProgramSize, Code: capi.CString(code), CodeSize: uintptr(len(code))}
	p.Format, p.FormatSize = capi.StringData(format)
	return p
}

// CompileArgs returns the arguments for compiling a StableHLO text, or the artifact in its place.
func (t *T) CompileArgs(c *Client, text string, options []byte) capi.ClientCompileArgs {
	args := capi.ClientCompileArgs{Client: c.Handle, Program: t.Program("mlir", text)}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(options)
	return args
}

// Compile compiles a StableHLO text for one device. The check owns the
// executable.
func (t *T) Compile(c *Client, text string) *capi.LoadedExecutable {
	return t.CompileWith(c, text, Devices(1, 1))
}

// Shared is like Compile on the client that checks share, for a program that other checks of the
// process also execute: it is compiled once. The check may only execute it. A check of compiling
// or of executables must compile its own.
func (t *T) Shared(text string) *capi.LoadedExecutable {
	exe, err := t.TryShared(text)
	if err != nil {
		t.skipAbsent(err)
		t.NeedsText(t.Program("mlir", text), err)
		t.Fatalf("PJRT_Client_Compile: expected success, got %v", err)
	}
	return exe
}

// TryShared is like Shared, for a program that may not compile.
func (t *T) TryShared(text string) (*capi.LoadedExecutable, error) {
	c := t.Client()
	c.mu.Lock()
	defer c.mu.Unlock()
	if exe := c.programs[text]; exe != nil {
		return exe, nil
	}
	out, err := Try(t, t.CompileArgs(c, text, Devices(1, 1)))
	if err != nil {
		return nil, err
	}
	if out.Executable == nil {
		t.Fatalf("PJRT_Client_Compile: success without an executable")
	}
	if c.programs == nil {
		c.programs = make(map[string]*capi.LoadedExecutable)
	}
	c.programs[text] = out.Executable
	return out.Executable, nil
}

// TryCompile is like CompileWith, for a program that may not compile.
func (t *T) TryCompile(c *Client, text string, options []byte) (*capi.LoadedExecutable, error) {
	out, err := Try(t, t.CompileArgs(c, text, options))
	if err != nil {
		return nil, err
	}
	if out.Executable == nil {
		t.Fatalf("PJRT_Client_Compile: success without an executable")
	}
	return Own(t, out.Executable), nil
}

// CompileWith is like Compile, with a serialized CompileOptionsProto.
func (t *T) CompileWith(c *Client, text string, options []byte) *capi.LoadedExecutable {
	args := t.CompileArgs(c, text, options)
	out, err := Try(t, args)
	if err != nil {
		t.skipAbsent(err)
		t.NeedsText(args.Program, err)
		t.Fatalf("PJRT_Client_Compile: expected success, got %v", err)
	}
	if out.Executable == nil {
		t.Fatalf("PJRT_Client_Compile: success without an executable")
	}
	return Own(t, out.Executable)
}

// Executable returns the PJRT_Executable of a loaded executable. The check owns it.
func (t *T) Executable(exe *capi.LoadedExecutable) *capi.Executable {
	return Own(t, Call(t, capi.LoadedExecutableGetExecutableArgs{LoadedExecutable: exe}).Executable)
}

// Serialize returns the bytes of an executable. If the plugin cannot serialize any, it skips the
// check.
func (t *T) Serialize(e *capi.Executable) []byte {
	out := Optional(t, capi.ExecutableSerializeArgs{Executable: e})
	code := capi.Bytes(out.SerializedBytes, out.SerializedBytesSize)
	out.SerializedExecutableDeleter.Call(out.SerializedExecutable)
	return code
}

// NumOutputs returns how many results a program has.
func (t *T) NumOutputs(exe *capi.LoadedExecutable) int {
	return int(Call(t, capi.ExecutableNumOutputsArgs{Executable: t.Executable(exe)}).NumOutputs)
}

// Execution is one call of PJRT_LoadedExecutable_Execute with everything that it points to. Its
// fields may be changed before the call.
type Execution struct {
	Args    capi.LoadedExecutableExecuteArgs
	Options *capi.ExecuteOptions
	Outputs [][]*capi.Buffer // per device, filled by the call
	Events  []*capi.Event    // per device, filled by the call
}

// NewExecution prepares an execution with a list of arguments for each device.
func NewExecution(exe *capi.LoadedExecutable, outputs int, arguments ...[]*capi.Buffer) *Execution {
	n := len(arguments)
	x := &Execution{
		Options: &capi.ExecuteOptions{StructSize: capi.ExecuteOptionsSize},
		Outputs: make([][]*capi.Buffer, n),
		Events:  make([]*capi.Event, n),
	}
	in, out := make([]**capi.Buffer, n), make([]**capi.Buffer, n)
	for i := range arguments {
		x.Outputs[i] = make([]*capi.Buffer, outputs)
		in[i], _ = First(arguments[i])
		out[i], _ = First(x.Outputs[i])
	}
	x.Args = capi.LoadedExecutableExecuteArgs{Executable: exe, Options: x.Options, NumDevices: uintptr(n)}
	if n > 0 {
		x.Args.NumArgs = uintptr(len(arguments[0]))
	}
	x.Args.ArgumentLists, _ = First(in)
	x.Args.OutputLists, _ = First(out)
	x.Args.DeviceCompleteEvents, _ = First(x.Events)
	return x
}

// Execute makes the call, and does not wait. Any goroutine may call it.
func (x *Execution) Execute(t *T) error {
	_, err := Try(t, x.Args)
	if err == nil {
		x.Complete(t)
	}
	return err
}

// Complete puts the ready event of the last output in the place of each complete event, after a
// call that succeeded, if the plugin left all of them null. Clients can do without complete events,
// and so can checks that only wait: RUN-03 is about them. Without ready events the events stay
// null, and who needs the outputs waits for them by reading them. If only some are null, the check
// fails: a plugin that has complete events gives one for each device.
func (x *Execution) Complete(t *T) {
	if slices.ContainsFunc(x.Events, func(e *capi.Event) bool { return e != nil }) {
		if i := slices.Index(x.Events, nil); i >= 0 {
			t.Errorf("device_complete_events[%d]: expected an event, as another device has one, got null", i)
		}
		return
	}
	for i := range x.Events {
		if n := len(x.Outputs[i]); n > 0 && x.Outputs[i][n-1] != nil {
			if out, err := Try(t, capi.BufferReadyEventArgs{Buffer: x.Outputs[i][n-1]}); err == nil {
				x.Events[i] = out.Event
			}
		}
	}
}

// Start executes and takes ownership of the outputs and events. It does not wait. If the plugin
// leaves an output null, the check fails, even one that expects an error, and Start returns an
// error: most functions that get a null end the process, and would be blamed for it.
func (x *Execution) Start(t *T) error {
	if err := x.Execute(t); err != nil {
		return err
	}
	x.Own(t)
	for i, list := range x.Outputs {
		if j := slices.Index(list, nil); j >= 0 {
			err := fmt.Errorf("PJRT_LoadedExecutable_Execute succeeded, and left output %d of %d on device %d null", j, len(list), i)
			t.Errorf("%v", err)
			return err
		}
	}
	return nil
}

// Own takes ownership of the outputs and events.
func (x *Execution) Own(t *T) {
	for i := range x.Outputs {
		for _, b := range x.Outputs[i] {
			Own(t, b)
		}
	}
	for _, e := range x.Events {
		Own(t, e)
	}
}

// Run executes on one device and waits. The check owns the outputs.
func (t *T) Run(exe *capi.LoadedExecutable, outputs int, arguments ...*capi.Buffer) []*capi.Buffer {
	return t.RunOn(exe, outputs, arguments)[0]
}

// RunOn executes on several devices, with a list of arguments for each, and
// waits. The check owns the outputs.
func (t *T) RunOn(exe *capi.LoadedExecutable, outputs int, arguments ...[]*capi.Buffer) [][]*capi.Buffer {
	x := NewExecution(exe, outputs, arguments...)
	if err := x.Start(t); err != nil {
		t.Fatalf("PJRT_LoadedExecutable_Execute: expected success, got %v", err)
	}
	for i, e := range x.Events {
		if e == nil {
			continue // see Complete
		}
		if err := t.Await(e); err != nil {
			t.Fatalf("PJRT_LoadedExecutable_Execute: expected the event of device %d to succeed, got %v", i, err)
		}
	}
	return x.Outputs
}

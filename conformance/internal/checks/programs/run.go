// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// program returns a StableHLO module with one function. signature follows @main, and each
// element of body is a statement.
func program(name, signature string, body ...string) string {
	return fmt.Sprintf("module @%s {\n  func.func @main%s {\n    %s\n  }\n}", name, signature, strings.Join(body, "\n    "))
}

// tryCompile compiles a StableHLO text. The check owns the executable.
func tryCompile(t *check.T, c *check.Client, text string, o options) (*capi.LoadedExecutable, error) {
	return tryFormat(t, c, t.Program("mlir", text), o.bytes())
}

// tryFormat compiles a program with serialized options. The check owns the
// executable. Success without an executable ends the check.
func tryFormat(t *check.T, c *check.Client, p *capi.Program, o []byte) (*capi.LoadedExecutable, error) {
	args := capi.ClientCompileArgs{Client: c.Handle, Program: p}
	args.CompileOptions, args.CompileOptionsSize = capi.BytesData(o)
	out, err := check.Try(t, args)
	if err != nil {
		t.NeedsText(p, err)
		return nil, err
	}
	if out.Executable == nil {
		t.Fatalf("PJRT_Client_Compile: success without an executable")
	}
	return check.Own(t, out.Executable), nil
}

// compileOrSkip is tryCompile for a program that the plugin may refuse: then it skips the check,
// and says why.
func compileOrSkip(t *check.T, c *check.Client, text string, o options, why string) *capi.LoadedExecutable {
	exe, err := tryCompile(t, c, text, o)
	if err != nil {
		t.SkipUnimplf("%s: %s", why, firstLine(err.Error()))
	}
	return exe
}

// compileFor is tryCompile for a program that must compile.
func compileFor(t *check.T, c *check.Client, text string, o options) *capi.LoadedExecutable {
	return t.CompileWith(c, text, o.bytes())
}

// start executes on one device. The check owns the results.
func start(t *check.T, exe *capi.LoadedExecutable, outputs int, arguments ...*capi.Buffer) (*check.Execution, error) {
	x := check.NewExecution(exe, outputs, arguments)
	return x, x.Start(t)
}

// finish waits for an execution that was started, and returns the first error of its
// events.
func finish(t *check.T, x *check.Execution) error {
	var first error
	for _, e := range x.Events {
		if e == nil {
			continue // see Execution.Complete
		}
		if err := t.Await(e); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// attempt executes on one device and waits. It returns the error of the call or of the
// complete event.
func attempt(t *check.T, exe *capi.LoadedExecutable, outputs int, arguments ...*capi.Buffer) ([]*capi.Buffer, error) {
	x, err := start(t, exe, outputs, arguments...)
	if err == nil {
		err = finish(t, x)
	}
	return x.Outputs[0], err
}

// refused fails the check unless an execution on one device fails, in the call or later.
func refused(t *check.T, what string, exe *capi.LoadedExecutable, arguments ...*capi.Buffer) {
	_, err := attempt(t, exe, 1, arguments...)
	t.ErrorCode(err, what)
}

// fill returns n elements: from, from+step and so on.
func fill[E interface{ ~int32 | ~int64 | ~float32 }](n int, from, step E) []E {
	out := make([]E, n)
	for i := range out {
		out[i] = from + E(i)*step
	}
	return out
}

// runsAddOne fails the check unless the executable of check.AddOne computes the right
// result on the client's first device.
func runsAddOne(t *check.T, c *check.Client, exe *capi.LoadedExecutable, what string) bool {
	return computes(t, c, exe, []float32{1, 2, 3, 4}, []float32{2, 3, 4, 5}, what)
}

// computes fails the check unless the executable, which has one argument and one result,
// maps in to want.
func computes[E dtype.Elem](t *check.T, c *check.Client, exe *capi.LoadedExecutable, in, want []E, what string) bool {
	in1 := check.Upload(t, c, in)
	out, err := attempt(t, exe, 1, in1)
	if !t.NoError(err, "executing "+what) {
		return false
	}
	if out[0] == nil {
		t.Errorf("executing %s: the output is null", what)
		return false
	}
	ok := check.ExpectBuffer(t, out[0], want, what)
	check.Destroy(t, out[0])
	check.Destroy(t, in1)
	return ok
}

// deviceIDs returns the ids of the client's addressable devices.
func deviceIDs(t *check.T, c *check.Client) []int {
	ids := make([]int, len(c.Devices))
	for i, d := range c.Devices {
		ids[i] = int(t.DeviceID(d))
	}
	return ids
}

// devicesOf returns the addressable devices of a loaded executable.
func devicesOf(t *check.T, exe *capi.LoadedExecutable) []*capi.Device {
	out := check.Call(t, capi.LoadedExecutableAddressableDevicesArgs{Executable: exe})
	return capi.Slice(out.AddressableDevices, out.NumAddressableDevices)
}

// tryDownload reads four elements of f32 from a buffer that may be deleted or an error.
func tryDownload(t *check.T, b *capi.Buffer) ([]float32, error) {
	dst := make([]float32, 4)
	layout := check.RowMajor(1)
	out, err := check.Try(t, capi.BufferToHostBufferArgs{Src: b, HostLayout: layout, Dst: check.Pointer(dst), DstSize: 16})
	if err != nil {
		return nil, err
	}
	if out.Event != nil {
		if err := t.Wait(out.Event); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// upload4 puts four elements of f32 on the client's first device.
func upload4(t *check.T, c *check.Client) *capi.Buffer {
	return check.Upload(t, c, []float32{1, 2, 3, 4})
}

// quickly executes on one device, waits and reads the first result. Any goroutine may call
// it: it does not end the check, and destroys everything that it makes.
func quickly[E dtype.Elem](t *check.T, exe *capi.LoadedExecutable, outputs int, result []E, arguments ...*capi.Buffer) error {
	return runOnce(t, check.NewExecution(exe, outputs, arguments), result)
}

// runOnce is quickly for a prepared execution.
func runOnce[E dtype.Elem](t *check.T, x *check.Execution, result []E) error {
	if err := x.Execute(t); err != nil {
		return err
	}
	err := check.TryWait(t, x.Events[0])
	for i, b := range x.Outputs[0] {
		if err == nil && i == 0 && result != nil {
			err = read(t, b, result)
		}
		if _, destroyErr := check.Try(t, capi.BufferDestroyArgs{Buffer: b}); err == nil {
			err = destroyErr
		}
	}
	return err
}

// read copies a buffer of one dimension to the host. Any goroutine may call it.
func read[E dtype.Elem](t *check.T, b *capi.Buffer, dst []E) error {
	layout := check.RowMajor(1)
	out, err := check.Try(t, capi.BufferToHostBufferArgs{Src: b, HostLayout: layout, Dst: check.Pointer(dst),
		DstSize: uintptr(len(dtype.Bytes(dst)))})
	if err != nil || out.Event == nil {
		return err
	}
	return check.TryWait(t, out.Event)
}

// differ says where got differs from want; it returns nil if they are equal.
func differ[E comparable](got, want []E) error {
	if len(got) != len(want) {
		return fmt.Errorf("expected %d elements, got %d", len(want), len(got))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("element %d of %d: expected %v, got %v", i, len(want), want[i], got[i])
		}
	}
	return nil
}

// together calls f in n goroutines at once, with the number of each, and fails the check
// with the error of each. It returns when all have returned.
func together(t *check.T, n int, f func(i int) error) bool {
	begin, ends := make(chan struct{}), make(chan error, n)
	for i := range n {
		go func() {
			<-begin
			ends <- f(i)
		}()
	}
	close(begin)
	ok := true
	for range n {
		if err := <-ends; err != nil {
			t.Errorf("%v", err)
			ok = false
		}
	}
	return ok
}

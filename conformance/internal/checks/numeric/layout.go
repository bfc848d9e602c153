// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package numeric

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// permutations lists the orders of three dimensions, from minor to major.
var permutations = [][]int64{{2, 1, 0}, {2, 0, 1}, {1, 2, 0}, {1, 0, 2}, {0, 2, 1}, {0, 1, 2}}

// arranged returns a program on two arrays of three dimensions that moves and computes: a
// layout that is not honoured shows in its result.
func arranged(t dtype.Type) program {
	x, y := wholes(t, 1, 2, 3, 4), wholes(t, 2, 4, 2, 3)
	out := build(t, []int64{3, 4, 2}, func(ix []int64) value {
		return subtract(t, x.at(ix[2], ix[0], 3-ix[1]), y.at(ix[1], ix[2], ix[0]))
	})
	return program{
		inputs: []array{x, y},
		body: fmt.Sprintf(`%%v = stablehlo.reverse %%a0, dims = [2] : %[1]s
  %%x = stablehlo.transpose %%v, dims = [1, 2, 0] : (%[1]s) -> %[3]s
  %%y = stablehlo.transpose %%a1, dims = [2, 0, 1] : (%[2]s) -> %[3]s
  %%r0 = stablehlo.subtract %%x, %%y : %[3]s`, x.typ(), y.typ(), out.typ()),
		want: []array{out},
	}
}

// arrangedTypes lists the types whose arrangement is tried.
var arrangedTypes = []dtype.Type{dtype.F32, dtype.S8, dtype.C128, dtype.S4}

// layoutChecks returns checks that a program gives the same values however its arguments
// and its result are laid out in memory.
func layoutChecks() []check.Check {
	var cs []check.Check
	for _, t := range arrangedTypes {
		cs = append(cs,
			check.Check{Rule: "DIFF-03", Variant: "host strides/" + t.String(), Profile: check.Core,
				Run: func(c *check.T) { strided(c, t) }},
			check.Check{Rule: "DIFF-03", Variant: "device layouts/" + t.String(), Profile: check.Core,
				Run: func(c *check.T) { laidOut(c, t) }})
	}
	for _, order := range permutations {
		cs = append(cs, check.Check{
			Rule: "DIFF-03", Variant: "result layout/" + strings.ReplaceAll(list(order), ", ", ""), Profile: check.Core,
			Run: func(c *check.T) { resultLaidOut(c, order) },
		})
	}
	return cs
}

// inOrder returns the elements of an array whose dimensions, from minor to major, are in
// the given order, and the stride of each dimension in bytes.
func inOrder(a array, order []int64) (data []byte, strides []int64) {
	size := int64(a.t.Size())
	strides = make([]int64, len(a.dims))
	step := size
	for _, d := range order {
		strides[d] = step
		step *= a.dims[d]
	}
	data = make([]byte, step)
	dense := a.encode()
	for i := range a.v {
		at := int64(0)
		for d, x := range index(a.dims, i) {
			at += x * strides[d]
		}
		copy(data[at:at+size], dense[int64(i)*size:])
	}
	return data, strides
}

// compiled compiles the program for a type that the plugin may refuse.
func (p *program) compiled(t *check.T, c *check.Client, text string) *capi.LoadedExecutable {
	out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 1)))
	if err != nil {
		if why := p.refused(t, parameters, text, err); why != "" {
			t.SkipUnimplf("%s", why)
		}
		t.Fatalf("the program does not compile")
	}
	return check.Own(t, out.Executable)
}

// strided uploads the arguments from host memory in every order.
func strided(t *check.T, e dtype.Type) {
	p := arranged(e)
	c := t.Client()
	exe := p.compiled(t, c, p.text(parameters))
	for _, order := range permutations {
		var args []*capi.Buffer
		for _, a := range p.inputs {
			data, strides := inOrder(a, order)
			upload := capi.ClientBufferFromHostBufferArgs{Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(e),
				Data: check.Pointer(data)}
			upload.Dims, upload.NumDims = check.First(a.dims)
			upload.ByteStrides, upload.NumByteStrides = check.First(strides)
			out, err := check.Try(t, upload)
			if code := capi.CodeOf(err); code == capi.ErrorCodeUnimplemented || code == capi.ErrorCodeInvalidArgument {
				t.SkipUnimplf("the plugin does not take strides %v: %v", strides, err)
			} else if err != nil {
				t.Fatalf("upload with strides %v: expected success, got %v", strides, err)
			}
			args = append(args, check.Own(t, out.Buffer))
			if err := t.Wait(out.DoneWithHostBuffer); err != nil {
				t.Fatalf("upload with strides %v: %v", strides, err)
			}
			runtime.KeepAlive(data)
		}
		p.expect(t, t.Download(t.Run(exe, 1, args...)[0]),
			fmt.Sprintf("arguments from host memory with the dimensions %v from minor to major", order))
	}
}

// expect compares the bytes of the first result.
func (p *program) expect(t *check.T, data []byte, way string) {
	got, err := decodeArray(p.want[0].t, p.want[0].dims, data)
	if err == nil {
		err = compare(p.want[0], got, p.policy(0))
	}
	if err != nil {
		t.Errorf("%s: %v", way, err)
	}
}

// laidOut uploads the arguments with every layout on the device. A program compiled for
// another layout may refuse them, but must not misread them.
func laidOut(t *check.T, e dtype.Type) {
	p := arranged(e)
	c := t.Client()
	exe := p.compiled(t, c, p.text(parameters))
	ran := 0
	for _, order := range permutations {
		var args []*capi.Buffer
		for _, a := range p.inputs {
			data := a.encode()
			upload := capi.ClientBufferFromHostBufferArgs{Client: c.Handle, Device: c.Devices[0], Type: capi.BufferType(e),
				Data: check.Pointer(data), DeviceLayout: check.TiledLayout(order)}
			upload.Dims, upload.NumDims = check.First(a.dims)
			out, err := check.Try(t, upload)
			if err != nil {
				t.SkipUnimplf("the plugin does not lay out a buffer with the dimensions %v from minor to major: %v", order, err)
			}
			args = append(args, check.Own(t, out.Buffer))
			if err := t.Wait(out.DoneWithHostBuffer); err != nil {
				t.Fatalf("upload with the layout %v: %v", order, err)
			}
			runtime.KeepAlive(data)
			if got := t.Download(args[len(args)-1]); !bytes.Equal(got, data) {
				t.Errorf("a buffer with the dimensions %v from minor to major does not hold what was uploaded", order)
				return
			}
		}
		x := check.NewExecution(exe, 1, args)
		err := x.Start(t)
		if err == nil {
			err = t.Await(x.Events[0])
		}
		if err != nil {
			t.Notef("the program refuses arguments with the dimensions %v from minor to major: %v", order, err)
			continue
		}
		ran++
		p.expect(t, t.Download(x.Outputs[0][0]), fmt.Sprintf("arguments with the dimensions %v from minor to major", order))
	}
	if ran == 0 {
		t.Errorf("the program runs with arguments in none of the layouts")
	}
}

// resultLaidOut requests a layout of the result, and reads the result as row-major bytes.
func resultLaidOut(t *check.T, order []int64) {
	p := arranged(dtype.F32)
	typ := p.want[0].typ()
	text := strings.Replace(p.text(parameters), "-> ("+typ+")",
		fmt.Sprintf("-> (%s {mhlo.layout_mode = \"{%s}\"})", typ, strings.ReplaceAll(list(order), " ", "")), 1)
	c := t.Client()
	out, err := check.Try(t, t.CompileArgs(c, text, check.Devices(1, 1)))
	if err != nil {
		t.SkipUnimplf("the plugin does not compile a program whose result has a layout: %v", err)
	}
	var args []*capi.Buffer
	for _, a := range p.inputs {
		args = append(args, p.upload(t, c, a))
	}
	p.expect(t, t.Download(t.Run(check.Own(t, out.Executable), 1, args...)[0]),
		fmt.Sprintf("a result with the dimensions %v from minor to major", order))
}

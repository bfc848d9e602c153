// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/internal/wire"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// refusal is the error of a plugin that does not compile a program.
type refusal struct{ err error }

func (r *refusal) Error() string { return "the program does not compile: " + r.err.Error() }

func (r *refusal) unimplemented() bool { return capi.CodeOf(r.err) == capi.ErrorCodeUnimplemented }

// lacking reports whether the plugin says that it does not know what the program asks for.
// XLA has no error code of its own for a text that it cannot parse.
func (r *refusal) lacking() bool {
	switch capi.CodeOf(r.err) {
	case capi.ErrorCodeUnimplemented, capi.ErrorCodeInvalidArgument, capi.ErrorCodeUnknown:
		return true
	}
	return false
}

// unit is what a plugin compiles.
type unit struct {
	Code       []byte `json:"code"`
	Replicas   int    `json:"replicas"`
	Partitions int    `json:"partitions"`
}

func (p *Program) unit() unit {
	return unit{p.Code, max(p.Replicas, 1), max(p.Partitions, 1)}
}

// devices returns how many devices run the unit.
func (u unit) devices() int { return u.Replicas * u.Partitions }

// compileOptions returns a serialized CompileOptionsProto that assigns the program to the
// client's first devices: device number i runs replica i/Partitions and partition
// i%Partitions.
func (u unit) compileOptions(t *check.T, c *check.Client) []byte {
	options := check.Devices(u.Replicas, u.Partitions)
	if u.devices() == 1 {
		return options
	}
	assignment := wire.AppendInt(wire.AppendInt(nil, 1, u.Replicas), 2, u.Partitions)
	for p := range u.Partitions {
		ids := make([]int32, u.Replicas)
		for r := range ids {
			ids[r] = t.DeviceID(c.Devices[r*u.Partitions+p])
		}
		assignment = wire.AppendBytes(assignment, 3, wire.AppendInts(nil, 1, ids))
	}
	// A second message in a field is merged into the first.
	return wire.AppendBytes(options, 3, wire.AppendBytes(nil, 9, assignment))
}

// program is a compiled unit.
type program struct {
	unit
	client  *check.Client
	exe     *capi.LoadedExecutable
	outputs int
	// devices are those of the executable, in its order; places says which part of the
	// arguments and results belongs to each.
	devices []*capi.Device
	places  []int
}

// execute compiles a unit for the client's first devices and runs it once for each list of
// arguments, all of which have the same types. It calls done with the results of each run.
// The error is a *refusal, or what the plugin returned from an execution.
func execute(t *check.T, u unit, lists [][]*array.Array, done func([]*array.Array)) error {
	for i, a := range lists[0] {
		if a.Type.Since() > t.Minor() {
			t.SkipAbsentf("argument %d has the element type %v, which came with API 0.%d, but the plugin has API 0.%d", i, a.Type,
				a.Type.Since(), t.Minor())
		}
	}
	c := t.Client()
	if n := u.devices(); n > len(c.Devices) {
		t.SkipEnvf("the program needs %d devices, but there are %d", n, len(c.Devices))
	}
	out, err := check.Try(t, t.CompileArgs(c, string(u.Code), u.compileOptions(t, c)))
	if err != nil {
		return &refusal{err}
	}
	p := &program{unit: u, client: c, exe: check.Own(t, out.Executable)}
	defer check.Destroy(t, p.exe)
	p.outputs = t.NumOutputs(p.exe)
	if err := p.locate(t); err != nil {
		return err
	}
	for _, args := range lists {
		results, err := p.launch(t, args)
		if err != nil {
			return err
		}
		done(results)
	}
	return nil
}

// locate finds out which part of the program each device runs.
func (p *program) locate(t *check.T) error {
	if p.unit.devices() == 1 {
		p.devices, p.places = p.client.Devices[:1], []int{0}
		return nil
	}
	d := check.Call(t, capi.LoadedExecutableAddressableDevicesArgs{Executable: p.exe})
	p.devices = append(p.devices, capi.Slice(d.AddressableDevices, d.NumAddressableDevices)...)
	for _, d := range p.devices {
		p.places = append(p.places, slices.Index(p.client.Devices, d))
	}
	got := slices.Sorted(slices.Values(p.places))
	for i := range p.unit.devices() {
		if i >= len(got) || got[i] != i {
			return fmt.Errorf("expected the executable to run on the first %d devices of the client, as its device assignment says, got those at %v", p.unit.devices(), p.places)
		}
	}
	return nil
}

// launch executes the program once.
func (p *program) launch(t *check.T, arrays []*array.Array) ([]*array.Array, error) {
	per := len(arrays) / p.unit.devices()
	args := make([][]*capi.Buffer, len(p.devices))
	for i, d := range p.devices {
		for _, a := range arrays[p.places[i]*per : (p.places[i]+1)*per] {
			b := p.upload(t, d, a)
			defer check.Destroy(t, b)
			args[i] = append(args[i], b)
		}
	}
	x := check.NewExecution(p.exe, p.outputs, args...)
	if err := x.Start(t); err != nil {
		return nil, fmt.Errorf("expected the program to run, got %w", err)
	}
	for i, e := range x.Events {
		if err := t.Await(e); err != nil {
			return nil, fmt.Errorf("expected the program to run to its end%s, got %w", p.on(i), err)
		}
		check.Destroy(t, e)
	}
	results := make([]*array.Array, len(p.devices)*p.outputs)
	for i := range x.Outputs {
		for j, b := range x.Outputs[i] {
			if b == nil {
				return nil, fmt.Errorf("result %d%s is null", j, p.on(i))
			}
			a, err := p.download(t, b)
			if err != nil {
				return nil, fmt.Errorf("result %d%s: %w", j, p.on(i), err)
			}
			results[p.places[i]*p.outputs+j] = a
		}
	}
	return results, nil
}

// on names the device if there are several.
func (p *program) on(i int) string {
	if len(p.devices) == 1 {
		return ""
	}
	return fmt.Sprintf(" on replica %d, partition %d", p.places[i]/p.Partitions, p.places[i]%p.Partitions)
}

// download reads a result and destroys its buffer.
func (p *program) download(t *check.T, b *capi.Buffer) (*array.Array, error) {
	a := &array.Array{
		Type: dtype.Type(check.Call(t, capi.BufferElementTypeArgs{Buffer: b}).Type),
		Dims: t.Dimensions(b), Data: t.Download(b),
	}
	check.Destroy(t, b)
	if p.Partitions > 1 {
		if len(a.Dims) == 0 || a.Dims[0] != 1 {
			return nil, fmt.Errorf("expected the part of one partition, got the dimensions %v", a.Dims)
		}
		a.Dims = a.Dims[1:]
	}
	return a, a.Check()
}

// upload copies an argument to a device.
func (p *program) upload(t *check.T, d *capi.Device, a *array.Array) *capi.Buffer {
	data, dims := slices.Clone(a.Data), slices.Clone(a.Dims)
	if p.Partitions > 1 {
		dims = append([]int64{1}, dims...)
	}
	if a.Type.IsSubByte() && !a.Type.IsFloat() {
		mask := byte(1<<a.Type.Bits() - 1) // the high bits do not count
		for i := range data {
			data[i] &= mask
		}
	}
	args := capi.ClientBufferFromHostBufferArgs{
		Client: p.client.Handle, Device: d, Type: capi.BufferType(a.Type), Data: check.Pointer(data),
	}
	args.Dims, args.NumDims = check.First(dims)
	b := t.UploadArgs(args)
	runtime.KeepAlive(data)
	runtime.KeepAlive(dims)
	return b
}

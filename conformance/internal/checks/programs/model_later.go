// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// laterFunctions returns the functions that the model has and the plugin lacks.
func laterFunctions() []*capi.Function {
	return []*capi.Function{
		check.FunctionOf[capi.ClientLoadArgs](), check.FunctionOf[capi.ExecutableGetCompileOptionsArgs](),
		check.FunctionOf[capi.LoadedExecutableAddressableDeviceLogicalIDsArgs](), check.FunctionOf[capi.ExecutableParameterMemoryKindsArgs](),
		check.FunctionOf[capi.BufferDonateWithControlDependencyArgs](),
	}
}

func (m *model) laterHooks() []serve.Hook {
	return []serve.Hook{
		serve.Around(func(c *serve.Invocation, a *capi.ClientLoadArgs) {
			p := m.handle(a.Executable)
			if p == nil {
				answer(c, invalid("the executable is of another plugin"))
				return
			}
			o := capi.Bytes(a.CompileOptions, a.CompileOptionsSize)
			if len(o) == 0 {
				o = p.options
			}
			again, err := m.compile(a.Client, p.format, p.text, o)
			if answer(c, err); err == nil {
				a.LoadedExecutable = again.loaded
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableGetCompileOptionsArgs) {
			p := m.handle(a.Executable)
			if p == nil {
				answer(c, invalid("the executable is of another plugin"))
				return
			}
			own := slices.Clone(p.options)
			a.SerializedBytes, a.SerializedBytesSize = capi.BytesData(own)
			a.SerializedCompileOptions = optionsHandle(capi.NewHandle(own))
			a.SerializedCompileOptionsDeleter = capi.ExecutableGetCompileOptionsArgsSerializedCompileOptionsDeleter(capi.HandleDeleter())
		}),
		serve.Around(func(c *serve.Invocation, a *capi.LoadedExecutableAddressableDeviceLogicalIDsArgs) {
			ids, err := m.logicalIDs(a.Executable)
			if answer(c, err); err == nil {
				a.AddressableDeviceLogicalIDs, a.NumAddressableDeviceLogicalIDs = check.First(ids)
			}
		}),
		serve.Around(func(c *serve.Invocation, a *capi.ExecutableParameterMemoryKindsArgs) {
			p := m.handle(a.Executable)
			if p == nil {
				answer(c, invalid("the executable is of another plugin"))
				return
			}
			_, signature, _ := strings.Cut(p.text, "@main(")
			signature, _, _ = strings.Cut(signature, "->")
			n := strings.Count(signature, "%")
			a.NumParameters = uintptr(n)
			a.MemoryKinds, a.MemoryKindSizes = kindLists(m.kind(), n)
		}),
		serve.Around(func(c *serve.Invocation, a *capi.BufferDonateWithControlDependencyArgs) { answer(c, m.depend(a)) }),
	}
}

// logicalIDs looks up the devices of an executable in its assignment.
func (m *model) logicalIDs(exe *capi.LoadedExecutable) ([]capi.LogicalDeviceIDs, error) {
	p := m.of(exe)
	devices, err := mutant.Try(m.base, capi.LoadedExecutableAddressableDevicesArgs{Executable: exe})
	if p == nil || err != nil {
		return nil, errors.Join(invalid("the executable is of another plugin"), err)
	}
	_, _, assignment := counted(p.options)
	var ids []capi.LogicalDeviceIDs
	for _, d := range capi.Slice(devices.AddressableDevices, devices.NumAddressableDevices) {
		description, err1 := mutant.Try(m.base, capi.DeviceGetDescriptionArgs{Device: d})
		id, err2 := mutant.Try(m.base, capi.DeviceDescriptionIDArgs{DeviceDescription: description.DeviceDescription})
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		for r, row := range assignment {
			if i := slices.Index(row, int(id.ID)); i >= 0 {
				ids = append(ids, capi.LogicalDeviceIDs{Replica: int32(r), Partition: int32(i)})
			}
		}
	}
	return ids, nil
}

// dependency is a buffer that becomes ready only when the caller says so.
type dependency struct {
	m       *model
	manager *capi.AsyncHostToDeviceTransferManager
	data    []float32
}

// dependencyReady is the callback of all dependencies; callback_data says which one it is
// called for.
var dependencyReady = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(args uintptr) uintptr {
		a := dependencyOf(args)
		h := capi.Handle(a.CallbackData)
		v, ok := h.Value()
		if !ok {
			return 0
		}
		h.Delete()
		v.(*dependency).resolve(a.ErrorCode, capi.String(a.ErrorMessage, a.ErrorMessageSize))
		return 0
	})
})

// depend replaces a buffer of f32 with one dimension.
func (m *model) depend(a *capi.BufferDonateWithControlDependencyArgs) error {
	data, err := m.read(a.Buffer)
	if err != nil {
		return err
	}
	manager, b, err := m.pending(len(data))
	if err != nil {
		return err
	}
	if m.flaw != sourceStays {
		_, err = mutant.Try(m.base, capi.BufferDeleteArgs{Buffer: a.Buffer})
	}
	d := &dependency{m, manager, data}
	switch m.flaw {
	case contentsLost:
		clear(d.data)
	case readyAtOnce:
		d.resolve(capi.ErrorCodeOK, "")
	}
	if m.flaw == oneDependency {
		d = m.only(d)
	}
	a.CallbackData = uintptr(capi.NewHandle(d))
	a.DependencyReadyCallback = capi.BufferDonateWithControlDependencyArgsDependencyReadyCallback(dependencyReady())
	a.OutBuffer = b
	return err
}

// only returns the first dependency that was made.
func (m *model) only(d *dependency) *dependency {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dependency == nil {
		m.dependency = d
	}
	return m.dependency
}

// resolve makes the new buffer ready, or an error.
func (d *dependency) resolve(code capi.ErrorCode, message string) {
	manager := d.manager
	d.manager = nil // it is destroyed here, and a flaw may resolve the dependency twice
	switch {
	case manager == nil:
		return
	case code == capi.ErrorCodeOK || d.m.flaw == errorForgotten:
		out, err := mutant.Try(d.m.base, capi.AsyncHostToDeviceTransferManagerTransferDataArgs{
			TransferManager: manager, Data: check.Pointer(d.data), TransferSize: int64(4 * len(d.data)), IsLastTransfer: true,
		})
		if err == nil {
			mutant.Finish(d.m.base, out.DoneWithH2dTransfer)
		}
	default:
		switch d.m.flaw {
		case codeLost:
			code = capi.ErrorCodeInternal
		case messageLost:
			message = "the dependency failed"
		}
		args := capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs{TransferManager: manager, ErrorCode: code}
		args.ErrorMessage, args.ErrorMessageSize = capi.StringData(message)
		_, _ = mutant.Try(d.m.base, args)
	}
	mutant.Try(d.m.base, capi.AsyncHostToDeviceTransferManagerDestroyArgs{TransferManager: manager})
}

// pending makes a buffer of n elements of f32 that is not ready.
func (m *model) pending(n int) (*capi.AsyncHostToDeviceTransferManager, *capi.Buffer, error) {
	m.mu.Lock()
	client := m.client
	m.mu.Unlock()
	devices, err := mutant.Try(m.base, capi.ClientAddressableDevicesArgs{Client: client})
	if err != nil {
		return nil, nil, err
	}
	return m.pendingOn(client, *devices.AddressableDevices, n)
}

// pendingOn is pending for a given device.
func (m *model) pendingOn(client *capi.Client, device *capi.Device, n int) (*capi.AsyncHostToDeviceTransferManager, *capi.Buffer, error) {
	memory, err := mutant.Try(m.base, capi.DeviceDefaultMemoryArgs{Device: device})
	if err != nil {
		return nil, nil, err
	}
	spec := capi.ShapeSpec{StructSize: capi.ShapeSpecSize, ElementType: capi.BufferTypeF32}
	spec.Dims, spec.NumDims = check.First([]int64{int64(n)})
	made, err := mutant.Try(m.base, capi.ClientCreateBuffersForAsyncHostToDeviceArgs{Client: client, ShapeSpecs: &spec, NumShapeSpecs: 1,
		Memory: memory.Memory})
	if err != nil {
		return nil, nil, err
	}
	b, err := mutant.Try(m.base, capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs{TransferManager: made.TransferManager})
	return made.TransferManager, b.BufferOut, err
}

// read copies a buffer of f32 to the host.
func (m *model) read(b *capi.Buffer) ([]float32, error) {
	d, err := mutant.Try(m.base, capi.BufferDimensionsArgs{Buffer: b})
	if err != nil {
		return nil, err
	}
	n := int64(1)
	for _, dim := range capi.Slice(d.Dims, d.NumDims) {
		n *= dim
	}
	data := make([]float32, n)
	out, err := mutant.Try(m.base, capi.BufferToHostBufferArgs{
		Src: b, HostLayout: check.RowMajor(int(d.NumDims)), Dst: check.Pointer(data), DstSize: uintptr(len(dtype.Bytes(data))),
	})
	if err != nil || out.Event == nil {
		return data, err
	}
	return data, mutant.Finish(m.base, out.Event)
}

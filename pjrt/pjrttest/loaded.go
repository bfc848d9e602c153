// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"sync"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
)

// loaded is one PJRT_LoadedExecutable.
type loaded struct {
	*executable
	client *client

	devices       []*device // of this process, by replica and partition; none if portable
	deviceHandles []*capi.Device
	ids           []capi.LogicalDeviceIDs

	mu      sync.Mutex
	deleted bool // guarded by mu
}

// load loads an executable onto the devices of a client.
func (c *client) load(e *executable) (*capi.LoadedExecutable, error) {
	l := &loaded{executable: e, client: c}
	for r, row := range e.assignment {
		for n, id := range row {
			d := c.device(id)
			if d == nil {
				return nil, invalid("the executable runs on device %d, which the client does not have", id)
			}
			if d.addressable() {
				l.devices = append(l.devices, d)
				l.deviceHandles = append(l.deviceHandles, d.handle)
				l.ids = append(l.ids, capi.LogicalDeviceIDs{Replica: int32(r), Partition: int32(n)})
			}
		}
	}
	e.handles.Add(1)
	return makeHandle[capi.LoadedExecutable](c.p, l, true), nil
}

func (p *Plugin) clientLoad(a *capi.ClientLoadArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	e, err := find[*executable](p, a.Executable)
	if err != nil {
		return err
	}
	if a.CompileOptions == nil && a.CompileOptionsSize > 0 {
		return invalid("the compile options are null and have %d bytes", a.CompileOptionsSize)
	}
	options := e.options
	if a.CompileOptionsSize > 0 {
		options = capi.Bytes(a.CompileOptions, a.CompileOptionsSize)
	}
	if e, err = p.newExecutable(e.code, e.format, options, c.target()); err != nil {
		return err
	}
	a.LoadedExecutable, err = c.load(e)
	return err
}

func (p *Plugin) executableDeserializeAndLoad(a *capi.ExecutableDeserializeAndLoadArgs) error {
	c, err := find[*client](p, a.Client)
	if err != nil {
		return err
	}
	if a.SerializedExecutable == nil || a.SerializedExecutableSize == 0 {
		return invalid("the serialized executable is empty")
	}
	if a.OverriddenSerializedCompileOptions == nil && a.OverriddenSerializedCompileOptionsSize > 0 {
		return invalid("the overridden compile options are null and have %d bytes", a.OverriddenSerializedCompileOptionsSize)
	}
	if a.LoadOptions != nil {
		if _, err := read(a.LoadOptions, "PJRT_LoadOptions", capi.LoadOptionsSize-8); err != nil {
			return err
		}
	}
	var f executableForm
	if err := open(executableMagic, elements(a.SerializedExecutable, a.SerializedExecutableSize), &f); err != nil {
		return err
	}
	if f.Platform != p.opts.PlatformName || f.Version != p.opts.PlatformVersion {
		return invalid("the executable was serialized by %s (%s), but this is %s (%s)",
			f.Platform, f.Version, p.opts.PlatformName, p.opts.PlatformVersion)
	}
	options := f.Options
	if a.OverriddenSerializedCompileOptionsSize > 0 {
		options = capi.Bytes(a.OverriddenSerializedCompileOptions, a.OverriddenSerializedCompileOptionsSize)
	}
	e, err := p.newExecutable(f.Code, pjrt.Format(f.Format), options, c.target())
	if err != nil {
		return err
	}
	a.LoadedExecutable, err = c.load(e)
	return err
}

func (p *Plugin) loadedExecutableDestroy(a *capi.LoadedExecutableDestroyArgs) error {
	return destroy(p, a.Executable, func(l *loaded) { l.drop() })
}

func (p *Plugin) loadedExecutableGetExecutable(a *capi.LoadedExecutableGetExecutableArgs) error {
	return with(p, a.LoadedExecutable, func(l *loaded) { a.Executable = l.executable.handle() })
}

func (p *Plugin) loadedExecutableAddressableDevices(a *capi.LoadedExecutableAddressableDevicesArgs) error {
	return with(p, a.Executable, func(l *loaded) {
		a.AddressableDevices, a.NumAddressableDevices = list(l.deviceHandles)
	})
}

func (p *Plugin) loadedExecutableAddressableDeviceLogicalIDs(a *capi.LoadedExecutableAddressableDeviceLogicalIDsArgs) error {
	return with(p, a.Executable, func(l *loaded) {
		a.AddressableDeviceLogicalIDs, a.NumAddressableDeviceLogicalIDs = list(l.ids)
	})
}

func (p *Plugin) loadedExecutableGetDeviceAssignment(a *capi.LoadedExecutableGetDeviceAssignmentArgs) error {
	l, err := find[*loaded](p, a.Executable)
	if err != nil {
		return err
	}
	var b []byte
	if !l.portable {
		b = l.assignmentProto()
	}
	a.SerializedBytes, a.SerializedBytesSize = list(b)
	a.SerializedDeviceAssignment = makeHandle[capi.DeviceAssignmentSerialized](p, b, true)
	a.SerializedDeviceAssignmentDeleter = capi.LoadedExecutableGetDeviceAssignmentArgsSerializedDeviceAssignmentDeleter(deleter())
	return nil
}

func (p *Plugin) loadedExecutableFingerprint(a *capi.LoadedExecutableFingerprintArgs) error {
	return with(p, a.Executable, func(l *loaded) {
		a.ExecutableFingerprint, a.ExecutableFingerprintSize = text(l.fingerprint)
	})
}

func (p *Plugin) loadedExecutableDelete(a *capi.LoadedExecutableDeleteArgs) error {
	return with(p, a.Executable, func(l *loaded) {
		l.mu.Lock()
		l.deleted = true
		l.mu.Unlock()
	})
}

func (l *loaded) isDeleted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.deleted
}

func (p *Plugin) loadedExecutableIsDeleted(a *capi.LoadedExecutableIsDeletedArgs) error {
	return with(p, a.Executable, func(l *loaded) { a.IsDeleted = l.isDeleted() })
}

// executeContext is one PJRT_ExecuteContext.
type executeContext struct{}

func (p *Plugin) executeContextCreate(a *capi.ExecuteContextCreateArgs) error {
	a.Context = makeHandle[capi.ExecuteContext](p, &executeContext{}, true)
	return nil
}

func (p *Plugin) executeContextDestroy(a *capi.ExecuteContextDestroyArgs) error {
	return destroy[*executeContext](p, a.Context, nil)
}

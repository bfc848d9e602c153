// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import (
	"bytes"
	"hash/fnv"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/wire"
)

// abiVersion is one PJRT_RuntimeAbiVersion or PJRT_ExecutableAbiVersion. Versions fit each
// other if they are equal: a serialized executable also belongs to plugins of the same
// platform and version.
type abiVersion struct {
	platform uint64 // a hash of the platform's name
	version  string // of the platform
}

// Field numbers of a serialized version.
const (
	fieldABIPlatform = 1
	fieldABIVersion  = 2
)

func (p *Plugin) abiVersion() *abiVersion {
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.opts.PlatformName)) // never fails
	return &abiVersion{h.Sum64(), p.opts.PlatformVersion}
}

func (v *abiVersion) proto() []byte {
	return wire.AppendBytes(wire.AppendInt(nil, fieldABIPlatform, v.platform), fieldABIVersion, v.version)
}

// readABIVersion reads what proto writes.
func readABIVersion(proto *byte, size uintptr) (*abiVersion, error) {
	b := elements(proto, size)
	v := &abiVersion{last(b, fieldABIPlatform).Int, string(last(b, fieldABIVersion).Bytes)}
	if !bytes.Equal(b, v.proto()) {
		return nil, invalid("these %d bytes are not the serialized version of a runtime or an executable of pjrttest", size)
	}
	return v, nil
}

// fits returns an error unless the runtime v can run or replace what has the version other.
func (v *abiVersion) fits(other *abiVersion, what string) error {
	switch {
	case v.platform != other.platform:
		return capi.ErrorCodeFailedPrecondition.Errorf("the %s is for the platform with the id %#x, but the runtime has the id %#x",
			what, other.platform, v.platform)
	case v.version != other.version:
		return capi.ErrorCodeFailedPrecondition.Errorf("the %s is for the platform version %q, but the runtime has %q",
			what, other.version, v.version)
	}
	return nil
}

func (p *Plugin) clientRuntimeABIVersion(a *capi.ClientRuntimeABIVersionArgs) error {
	return with(p, a.Client, func(*client) {
		a.ABIVersion = makeHandle[capi.RuntimeABIVersion](p, p.abiVersion(), true)
	})
}

func (p *Plugin) executableGetABIVersion(a *capi.ExecutableGetABIVersionArgs) error {
	return with(p, a.Executable, func(*executable) {
		a.ABIVersion = makeHandle[capi.ExecutableABIVersion](p, p.abiVersion(), true)
	})
}

func (p *Plugin) runtimeABIVersionDestroy(a *capi.RuntimeABIVersionDestroyArgs) error {
	return destroy[*abiVersion](p, a.ABIVersion, nil)
}

func (p *Plugin) executableABIVersionDestroy(a *capi.ExecutableABIVersionDestroyArgs) error {
	return destroy[*abiVersion](p, a.ABIVersion, nil)
}

func (p *Plugin) runtimeFitsRuntime(a *capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs) error {
	v, err := find[*abiVersion](p, a.ABIVersion)
	if err != nil {
		return err
	}
	other, err := find[*abiVersion](p, a.OtherABIVersion)
	if err != nil {
		return err
	}
	return v.fits(other, "other runtime")
}

func (p *Plugin) runtimeFitsExecutable(a *capi.RuntimeABIVersionIsCompatibleWithExecutableArgs) error {
	v, err := find[*abiVersion](p, a.ABIVersion)
	if err != nil {
		return err
	}
	other, err := find[*abiVersion](p, a.ExecutableABIVersion)
	if err != nil {
		return err
	}
	return v.fits(other, "executable")
}

// serializeABIVersion returns the bytes of a version, and the handle that keeps them.
func (p *Plugin) serializeABIVersion(v *abiVersion) (*byte, uintptr, *capi.SerializedProto) {
	b := v.proto()
	data, size := list(b)
	return data, size, makeHandle[capi.SerializedProto](p, b, true)
}

func (p *Plugin) runtimeABIVersionToProto(a *capi.RuntimeABIVersionToProtoArgs) error {
	return with(p, a.ABIVersion, func(v *abiVersion) {
		a.SerializedProto, a.SerializedProtoSize, a.SerializedProtoHolder = p.serializeABIVersion(v)
		a.SerializedProtoDeleter = capi.RuntimeABIVersionToProtoArgsSerializedProtoDeleter(deleter())
	})
}

func (p *Plugin) executableABIVersionToProto(a *capi.ExecutableABIVersionToProtoArgs) error {
	return with(p, a.ABIVersion, func(v *abiVersion) {
		a.SerializedProto, a.SerializedProtoSize, a.SerializedProtoHolder = p.serializeABIVersion(v)
		a.SerializedProtoDeleter = capi.ExecutableABIVersionToProtoArgsSerializedProtoDeleter(deleter())
	})
}

func (p *Plugin) runtimeABIVersionPlatformID(a *capi.RuntimeABIVersionPlatformIDArgs) error {
	return with(p, a.ABIVersion, func(v *abiVersion) { a.PlatformID = v.platform })
}

func (p *Plugin) executableABIVersionPlatformID(a *capi.ExecutableABIVersionPlatformIDArgs) error {
	return with(p, a.ABIVersion, func(v *abiVersion) { a.PlatformID = v.platform })
}

func (p *Plugin) runtimeABIVersionFromProto(a *capi.RuntimeABIVersionFromProtoArgs) error {
	v, err := readABIVersion(a.SerializedProto, a.SerializedProtoSize)
	if err == nil {
		a.ABIVersion = makeHandle[capi.RuntimeABIVersion](p, v, true)
	}
	return err
}

func (p *Plugin) executableABIVersionFromProto(a *capi.ExecutableABIVersionFromProtoArgs) error {
	v, err := readABIVersion(a.SerializedProto, a.SerializedProtoSize)
	if err == nil {
		a.ABIVersion = makeHandle[capi.ExecutableABIVersion](p, v, true)
	}
	return err
}

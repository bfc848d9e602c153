// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package executables

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// ABIVersion is the version of the binary interface of a runtime or of an executable. It can be
// sent to another process: its fields are all there is to it.
type ABIVersion struct {
	// Platform is the number of the platform.
	Platform uint64
	// Proto is the version as a serialized message of a type that the platform defines.
	Proto []byte
}

// RuntimeABIVersion returns the version of the client's runtime (PJRT_Client_RuntimeAbiVersion).
func RuntimeABIVersion(c *pjrt.Client) (ABIVersion, error) {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return ABIVersion{}, err
	}
	defer release()
	table := raw.TableOf(c)
	of, err := capi.Do(table, capi.ClientRuntimeABIVersionArgs{Client: h})
	if err != nil {
		return ABIVersion{}, err
	}
	defer func() {
		_, _ = capi.Do(table, capi.RuntimeABIVersionDestroyArgs{ABIVersion: of.ABIVersion})
	}()
	platform, err := capi.Do(table, capi.RuntimeABIVersionPlatformIDArgs{ABIVersion: of.ABIVersion})
	if err != nil {
		return ABIVersion{}, err
	}
	proto, err := capi.Do(table, capi.RuntimeABIVersionToProtoArgs{ABIVersion: of.ABIVersion})
	if err != nil {
		return ABIVersion{}, err
	}
	v := ABIVersion{platform.PlatformID, capi.Bytes(proto.SerializedProto, proto.SerializedProtoSize)}
	proto.SerializedProtoDeleter.Call(proto.SerializedProtoHolder)
	return v, nil
}

// ABIVersionOf returns the version of the runtime that the executable was compiled for
// (PJRT_Executable_GetAbiVersion).
func ABIVersionOf(e *pjrt.Executable) (ABIVersion, error) {
	h, release, err := raw.AcquireExecutable(e)
	if err != nil {
		return ABIVersion{}, err
	}
	defer release()
	var v ABIVersion
	v.Platform, v.Proto, err = raw.TableOf(e).ExecutableABIVersion(h)
	return v, err
}

// RuntimeRuns returns nil if a runtime can run an executable, and otherwise an error that says why
// not (PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable). Neither is loaded: the versions come
// from [RuntimeABIVersion] and [ABIVersionOf], in any process.
func RuntimeRuns(p *pjrt.Plugin, runtime, executable ABIVersion) error {
	r, err := ofRuntime(p, runtime)
	if err != nil {
		return err
	}
	defer destroyRuntime(p, r)
	var of capi.Call[capi.ExecutableABIVersionFromProtoArgs]
	of.Args.SerializedProto, of.Args.SerializedProtoSize = capi.BytesData(executable.Proto)
	if err := of.Do(raw.Table(p)); err != nil {
		return err
	}
	defer func() {
		_, _ = capi.Do(raw.Table(p), capi.ExecutableABIVersionDestroyArgs{ABIVersion: of.Args.ABIVersion})
	}()
	var c capi.Call[capi.RuntimeABIVersionIsCompatibleWithExecutableArgs]
	c.Args.ABIVersion, c.Args.ExecutableABIVersion = r, of.Args.ABIVersion
	return c.Do(raw.Table(p))
}

// RuntimeReplaces returns nil if a runtime can take the place of another, and otherwise an error
// that says why not (PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime).
func RuntimeReplaces(p *pjrt.Plugin, runtime, other ABIVersion) error {
	r, err := ofRuntime(p, runtime)
	if err != nil {
		return err
	}
	defer destroyRuntime(p, r)
	o, err := ofRuntime(p, other)
	if err != nil {
		return err
	}
	defer destroyRuntime(p, o)
	_, err = capi.Do(raw.Table(p), capi.RuntimeABIVersionIsCompatibleWithRuntimeArgs{ABIVersion: r, OtherABIVersion: o})
	return err
}

// ofRuntime returns the version of a runtime as a C handle. The caller destroys it.
func ofRuntime(p *pjrt.Plugin, v ABIVersion) (*capi.RuntimeABIVersion, error) {
	if p == nil {
		return nil, pjrt.ErrInvalidArgument.Errorf("the plugin is nil")
	}
	var c capi.Call[capi.RuntimeABIVersionFromProtoArgs]
	c.Args.SerializedProto, c.Args.SerializedProtoSize = capi.BytesData(v.Proto)
	if err := c.Do(raw.Table(p)); err != nil {
		return nil, err
	}
	return c.Args.ABIVersion, nil
}

func destroyRuntime(p *pjrt.Plugin, v *capi.RuntimeABIVersion) {
	_, _ = capi.Do(raw.Table(p), capi.RuntimeABIVersionDestroyArgs{ABIVersion: v}) // no caller is left to return an error to
}

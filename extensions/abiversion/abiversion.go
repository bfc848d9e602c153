// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package abiversion reads the versions that decide whether a runtime can load an
// executable, without loading it. It uses the extension AbiVersion, which came with API
// 0.91; libtpu and XLA's plugins for GPUs have it, XLA's plugin for CPUs does not.
//
// The calls that compare versions, and that make versions from bytes, are in package capi.
package abiversion

import (
	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/raw"
)

// Supported reports whether the plugin offers the extension.
func Supported(p *pjrt.Plugin) bool {
	return raw.Table(p).HasSection(capi.SectionExtension(capi.ExtensionTypeABIVersion))
}

// Version is the version of the binary interface of a runtime or of an executable.
type Version struct {
	// Platform is the number of the platform.
	Platform uint64
	// Proto is the version as a serialized message, whose type the platform defines.
	Proto []byte
}

// OfClient returns the version of the client's runtime (PJRT_Client_RuntimeAbiVersion).
func OfClient(c *pjrt.Client) (Version, error) {
	h, release, err := raw.AcquireClient(c)
	if err != nil {
		return Version{}, err
	}
	defer release()
	table := raw.TableOf(c)
	var of capi.Call[capi.ClientRuntimeABIVersionArgs]
	of.Args.Client = h
	if err := of.Do(table); err != nil {
		return Version{}, err
	}
	defer func() {
		var d capi.Call[capi.RuntimeABIVersionDestroyArgs]
		d.Args.ABIVersion = of.Args.ABIVersion
		_ = d.Do(table)
	}()
	var platform capi.Call[capi.RuntimeABIVersionPlatformIDArgs]
	platform.Args.ABIVersion = of.Args.ABIVersion
	if err := platform.Do(table); err != nil {
		return Version{}, err
	}
	var proto capi.Call[capi.RuntimeABIVersionToProtoArgs]
	proto.Args.ABIVersion = of.Args.ABIVersion
	if err := proto.Do(table); err != nil {
		return Version{}, err
	}
	v := Version{platform.Args.PlatformID, capi.Bytes(proto.Args.SerializedProto, proto.Args.SerializedProtoSize)}
	proto.Args.SerializedProtoDeleter.Call(proto.Args.SerializedProtoHolder)
	return v, nil
}

// OfExecutable returns the version of the runtime that the executable was compiled for
// (PJRT_Executable_GetAbiVersion).
func OfExecutable(e *pjrt.Executable) (Version, error) {
	h, release, err := raw.AcquireExecutable(e)
	if err != nil {
		return Version{}, err
	}
	defer release()
	var v Version
	v.Platform, v.Proto, err = raw.TableOf(e).ExecutableABIVersion(h)
	return v, err
}

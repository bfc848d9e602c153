// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import (
	"fmt"
	"unsafe"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// moreExtensionCalls are further ones. What they make of a struct that is too short is open: not
// all plugins look at the sizes of structs that never grew.
var moreExtensionCalls = []call{
	given(describesMemories, of(func(t tt, s ss) capi.MemoryDescriptionKindArgs {
		return capi.MemoryDescriptionKindArgs{MemoryDescription: memoryDescriptions(t, s)[0]}
	}, nil)),
	of(func(tt, ss) (a capi.LayoutsMemoryLayoutDestroyArgs) { return }, nil),
	of(func(t tt, s ss) capi.LayoutsMemoryLayoutSerializeArgs {
		layout := check.Call(t, capi.LayoutsBufferMemoryLayoutArgs{Buffer: s.buf(t)}).Layout
		t.Cleanup(func() { check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: layout}) })
		return capi.LayoutsMemoryLayoutSerializeArgs{Layout: layout}
	}, func(_ tt, _ ss, out capi.LayoutsMemoryLayoutSerializeArgs) {
		out.SerializedLayoutDeleter.Call(out.SerializedLayout)
	}),
	of(func(t tt, s ss) capi.LayoutsTopologyGetDefaultLayoutArgs {
		args := capi.LayoutsTopologyGetDefaultLayoutArgs{TopologyDescription: s.topo(t), Type: capi.BufferTypeF32}
		args.Dims, args.NumDims = check.First([]int64{2, 3})
		return args
	}, func(t tt, _ ss, out capi.LayoutsTopologyGetDefaultLayoutArgs) {
		check.Call(t, capi.LayoutsMemoryLayoutDestroyArgs{Layout: out.Layout})
	}),
	given(compiles, ofProgram[capi.LayoutsExecutableGetOutputLayoutsArgs](nil)),
	given(compiles, ofProgram[capi.LayoutsExecutableGetParameterLayoutsArgs](nil)),
	given(compiles, ofProgram[capi.ShardingsExecutableParameterShardingsArgs](nil)),
	given(compiles, ofProgram[capi.ShardingsExecutableOutputShardingsArgs](nil)),
	given(hasContexts, of(func(t tt, _ ss) capi.FFIUserDataAddArgs {
		context := check.Call(t, capi.ExecuteContextCreateArgs{}).Context
		t.Cleanup(func() { check.Call(t, capi.ExecuteContextDestroyArgs{Context: context}) })
		var register capi.FFITypeRegisterArgs
		register.TypeName, register.TypeNameSize = capi.StringData(fmt.Sprintf("conformance_suite_type_%d", typeNumber.Add(1)))
		register.TypeInfo = &capi.FFITypeInfo{}
		id := check.Optional(t, register).TypeID
		return capi.FFIUserDataAddArgs{Context: context, UserData: capi.FFIUserData{TypeID: id, Data: 7}}
	}, nil)),
	ofAlias[capi.RawBufferGetOnDeviceSizeInBytesArgs](nil),
	ofAlias[capi.RawBufferGetMemorySpaceArgs](nil),
	ofAlias[capi.RawBufferGetHostPointerArgs](nil),
	of(func(t tt, s ss) capi.RawBufferCopyRawDeviceToHostArgs {
		return capi.RawBufferCopyRawDeviceToHostArgs{Buffer: rawAlias(t, s), Dst: check.Pointer(make([]byte, 16)), TransferSize: 16}
	}, func(t tt, _ ss, out capi.RawBufferCopyRawDeviceToHostArgs) { wait(t, out.Event) }),
	of(func(t tt, s ss) capi.RawBufferCopyRawHostToDeviceArgs {
		return capi.RawBufferCopyRawHostToDeviceArgs{Buffer: rawAlias(t, s), Src: check.Pointer(make([]byte, 16)), TransferSize: 16}
	}, func(t tt, _ ss, out capi.RawBufferCopyRawHostToDeviceArgs) { wait(t, out.Event) }),
	of(func(_ tt, s ss) capi.HostMemoryAllocatorAllocateArgs {
		return capi.HostMemoryAllocatorAllocateArgs{Client: s.c(), Size: 64, NumaNode: -1}
	}, func(_ tt, _ ss, out capi.HostMemoryAllocatorAllocateArgs) {
		if out.Deleter != 0 {
			out.Deleter.Call(unsafe.Pointer(out.Ptr), out.DeleterArg)
		}
	}),
	ofDevice[capi.GetStreamForExternalReadyEventsArgs](nil),
	given(compiles, ofProgram(func(t tt, _ ss, out capi.ExecutableGetABIVersionArgs) {
		check.Call(t, capi.ExecutableABIVersionDestroyArgs{ABIVersion: out.ABIVersion})
	})),
	ofClient(func(t tt, _ ss, out capi.ClientRuntimeABIVersionArgs) {
		check.Call(t, capi.RuntimeABIVersionDestroyArgs{ABIVersion: out.ABIVersion})
	}),
}

// compiles reports whether the plugin compiles programs: other checks are about those that do not.
func compiles(t tt, _ ss) bool {
	_, err := t.TryShared(check.AddOne)
	return err == nil
}

// memoryDescriptions returns those of the first device.
func memoryDescriptions(t tt, s ss) []*capi.MemoryDescription {
	out, err := check.Try(t, capi.DeviceDescriptionMemoryDescriptionsArgs{DeviceDescription: s.description(t)})
	if err != nil {
		return nil
	}
	return capi.Slice(out.MemoryDescriptions, out.NumMemoryDescriptions)
}

// describesMemories reports whether the first device has memory descriptions.
func describesMemories(t tt, s ss) bool { return len(memoryDescriptions(t, s)) > 0 }

// rawAlias returns a raw buffer, which lives as long as the check.
func rawAlias(t tt, s ss) *capi.RawBuffer {
	raw := check.Call(t, capi.RawBufferCreateRawAliasOfBufferArgs{Buffer: s.upload(t)}).RawBuffer
	t.Cleanup(func() { check.Call(t, capi.RawBufferDestroyArgs{Buffer: raw}) })
	return raw
}

// ofAlias makes a call about a raw buffer.
func ofAlias[A any](after func(tt, ss, A)) call {
	return of(func(t tt, s ss) A { return check.About[A](rawAlias(t, s)) }, after)
}

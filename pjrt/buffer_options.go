// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "github.com/purepjrt/purepjrt/capi"

// HostBufferSemantics say how long a plugin uses memory that becomes a buffer.
type HostBufferSemantics = capi.HostBufferSemantics

const (
	// OnlyDuringCall means that the plugin has copied the memory when the call returns.
	OnlyDuringCall = capi.HostBufferSemanticsImmutableOnlyDuringCall
	// UntilTransferCompletes means that the plugin reads the memory until the transfer ends.
	UntilTransferCompletes = capi.HostBufferSemanticsImmutableUntilTransferCompletes
	// ImmutableZeroCopy means that the buffer may use the memory itself: the plugin reads it
	// as long as the buffer exists, and never writes to it.
	ImmutableZeroCopy = capi.HostBufferSemanticsImmutableZeroCopy
	// MutableZeroCopy is ImmutableZeroCopy that lets a program to which the buffer is
	// donated write its result to the memory (API 0.48).
	MutableZeroCopy = capi.HostBufferSemanticsMutableZeroCopy
)

// BufferOptions are the options of the functions that make buffers. A function returns
// an error for options that it has no use for.
type BufferOptions struct {
	// Device receives the array in its default memory. Nil means the first addressable
	// device, unless Memory is set. Set at most one of the two.
	Device *Device
	Memory *Memory // receives the array
	// Semantics say how long the plugin uses the memory of the host. With other values
	// than OnlyDuringCall, the zero value, the memory must stay unchanged until
	// Buffer.HostDone; the package keeps a reference to it until then. It may keep that of a
	// zero-copy buffer until Close, unless HostDone is called.
	Semantics HostBufferSemantics
	// Strides are the distances in bytes between neighbours in the host's memory, one for
	// each dimension; nil means dense and row-major. 0 repeats an element. A negative
	// stride walks backwards from the end of HostArray.Data, all of which the array spans.
	Strides []int64
	Layout  *Layout // in the memory of the device; nil leaves it to the plugin
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package buffers

import "github.com/purepjrt/purepjrt/capi"

// The arguments of the functions that this group is about, by short names.
type (
	uploadArgs    = capi.ClientBufferFromHostBufferArgs
	downloadArgs  = capi.BufferToHostBufferArgs
	viewOf        = capi.ClientCreateViewOfDeviceBufferArgs
	uninitialized = capi.ClientCreateUninitializedBufferArgs
	errorBuffers  = capi.ClientCreateErrorBufferArgs
	fulfilArgs    = capi.ClientFulfillAliasBufferArgs
	rawArgs       = capi.BufferCopyRawToHostArgs
	futureArgs    = capi.BufferCopyRawToHostFutureArgs
	increaseArgs  = capi.BufferIncreaseExternalReferenceCountArgs
	decreaseArgs  = capi.BufferDecreaseExternalReferenceCountArgs
	opaqueArgs    = capi.BufferOpaqueDeviceMemoryDataPointerArgs
)

// Those of asynchronous transfers.
type (
	transferManager = capi.AsyncHostToDeviceTransferManager
	managers        = capi.ClientCreateBuffersForAsyncHostToDeviceArgs
	retrieveArgs    = capi.AsyncHostToDeviceTransferManagerRetrieveBufferArgs
	transferArgs    = capi.AsyncHostToDeviceTransferManagerTransferDataArgs
	literals        = capi.AsyncHostToDeviceTransferManagerTransferLiteralArgs
	errorArgs       = capi.AsyncHostToDeviceTransferManagerSetBufferErrorArgs
	metadataArgs    = capi.AsyncHostToDeviceTransferManagerAddMetadataArgs
	countArgs       = capi.AsyncHostToDeviceTransferManagerBufferCountArgs
	sizeArgs        = capi.AsyncHostToDeviceTransferManagerBufferSizeArgs
	endArgs         = capi.AsyncHostToDeviceTransferManagerDestroyArgs
)

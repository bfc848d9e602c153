// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package extension

import (
	"slices"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
)

func transferMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.Before("XXHT-01", "mixes keys up", func(a *capi.TransfersClientCrossHostSendBuffersArgs) {
			keys := capi.Slice(a.TransferKeys, a.NumBuffers)
			slices.Reverse(keys)
			a.TransferKeys = &keys[0]
		}).On(sound).InMemory(),
		mutant.Before("XXHT-01", "sends the first buffer for all", func(a *capi.TransfersClientCrossHostSendBuffersArgs) {
			list := capi.Slice(a.Buffers, a.NumBuffers)
			for i := range list {
				list[i] = list[0]
			}
			a.Buffers = &list[0]
		}).On(sound).InMemory(),
		with("XXHT-02", "waits for itself", flaws{takesItself: true}).InMemory().Waiting(),
		mutant.Swallows[capi.TransfersClientCrossHostReceiveBuffersArgs]("XXHT-02", "makes nothing of what comes from itself").On(sound).InMemory(),
		mutant.After("XXHT-03", "swaps descriptors", func(a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs) {
			slices.Reverse(mutant.View(a.Buffers, a.NumBuffers))
		}).On(sound).InMemory(),
		mutant.After("XXHT-03", "counts no buffers",
			func(a *capi.TransfersClientMakeCrossHostReceiveBuffersArgs) { a.NumBuffers = 0 }).On(sound).InMemory(),
		with("XXHT-03/cancel", "leaves a cancelled receive as it is", flaws{deafCancel: true}).InMemory().Waiting(),
		with("XXHT-03/cancel", "cancels all buffers of a receive at once", flaws{cancelsAll: true}).InMemory().Waiting(),
		with("XXHT-04", "keeps from the receiver that the source failed", flaws{losesSendErrors: true}).InMemory().Waiting(),
		with("XXHT-04", "says of a failed source that it was sent", flaws{forgetsFailure: true}).InMemory(),
		with("XXHT-05", "never destroys a descriptor", flaws{destroys: -1}).InMemory().Waiting(),
		with("XXHT-05", "destroys a descriptor twice", flaws{destroys: 1}).InMemory(),
		with("XXHT-06", "waits for the elements of an empty array", flaws{losesEmpty: true}).InMemory().Waiting(),
	}
}

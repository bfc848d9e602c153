// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package dlpack passes arrays between the buffers of package pjrt and other
// libraries in the same process, without a copy, in the form of DLPack's
// DLManagedTensor.
//
// Export gives a buffer's memory to another library, Import makes a buffer of
// another library's memory:
//
//	tensor, err := dlpack.Export(ctx, buffer)
//	other(tensor.Address()) // takes the DLManagedTensor, and calls its deleter
//
//	buffer, err := dlpack.Import(ctx, client, address)
//
// Whoever takes a DLManagedTensor owns it, and calls its deleter once.
package dlpack

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package dlpack shares arrays between the buffers of package pjrt and other libraries in the same
// process, without copying, as DLPack's DLManagedTensor.
//
// Export gives a buffer's memory to another library, and Import makes a buffer from another
// library's memory:
//
//	tensor, err := dlpack.Export(ctx, buffer)
//	other(tensor.Address()) // takes the DLManagedTensor, and calls its deleter later
//
//	buffer, err := dlpack.Import(ctx, client, address)
//
// Copy is Import for memory that a plugin cannot use as it is.
//
// Whoever takes a DLManagedTensor owns it, and calls its deleter once.
package dlpack

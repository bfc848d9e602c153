// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package gpu connects programs on GPUs with other libraries that use the same GPU. XLA's plugins
// for GPUs have its extensions, Gpu_Custom_Call, which came with API 0.31, and Stream (API 0.49).
//
// [Register] registers the C functions of custom calls: untyped functions, or a handler for each
// stage. New programs use package extensions/ffi, whose handlers are Go functions, on all
// platforms; this is for existing libraries.
//
// A [Stream] orders a device's work with that of another library.
package gpu

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package executables says what a compiled program is, without running it: the metadata that its
// compiler wrote, the shardings of its arguments and results, and the version of the runtime that
// it was compiled for, which decides where it can be loaded.
//
// [Metadata] uses the extension ExecutableMetadata, which came with API 0.75; libtpu has it.
// [ParameterShardings] and [ResultShardings] use Shardings, and [ABIVersionOf],
// [RuntimeABIVersion], [RuntimeRuns] and [RuntimeReplaces] use AbiVersion, both of API 0.91; libtpu
// and XLA's plugins for GPUs have them. XLA's plugins for CPUs have no AbiVersion, and Shardings
// since API 0.106.
package executables

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package stablehlo reads the parameters and results of a StableHLO program, and the version of
// StableHLO that it was written for, without a compiler.
//
// [Main] and [Results] read the text of a program. Plugins do not check the element types and
// shapes of arguments: they silently reinterpret a wrong type of the same size. The C API does not
// report the parameters of an executable, so this package reads them from the text.
//
// This is not an MLIR parser: it finds the main function and reads its parameter list, in the
// pretty form (func.func @main(...)) and in the generic one ("func.func"() <{function_type =
// ...}>). Types that it does not understand are unknown. It never rejects a program.
//
// [VersionOf] and [Versions] tell whether a plugin can read a portable artifact, the bytecode that
// StableHLO's tools write.
//
// The functions may be called from any goroutine.
package stablehlo

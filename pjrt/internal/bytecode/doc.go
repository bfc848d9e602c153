// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package bytecode reads as much of a module in MLIR's bytecode as it takes to
// see what compilers end the process on: the functions, whether they have bodies,
// which symbols they name, and the tensor types. It knows the dialects builtin,
// func, stablehlo and vhlo, the one of StableHLO's portable artifacts. All else is
// skipped, as the format allows.
package bytecode

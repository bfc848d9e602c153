// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package bytecode reads the parts of a module in MLIR's bytecode on which compilers may end the
// process: its functions, whether they have bodies, which symbols they name, and its tensor types.
// It knows the dialects builtin, func, stablehlo, and vhlo, which StableHLO's portable artifacts
// use. It skips everything else, as the format allows.
package bytecode
